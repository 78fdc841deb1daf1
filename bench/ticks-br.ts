import { setTimeout as sleep } from 'node:timers/promises'
import { BLOCK_SEC } from '../src/prices/fast/tick-block.js'
import { TICK_SOURCES } from '../src/prices/streams.js'
import type { Bench, Rounds } from './lib/bench.js'
import { showBound } from './lib/compare.js'
import { ask, type Download, download } from './lib/download.js'
import { insertKeys, measureGrowth, type RunningService, startAuspex } from './lib/processes.js'
import { fillArchive, lastBlock } from './lib/tick-archive.js'

const DAY_BLOCKS = (24 * 3_600) / BLOCK_SEC
const GREEDY_REQUESTS = 200
const OTHERS = 20
const ROUNDS = 5
const MB = 1_000_000
const MEMORY_MAX = 150 * MB
/** How often an account that asks for little asks meanwhile. */
const LITTLE_EVERY_MS = 20

export const ticksBr: Bench = {
  name: 'ticks-br',
  promise: `days of ticks in Brotli for ${OTHERS} accounts while one more asks for ${GREEDY_REQUESTS} at once: the 99th percentile three times the undisturbed one at most`,
  ratioMin: 1 / 3,
  unit: 'answers/min',
  async prepare() {
    const auspex = await startAuspex({ isPinned: false })
    const untilBlock = lastBlock()
    const fromBlock = untilBlock - DAY_BLOCKS
    const streams = TICK_SOURCES.map((source) => ({ symbol: 'BTC', kind: 'spot', source }) as const)
    await fillArchive(auspex.pool, streams, fromBlock, untilBlock)
    const keys = await insertKeys(auspex.pool, 1 + 1 + OTHERS)
    const fromMs = fromBlock * BLOCK_SEC * 1000
    const range = (spanMs: number) => `/v1/crypto/ticks?symbol=BTC&from=${fromMs}&to=${fromMs + spanMs - 1}`
    const paths = { day: `${range(86_400_000)}&limit=100000`, little: range(300_000) }
    return { run: (onRound) => run(auspex, paths, keys, onRound), close: auspex.stop }
  },
}

async function run(
  { port, pid }: RunningService,
  { day, little }: { day: string; little: string },
  [greedyKey = '', modestKey = '', ...keys]: readonly string[],
  onRound: (text: string) => void,
): Promise<Rounds> {
  const compressed = (key: string) => ({ 'x-api-key': key, 'accept-encoding': 'br' })
  const askOthers = () => Promise.all(keys.map((key) => download(port, day, compressed(key))))
  const askGreedily = () =>
    Promise.all(Array.from({ length: GREEDY_REQUESTS }, () => ask(port, day, compressed(greedyKey))))
  const askLittle = () => download(port, little, { 'x-api-key': modestKey })
  /** The days of the others, and the answers to little requests meanwhile. */
  const measure = async () => {
    const others = askOthers()
    const littles = repeatUntil(others, askLittle)
    return { days: await others, littles: await littles }
  }

  await askOthers()
  const undisturbed: Measured[] = []
  const disturbed: Measured[] = []
  const greedy: Download[] = []
  let memory = 0
  for (let round = 1; round <= ROUNDS; round++) {
    onRound(`round ${round} of ${ROUNDS}`)
    undisturbed.push(await measure())
    const growth = await measureGrowth(pid, async () => {
      const flood = askGreedily()
      disturbed.push(await measure())
      greedy.push(...(await flood))
    })
    memory = Math.max(memory, growth)
  }
  const p99 = (all: Measured[], kind: keyof Measured) => percentile99(all.flatMap((each) => each[kind]))
  const speed = ({ days }: Measured) => 60_000 / percentile99(days)
  return {
    ours: disturbed.map(speed),
    yardstick: undisturbed.map(speed),
    figures: {
      'memory in addition': showBound(memory / MB, MEMORY_MAX / MB, ' MB'),
      "others' days": `${p99(undisturbed, 'days')} ms undisturbed, ${p99(disturbed, 'days')} ms disturbed`,
      'five minutes of ticks meanwhile': `${p99(undisturbed, 'littles')} ms undisturbed, ${p99(disturbed, 'littles')} ms disturbed`,
      [`the ${greedy.length} greedy requests`]: countStatuses(greedy),
    },
  }
}

type Measured = Record<'days' | 'littles', Download[]>

async function repeatUntil(end: Promise<unknown>, work: () => Promise<Download>): Promise<Download[]> {
  let isOver = false
  void end.finally(() => {
    isOver = true
  })
  const all: Download[] = []
  while (!isOver) {
    all.push(await work())
    await sleep(LITTLE_EVERY_MS)
  }
  return all
}

function percentile99(all: readonly Download[]): number {
  const sorted = all.map(({ totalMs }) => totalMs).toSorted((a, b) => a - b)
  return Math.round(sorted[Math.ceil(sorted.length * 0.99) - 1] ?? Number.NaN)
}

function countStatuses(all: readonly Download[]): string {
  const statuses = [...new Set(all.map(({ status }) => status))].toSorted()
  return statuses
    .map((status) => `${all.filter((each) => each.status === status).length} × ${status}`)
    .join(', ')
}
