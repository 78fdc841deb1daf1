import { setTimeout as wait } from 'node:timers/promises'
import { Bus } from '../src/bus/bus.js'
import type { MarketInfo } from '../src/catalogue/market-info.js'
import type { Batch } from '../src/chain/read/batch.js'
import { BlockWriter } from '../src/chain/write/block-writer.js'
import { EventLog } from '../src/events/event-log.js'
import { LiveEvents } from '../src/events/live-events.js'
import { createLog } from '../src/lib/log.js'
import type { Pool } from '../src/store/connection.js'
import type { Bench, Rounds } from './lib/bench.js'
import { BenchServer } from './lib/bench-server.js'
import { BATCH_BYTES, timeOf, toBatch } from './lib/ingest-batch.js'
import { LogSource } from './lib/log-source.js'
import { tidy } from './lib/tidy.js'

const MS_MAX = 40
const FILLS = 100
/** Blocks with this many fills more are measured as well; those with fewer or more are booked in between. */
const FILLS_MORE = 20
/** Then most blocks have about as many fills as are promised. */
const INTENSITY = 240
const HISTORY_FILLS = 100_000
const BLOCKS = 800
/** A twentieth of what really lies between two blocks. */
const PAUSE_MS = 100

export const ingestHead: Bench = {
  name: 'ingest-head',
  promise: `a block of ${FILLS} fills is committed and on the bus within what ${MS_MAX} ms of plain work take, 99 times of 100`,
  ratioMin: 1,
  unit: 'blocks/s',
  async prepare() {
    const server = await BenchServer.start()
    const pool = await server.createDatabase('head')
    const source = new LogSource(INTENSITY)
    return { run: (onRound) => run(source, pool, onRound), close: tidy }
  },
}

async function run(source: LogSource, pool: Pool, onRound: (text: string) => void): Promise<Rounds> {
  let nowMs = 0
  const clock = { now: () => nowMs }
  const log = createLog('error', process.stderr)
  const bus = new Bus({ clock, log })
  let events = 0
  bus.subscribe((published) => {
    events += published.length
  })
  const eventLog = new EventLog({ store: { sql: pool }, bus, clock })
  const live = new LiveEvents({ bus, eventLog, markets: MARKETS, clock, log })
  await live.lead(pool)
  const line = await BlockWriter.open({ pool, listeners: [live] })
  onRound('history')
  for (let fills = 0; fills < HISTORY_FILLS; ) {
    const stretch = await source.read(BATCH_BYTES)
    await line.append([toBatch(stretch)])
    fills += stretch.fills
  }
  const work = new PlainWork(MS_MAX)
  const times: number[] = []
  const workTimes: number[] = []
  for await (const stretch of source.readToEnd(BLOCKS)) {
    const { fills, blocks } = stretch
    const batch: Batch = { ...toBatch(stretch), isNearHead: true }
    nowMs = (blocks.at(-1)?.timeSec ?? 0) * 1000
    await wait(PAUSE_MS)
    const ms = 1000 * (await timeOf(() => line.append([batch])))
    if (fills < FILLS || fills >= FILLS + FILLS_MORE) continue
    times.push(ms)
    await wait(PAUSE_MS)
    workTimes.push(work.do())
    onRound(`block ${blocks[0]?.number}`)
  }
  return {
    ours: [1000 / at(times, 0.99)],
    yardstick: [1000 / at(workTimes, 0.99)],
    figures: {
      'half of the blocks within': `${at(times, 0.5).toFixed(1)} ms`,
      '99 of 100 within': `${at(times, 0.99).toFixed(1)} ms`,
      [`99 of 100 times ${MS_MAX} ms of plain work within`]: `${at(workTimes, 0.99).toFixed(1)} ms`,
      'blocks measured': times.length,
      'events on the bus': events,
    },
  }
}

const at = (times: readonly number[], share: number): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length * share)] ?? 0

/**
 * A loop that takes this long where nothing comes between. On a shared machine something does: whatever
 * stops the loop stops a block as well.
 */
class PlainWork {
  readonly #iterations: number
  #sum = 0

  constructor(ms: number) {
    const iterations = 1_000_000
    for (let round = 0; round < 50; round++) this.#spin(iterations)
    const quickest = Math.min(...Array.from({ length: 50 }, () => this.#spin(iterations)))
    this.#iterations = Math.round((iterations * ms) / quickest)
  }

  /** Returns how many milliseconds it took. */
  do(): number {
    return this.#spin(this.#iterations)
  }

  #spin(iterations: number): number {
    const startedAt = performance.now()
    for (let iteration = 0; iteration < iterations; iteration++) this.#sum = (this.#sum * 31 + iteration) | 0
    return performance.now() - startedAt
  }
}

const MARKET: MarketInfo = {
  conditionId: `0x${'ab'.repeat(32)}`,
  title: 'Will it rain in Lisbon tomorrow?',
  slug: 'will-it-rain-in-lisbon-tomorrow',
  image: 'https://example.com/rain.png',
  eventTitle: 'Weather in Lisbon',
  eventSlug: 'weather-in-lisbon',
  negRisk: false,
  tickSize: 0.01,
  takerBaseFee: undefined,
  outcomes: ['Yes', 'No'],
  tokenIds: ['1', '2'],
}
const MARKETS = { byToken: () => MARKET, byCondition: () => MARKET }
