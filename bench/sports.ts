import assert from 'node:assert'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSimulator } from '../sim/simulator.js'
import { Universe } from '../sim/universe/universe.js'
import type { Bench, Figures, Rounds } from './lib/bench.js'
import { showBound } from './lib/compare.js'
import { CountingProxy, countRounds } from './lib/counting-proxy.js'
import { buildRequest, measureLoad } from './lib/load.js'
import { NO_UPSTREAMS } from './lib/no-upstreams.js'
import { insertKeys, startAuspex, startYardstick } from './lib/processes.js'
import { recordAnswer } from './lib/record-answer.js'
import { tidy, tidyLater } from './lib/tidy.js'

const KEYS = 500
const COLD_REQUESTS = 500
const LOAD = { connections: 32, seconds: 1, staysAwake: true }
const WARM_UP_ROUNDS = 3
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 15)
const HOUR_MS = 3_600_000
const TICK_MS = 1_000
const ROUNDS_MAX = 2
/** Open and closed events of Gamma; prices, midpoints and spreads of the exchange. */
const CALLS_MAX = 5

export const sports: Bench = {
  name: 'sports',
  promise: 'the state of a game from warm copies against bare Fastify sending the same bytes',
  ratioMin: 0.5,
  unit: 'requests/s',
  async prepare() {
    const { gamma, clob, slug } = await openUpstreams()
    const env = {
      ...NO_UPSTREAMS,
      AUSPEX_GAMMA_URL: gamma.url,
      AUSPEX_CLOB_URL: clob.url,
      AUSPEX_SPORTS_WS_URL: 'off',
    }
    const auspex = await startAuspex({ isPinned: true, env })
    tidyLater(auspex.stop)
    const keys = await insertKeys(auspex.pool, KEYS)
    const path = `/v2/sports/games/${slug}/state`
    const figures = await askCold({ port: auspex.port, path, keys, gamma, clob, slug })
    const requests = keys.map((key) => buildRequest(path, { 'x-api-key': key }))

    const folder = mkdtempSync(join(tmpdir(), 'auspex-bench-'))
    tidyLater(async () => rmSync(folder, { recursive: true }))
    const answerFile = join(folder, 'answer.json')
    const answer = await recordAnswer(auspex.port, path, keys[0] ?? '')
    writeFileSync(answerFile, JSON.stringify(answer))
    const bare = await startYardstick('fastify-bytes', [answerFile], { isPinned: true })
    tidyLater(bare.stop)
    const contest = {
      ours: () => measureLoad({ ...LOAD, port: auspex.port, requests }),
      yardstick: () => measureLoad({ ...LOAD, port: bare.port, requests }),
    }
    const size = `${answer.body.length.toLocaleString('en-US')} bytes`
    return {
      run: (onRound) => run(contest, { 'the answer': size, ...figures }, onRound),
      close: tidy,
    }
  },
}

/** A universe with games that lives on, and the game of it with the most tokens that is to come. */
async function openUpstreams() {
  const universe = new Universe({
    seed: 3,
    startMs: Math.floor((Date.now() - HOUR_MS) / 1000) * 1000,
    hasGames: true,
  })
  universe.advance(Date.now())
  const simulator = await openSimulator(universe)
  tidyLater(() => simulator.close())
  const ticking = setInterval(() => universe.advance(Date.now()), TICK_MS)
  tidyLater(async () => clearInterval(ticking))
  const [gamma, clob] = await Promise.all([
    CountingProxy.open(simulator.upstreams.gamma),
    CountingProxy.open(simulator.upstreams.clob),
  ])
  for (const proxy of [gamma, clob]) tidyLater(() => proxy.close())
  const marketsOf = new Map<string, number>()
  for (const { game, markets } of universe.catalogue.events()) {
    if (game === undefined || game.startMs < Date.now() + HOUR_MS) continue
    marketsOf.set(game.slug, (marketsOf.get(game.slug) ?? 0) + markets.length)
  }
  const [largest] = [...marketsOf].sort(([, a], [, b]) => b - a)
  assert(largest !== undefined, 'a game is to come')
  return { gamma, clob, slug: largest[0] }
}

type Cold = {
  port: number
  path: string
  keys: readonly string[]
  gamma: CountingProxy
  clob: CountingProxy
  slug: string
}

/** Many requests at once for a game that the service has not read, and what they cost the upstreams. */
async function askCold({ port, path, keys, gamma, clob, slug }: Cold): Promise<Figures> {
  const startedAt = performance.now()
  const replies = await Promise.all(
    Array.from({ length: COLD_REQUESTS }, async (_, request) => {
      const key = keys[request % keys.length] ?? ''
      const reply = await fetch(`http://127.0.0.1:${port}${path}`, {
        headers: { 'x-api-key': key },
      })
      assert(reply.status === 200, `${path} was answered with ${reply.status}`)
      return (await reply.json()) as { total_tokens: number; subscribe: { token_ids: string[] } }
    }),
  )
  const tookMs = performance.now() - startedAt
  const { total_tokens, subscribe } = replies[0] ?? {
    total_tokens: 0,
    subscribe: { token_ids: [] },
  }
  const [token = ''] = subscribe.token_ids
  // The catalogue is read at the same time: its calls are about other things, or about everything.
  const calls = [
    ...gamma.calls.filter(({ text }) => text.includes(`slug=${slug}`)),
    ...clob.calls.filter(({ text }) => text.includes(token) && isOfGame(text)),
  ]
  return {
    'tokens of the game': total_tokens,
    [`calls for ${COLD_REQUESTS} cold requests at once`]: showBound(calls.length, CALLS_MAX, ''),
    'rounds of calls': showBound(countRounds(calls), ROUNDS_MAX, ''),
    [`time of ${COLD_REQUESTS} cold requests`]: `${Math.round(tookMs)} ms`,
  }
}

/** Batches of the catalogue are full ones. */
const isOfGame = (text: string): boolean => (text.match(/token_id/g) ?? []).length < 500

type Contest = Record<'ours' | 'yardstick', () => Promise<number>>

async function run(
  { ours, yardstick }: Contest,
  figures: Figures,
  onRound: (text: string) => void,
): Promise<Rounds> {
  const rounds: Rounds = { ours: [], yardstick: [], figures }
  for (let round = 1 - WARM_UP_ROUNDS; round <= ROUNDS; round++) {
    onRound(round < 1 ? 'warming up' : `round ${round} of ${ROUNDS}`)
    const speeds = { ours: await ours(), yardstick: await yardstick() }
    if (round < 1) continue
    rounds.ours.push(speeds.ours)
    rounds.yardstick.push(speeds.yardstick)
  }
  return rounds
}
