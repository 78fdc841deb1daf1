import { createPool } from '../src/store/connection.js'
import type { Bench, Rounds } from './lib/bench.js'
import type { BenchServer } from './lib/bench-server.js'
import { showBound, spread } from './lib/compare.js'
import { insertKeys, type Running, startAuspexOn } from './lib/processes.js'
import { tidy } from './lib/tidy.js'
import { HISTORIES_DIR, keepHistory, openHistories } from './v3/keep-history.js'
import { type Samples, selectSamples } from './v3/samples.js'

const FEW = { fills: 1_000_000, partitions: 10 }
const MANY = { fills: 10_000_000, partitions: 100 }
const GROWTH_MAX = 1.3
const WHALE_MS_MAX = 20
const WARM_UP_TURNS = 20
const TURNS = 60
const KEYS = 100

/** Each asks in turn for another wallet, token or builder of the samples. */
const REQUESTS: Record<string, (samples: Samples, turn: number) => string> = {
  'trades of a wallet': ({ wallets }, turn) => `/v3/wallets/${at(wallets, turn)}/trades`,
  'trades of a whale': ({ whale }) => `/v3/wallets/${whale}/trades`,
  'positions of a wallet': ({ wallets }, turn) => `/v3/wallets/${at(wallets, turn)}/positions`,
  'positions of a whale': ({ whale }) => `/v3/wallets/${whale}/positions`,
  'trades of a market': ({ tokens }, turn) => `/v3/markets/${at(tokens, turn)}/trades`,
  'trades of all markets': () => '/v3/trades',
  'holders of a market': ({ tokens }, turn) => `/v3/markets/${at(tokens, turn)}/positions`,
  'summary of a wallet': ({ wallets }, turn) => `/v3/wallets/${at(wallets, turn)}`,
  'summary of a whale': ({ whale }) => `/v3/wallets/${whale}`,
  'profit by day': ({ wallets }, turn) => `/v3/wallets/${at(wallets, turn)}/pnl/events?group=day&period=1y`,
  'trades of a builder': ({ builders }, turn) => `/v3/builders/${at(builders, turn)}/trades`,
  search: (_samples, turn) => `/v3/markets/search?q=${at(SEARCHES, turn)}&limit=20`,
  candles: ({ tokens }, turn) => `/v3/markets/${at(tokens, turn)}/candles?resolution=1h`,
}

const SEARCHES = ['election+ohio', 'bitcoin+reach', 'senate+kenya', 'recession+may', 'tarifs+peru']

const at = (values: readonly string[], turn: number): string => values[turn % values.length] ?? ''

export const v3Growth: Bench = {
  name: 'v3-growth',
  promise: 'answers of /v3 over 10 million fills in 100 partitions against 1 million in 10',
  ratioMin: 1 / GROWTH_MAX,
  unit: 'answers/s',
  async prepare() {
    console.log(`  histories are kept in ${HISTORIES_DIR}`)
    const server = await openHistories()
    return { run: (onRound) => run(server, onRound), close: tidy }
  },
}

type Side = { service: Running; samples: Samples; keys: string[] }

async function run(server: BenchServer, onRound: (text: string) => void): Promise<Rounds> {
  const few = await openSide(server, FEW, onRound)
  const many = await openSide(server, MANY, onRound)
  const rounds: Rounds = { ours: [], yardstick: [], figures: {} }
  try {
    for (const [name, toPath] of Object.entries(REQUESTS)) {
      onRound(name)
      const times: Record<'few' | 'many', number[]> = { few: [], many: [] }
      for (let turn = -WARM_UP_TURNS; turn < TURNS; turn++) {
        const fewMs = await timeAnswer(few, toPath(few.samples, Math.abs(turn)), turn)
        const manyMs = await timeAnswer(many, toPath(many.samples, Math.abs(turn)), turn)
        if (turn < 0) continue
        times.few.push(fewMs)
        times.many.push(manyMs)
      }
      const [fewMs, manyMs] = [spread(times.few).median, spread(times.many).median]
      rounds.yardstick.push(1_000 / fewMs)
      rounds.ours.push(1_000 / manyMs)
      const bounds = [showBound(manyMs / fewMs, GROWTH_MAX, ' ×')]
      if (name.includes('whale')) bounds.push(showBound(manyMs, WHALE_MS_MAX, ' ms'))
      rounds.figures[name] = `${manyMs.toFixed(1)} ms, ${bounds.join(', ')}`
    }
  } finally {
    await few.service.stop()
    await many.service.stop()
  }
  return rounds
}

async function openSide(
  server: BenchServer,
  size: { fills: number; partitions: number },
  onRound: (text: string) => void,
): Promise<Side> {
  const label = `${size.fills.toLocaleString('en-US')} fills`
  const target = await keepHistory(server, size, (step) => onRound(`${label}: ${step}`))
  const pool = createPool(target, 1)
  const samples = await selectSamples(pool)
  const service = await startAuspexOn(target)
  const keys = await insertKeys(pool, KEYS)
  await pool.end()
  return { service, samples, keys }
}

async function timeAnswer({ service, keys }: Side, path: string, turn: number): Promise<number> {
  const startedMs = performance.now()
  const reply = await fetch(`http://127.0.0.1:${service.port}${path}`, {
    headers: { 'x-api-key': at(keys, Math.abs(turn)) },
  })
  const body = await reply.text()
  if (reply.status !== 200) throw new Error(`${path} was answered with ${reply.status}: ${body}`)
  return performance.now() - startedMs
}
