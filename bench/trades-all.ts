import { createPool } from '../src/store/connection.js'
import type { Bench, Figures, Rounds } from './lib/bench.js'
import { showBound, spread } from './lib/compare.js'
import { type Download, download } from './lib/download.js'
import { watchLoop } from './lib/loop-delay.js'
import { insertKeys, measureGrowth, startAuspexOn, startYardstick } from './lib/processes.js'
import { showProgress } from './lib/progress.js'
import { tidy, tidyLater } from './lib/tidy.js'
import { HISTORIES_DIR, keepHistory, openHistories } from './v3/keep-history.js'
import { selectSamples } from './v3/samples.js'
import { WHALE } from './v3/size.js'

const HISTORY = { fills: 1_000_000, partitions: 10 }
const TRADES = 250_000
const WARM_UP_ROUNDS = 2
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 9)
const MB = 1_000_000
const FIRST_BYTE_MS_MAX = 100
const LOOP_MS_MAX = 20
const MEMORY_MB_MAX = 50
const PARQUET_MAX = 2

export const tradesAll: Bench = {
  name: 'trades-all',
  promise: `${TRADES.toLocaleString('en-US')} trades of a wallet as JSON in at most 1.5 times the time of COPY to a socket`,
  ratioMin: 1 / 1.5,
  unit: 'trades/s',
  async prepare() {
    console.log(`  histories are kept in ${HISTORIES_DIR}`)
    const server = await openHistories()
    const target = await keepHistory(server, HISTORY, showProgress)
    const pool = createPool(target, 1)
    const { whale } = await selectSamples(pool)
    const [key = ''] = await insertKeys(pool, 1)
    await pool.end()
    const loop = watchLoop()
    const auspex = await startAuspexOn(target, loop.env)
    tidyLater(auspex.stop)
    const setup = JSON.stringify({ target, wallet: WHALE, limit: TRADES })
    const copy = await startYardstick('copy-trades', [setup], { isPinned: false })
    tidyLater(copy.stop)
    // The whale has more trades, so that the answer is partial and never kept.
    const path = `/v2/onchain/wallets/${whale}/trades/all`
    const ask = (format: string) => download(auspex.port, `${path}?format=${format}`, { 'x-api-key': key })
    const contest = {
      json: () => ask('json'),
      parquet: () => ask('parquet'),
      copy: () => download(copy.port, '/'),
      loopMs: () => loop.read(auspex.pid),
      growth: (work: () => Promise<unknown>) => measureGrowth(auspex.pid, work),
    }
    return { run: (onRound) => run(contest, onRound), close: tidy }
  },
}

type Contest = Record<'json' | 'parquet' | 'copy', () => Promise<Download>> & {
  loopMs: () => Promise<number>
  growth: (work: () => Promise<unknown>) => Promise<number>
}

async function run(contest: Contest, onRound: (text: string) => void): Promise<Rounds> {
  const { json, parquet, copy } = contest
  for (let round = 0; round < WARM_UP_ROUNDS; round++) {
    for (const ask of [json, copy, parquet]) await ask()
  }
  const taken: Record<'json' | 'parquet' | 'copy', Download[]> = { json: [], parquet: [], copy: [] }
  const held: Record<'json' | 'parquet', number[]> = { json: [], parquet: [] }
  const growth: number[] = []
  for (let round = 1; round <= ROUNDS; round++) {
    onRound(`round ${round} of ${ROUNDS}`)
    for (const format of ['json', 'parquet'] as const) {
      await contest.loopMs()
      growth.push(await contest.growth(async () => taken[format].push(await contest[format]())))
      held[format].push(await contest.loopMs())
    }
    taken.copy.push(await copy())
  }
  const times = (all: readonly Download[]) => all.map(({ totalMs }) => totalMs)
  const speeds = (all: readonly Download[]) => times(all).map((ms) => (1_000 * TRADES) / ms)
  const parquetRatio = spread(
    times(taken.parquet).map((ms, round) => ms / (times(taken.copy)[round] ?? Number.NaN)),
  ).median
  const firstMs = spread(taken.json.map(({ firstMs }) => firstMs))
  const figures: Figures = {
    'bytes as JSON, Parquet and COPY': [taken.json, taken.parquet, taken.copy]
      .map(([first]) => (first?.bytes ?? 0).toLocaleString('en-US'))
      .join(', '),
    'Parquet in times of COPY': showBound(parquetRatio, PARQUET_MAX, ''),
    'first byte, median of the rounds': showBound(firstMs.median, FIRST_BYTE_MS_MAX, ' ms'),
    'first byte, worst round': `${Math.round(firstMs.max)} ms`,
    'event loop held up by JSON, median': showBound(spread(held.json).median, LOOP_MS_MAX, ' ms'),
    'event loop held up by Parquet, median': showBound(spread(held.parquet).median, LOOP_MS_MAX, ' ms'),
    'event loop held up, worst round': `${Math.round(Math.max(...held.json, ...held.parquet))} ms`,
    'memory in addition, worst round': showBound(Math.max(...growth) / MB, MEMORY_MB_MAX, ' MB'),
  }
  return { ours: speeds(taken.json), yardstick: speeds(taken.copy), figures }
}
