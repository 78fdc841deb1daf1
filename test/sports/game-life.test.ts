import { afterAll, beforeAll, expect, test } from 'vitest'
import { simulatedEnvironment } from '../../demo/simulator.js'
import { openSimulator, type Simulator } from '../../sim/simulator.js'
import type { Game } from '../../sim/universe/games/game.js'
import { gameStateAt } from '../../sim/universe/games/game-state.js'
import type { Market } from '../../sim/universe/market.js'
import { Universe } from '../../sim/universe/universe.js'
import { loadConfig } from '../../src/config/config.js'
import { listenSockets, SocketClient } from '../socket-client.js'
import { createTestApp, jobOf, type TestApp } from '../test-app.js'
import { until } from '../until.js'

const START_MS = Date.UTC(2026, 10, 14, 12)
const MINUTE_MS = 60_000
/** This much of the universe passes before the service hears of it. A client that is quiet for five minutes is closed. */
const STEP_MS = 4 * MINUTE_MS

let universe: Universe
let simulator: Simulator
let t: TestApp
let key: string
let client: SocketClient
let game: Game
let markets: Market[]
const stopping = new AbortController()

beforeAll(async () => {
  universe = new Universe({ seed: 5, startMs: START_MS, intensity: 0.05, hasGames: true })
  universe.advance(START_MS + 10 * MINUTE_MS)
  simulator = await openSimulator(universe)
  const { config } = loadConfig(simulatedEnvironment(simulator.upstreams))
  t = await createTestApp({ config })
  t.clock.set(universe.nowMs)
  key = (await t.createCaller('enterprise')).key
  game = chooseGame()
  markets = universe.catalogue
    .events()
    .filter((event) => event.game === game)
    .flatMap((event) => event.markets)
  void jobOf(t.domains, 'score collection').run(stopping.signal)
  client = await SocketClient.open(`${await listenSockets(t.app)}/ws?key=${key}`)
  client.send({ action: 'subscribe', type: 'scores', filters: { leagues: [game.league.code] } })
  await client.next(({ type }) => type === 'snapshot')
})
afterAll(async () => {
  stopping.abort()
  client.socket.terminate()
  await t.ctx.upstreams.close()
  await t.close()
  await simulator.close()
})

/** The one that is over first of those that have not begun and go as announced. */
function chooseGame(): Game {
  const ahead = universe
    .games()
    .filter(({ fate, startMs }) => fate.kind === 'played' && startMs > universe.nowMs + MINUTE_MS)
  const [first] = ahead.toSorted((a, b) => a.endMs - b.endMs)
  if (first === undefined) throw new Error('there is no game to come')
  return first
}

/** Lets time pass, for the universe and for the service, which hears of it in between. */
async function liveUntil(untilMs: number): Promise<void> {
  while (universe.nowMs < untilMs) {
    universe.advance(Math.min(universe.nowMs + STEP_MS, untilMs))
    t.clock.set(universe.nowMs)
    client.send({ action: 'ping' })
    await client.next(({ type }) => type === 'pong')
    await until(() => isHeard())
  }
}

/** Whether the service knows how the game stands now. */
function isHeard(): boolean {
  if (universe.nowMs < game.startMs) return true
  const { score, ended } = universe.gameState(game)
  const last = ownScores().at(-1)
  return last?.score === score && last.ended === ended
}

type Score = {
  game_id: string
  score: string | null
  live: boolean
  ended: boolean
  status: string
}
const ownScores = (): Score[] =>
  client.messages
    .filter(({ type }) => type === 'score_update')
    .map(({ data }) => data as Score)
    .filter(({ game_id }) => game_id === String(game.id))

type Row = Record<string, unknown>
type Reply = Row & { [list in 'games' | 'markets' | 'tokens' | 'leagues' | 'results']: Row[] }

async function get(path: string): Promise<Reply> {
  const reply = await t.app.inject({ url: `/v2/sports${path}`, headers: { 'x-api-key': key } })
  expect([path, reply.statusCode]).toEqual([path, 200])
  return reply.json()
}

/** The game in every answer that has it, in few words. */
async function look() {
  const { league, slug, title } = game
  const event = universe.catalogue.events().find((each) => each.slug === slug)
  const own = (rows: readonly Row[]) => rows.find((row) => row.slug === slug)
  const [active, closed] = await Promise.all(
    ['active', 'closed'].map((status) => get(`/leagues/${league.code}/games?status=${status}&limit=200`)),
  )
  const detail = await get(`/games/${slug}`)
  const twins = [
    await get(`/games/by-event/${event?.id}`),
    await get(`/games/by-market/${markets.at(-1)?.id}`),
  ]
  for (const twin of twins) {
    expect(twin).toMatchObject({ slug, status: detail.status, score: detail.score })
    expect(twin.markets.map(({ id }) => id)).toEqual(detail.markets.map(({ id }) => id))
  }
  const state = await get(`/games/${slug}/state`)
  const prices = await get(`/games/${slug}/prices`)
  const history = await get(`/games/${slug}/history?limit_tokens=2&interval=1d`)
  const live = await get('/live')
  const summary = await get('/summary')
  const found = await get(`/search?q=${encodeURIComponent(title)}`)
  return {
    listed: { active: own(active?.games ?? [])?.status, closed: own(closed?.games ?? [])?.status },
    closedScore: own(closed?.games ?? [])?.score,
    detail: { status: detail.status, score: detail.score, markets: detail.markets.length },
    allClosed: detail.markets.every((market) => market.closed === true),
    state: { status: state.status, score: state.score as Row },
    tokens: [prices.total_tokens, history.tokens.length],
    points: history.tokens.map((token) => (token.history as unknown[]).length),
    isLeagueLive: (live.live_leagues as unknown as string[]).includes(league.code),
    summary: summary.leagues.find((row) => row.league === league.code),
    isFound: own(found.results) !== undefined,
  }
}

test('one game from scheduled to settled, seen through every path and on the socket', async () => {
  const count = { markets: markets.length, tokens: markets.length * 2 }
  const before = await look()
  expect(before).toMatchObject({
    listed: { active: 'scheduled', closed: undefined },
    detail: { status: 'scheduled', score: null, markets: count.markets },
    state: { status: 'scheduled', score: { score: null, live: null, freshness: 'unknown' } },
    tokens: [count.tokens, 2],
    isFound: true,
  })

  await liveUntil(game.startMs + (game.endMs - game.startMs) / 2)
  const inPlay = universe.gameState(game)
  const during = await look()
  expect(during).toMatchObject({
    listed: { active: 'live', closed: undefined },
    detail: { status: 'live', score: inPlay.score },
    state: { status: 'live', score: { score: inPlay.score, live: true, freshness: 'live' } },
    isLeagueLive: true,
    summary: { has_live: true },
  })

  await liveUntil(game.endMs + 10_000)
  const final = gameStateAt(game, game.endMs)
  const after = await look()
  expect(after).toMatchObject({
    detail: { status: 'final', score: final.score },
    state: { status: 'final', score: { score: final.score, live: false, freshness: 'final' } },
    allClosed: false,
  })

  await liveUntil(Math.max(...markets.map(({ resolvesMs }) => resolvesMs)) + 5 * MINUTE_MS)
  const settled = await look()
  expect(settled).toMatchObject({
    listed: { active: undefined, closed: 'closed' },
    closedScore: final.score,
    detail: { status: 'closed', score: final.score, markets: count.markets },
    state: { status: 'closed', score: { score: final.score, freshness: 'final' } },
    allClosed: true,
  })

  checkSocket(final.status)
})

/** What the socket said of the game, from its beginning to its end. */
function checkSocket(finalStatus: string): void {
  const scores = ownScores()
  const phases = scores.map(({ live, ended }) => (ended ? 'ended' : live ? 'live' : 'before'))
  const order = ['before', 'live', 'ended']
  expect(phases.toSorted((a, b) => order.indexOf(a) - order.indexOf(b))).toEqual(phases)
  expect(new Set(phases)).toContain('live')
  expect(scores.at(-1)).toMatchObject({ ended: true, live: false, status: finalStatus })
  // Each score that the game ever had comes once it has it, and none comes again after the next one.
  const distinct = scores.map(({ score }) => score).filter((score, at, all) => score !== all[at - 1])
  expect(new Set(distinct).size).toBe(distinct.length)
  const course = game.course.goals.map(({ atMs }) => gameStateAt(game, Math.ceil(atMs / 1000) * 1000))
  expect(distinct).toEqual(expect.arrayContaining(course.map(({ score }) => score)))
}
