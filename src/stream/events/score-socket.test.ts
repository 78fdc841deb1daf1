import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { Faults } from '../../../sim/server/faults.js'
import { type Host, openHost } from '../../../sim/server/host.js'
import { createSportsHost } from '../../../sim/sports-ws/host.js'
import { Universe } from '../../../sim/universe/universe.js'
import { listenSockets, type Received, SocketClient } from '../../../test/socket-client.js'
import { createTestApp, jobOf, type TestApp } from '../../../test/test-app.js'
import { until } from '../../../test/until.js'
import { loadConfig } from '../../config/config.js'

const START_MS = Date.UTC(2026, 10, 14, 18)
const MINUTE_MS = 60_000

let universe: Universe
let host: Host
let t: TestApp
let url: string
const faults = new Faults()
const stopping = new AbortController()

beforeAll(async () => {
  universe = new Universe({ seed: 4, startMs: START_MS, intensity: 0.05, hasGames: true })
  universe.advance(START_MS + 60 * MINUTE_MS)
  while (liveGames().length < 2) pass(MINUTE_MS)
  host = await openHost('sports_ws', faults, createSportsHost(universe))
  const { config } = loadConfig({ AUSPEX_SPORTS_WS_URL: `${host.wsUrl}/ws` })
  t = await createTestApp({ routes: [], config })
  t.clock.set(universe.nowMs)
  url = await listenSockets(t.app)
  void jobOf(t.domains, 'score collection').run(stopping.signal)
})
afterAll(async () => {
  stopping.abort()
  await t.close()
  await host.close()
})
beforeEach(() => untilCurrent())
afterEach(() => faults.set({ upstream: 'sports_ws', mode: 'off' }))

const liveGames = () => universe.games().filter((game) => universe.gameState(game).live)
const pass = (ms: number) => {
  universe.advance(universe.nowMs + ms)
  t?.clock.set(universe.nowMs)
}

/** Until the service has the score of every game that is live. Names may be missing. */
const untilCurrent = () =>
  until(() => {
    const known = new Map(t.ctx.scores.liveEvents().map(({ data }) => [data.game_id, data.score]))
    return liveGames().every((game) => known.get(String(game.id)) === universe.gameState(game).score)
  })

async function connect(filters: object = {}) {
  const { key } = await t.createCaller('enterprise')
  const client = await SocketClient.open(`${url}/ws?key=${key}`)
  onTestFinished(() => client.socket.terminate())
  client.send({ action: 'subscribe', type: 'scores', filters })
  expect(await client.next()).toMatchObject({ type: 'subscribed', subscription_type: 'scores' })
  const snapshot = await client.next()
  const scores = () => client.messages.filter(({ type }) => type === 'score_update')
  return { client, snapshot, scores }
}

type Data = { game_id: string; slug: string; league: string; score: string }
const dataOf = (message: Received | undefined) => message?.data as Data

test('clients of one stream get the same frames, live games first, and each change in order', async () => {
  const [game] = liveGames()
  const all = await connect()
  const twin = await connect()
  const some = await connect({ leagues: [game?.league.code] })
  expect(all.snapshot.count).toBe(liveGames().length)
  pass(3 * MINUTE_MS)
  await untilCurrent()
  const isOfLeague = (message: Received) => dataOf(message).league === game?.league.code
  const isDone = () =>
    twin.scores().length === all.scores().length &&
    some.scores().length === all.scores().filter(isOfLeague).length &&
    all.scores().length > 10
  await until(isDone)
  expect(twin.scores()).toEqual(all.scores())
  expect(some.scores()).toEqual(all.scores().filter(isOfLeague))
  const seqs = all.scores().map(({ seq }) => Number(seq))
  expect(seqs).toEqual(seqs.toSorted((a, b) => a - b))
  for (const { id } of liveGames()) {
    const texts = all.scores().filter((each) => dataOf(each).game_id === String(id))
    const shown = texts.map(({ data }) => JSON.stringify(data))
    expect(shown.every((text, index) => text !== shown[index - 1])).toBe(true)
  }
})

test.each([
  ['drop', 1],
  ['duplicate', 1],
  ['garbage', 0.3],
  ['truncated', 0.3],
] as const)('%s: afterwards every game stands as it should, for those who stayed too', async (mode, rate) => {
  const { snapshot, scores } = await connect()
  const last = new Map<string, string>()
  faults.set({ upstream: 'sports_ws', mode, rate })
  pass(MINUTE_MS)
  faults.set({ upstream: 'sports_ws', mode: 'off' })
  pass(10_000)
  await untilCurrent()
  const wanted = new Map(
    liveGames().map((game) => [String(game.id), universe.gameState(game).score] as const),
  )
  await until(() => {
    for (const each of [...(snapshot.events as Received[]), ...scores()]) {
      last.set(dataOf(each).game_id, dataOf(each).score)
    }
    return [...wanted].every(([id, score]) => last.get(id) === score)
  })
})
