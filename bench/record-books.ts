import assert from 'node:assert'
import { Registry } from 'prom-client'
import type { BookChange } from '../src/books/live-book.js'
import { packRecordedBooks } from '../src/books/recording/pack.js'
import { BookRecorder } from '../src/books/recording/recorder.js'
import { createRecorderMetrics } from '../src/books/recording/recorder-metrics.js'
import { HOUR_MS } from '../src/books/recording/token-recording.js'
import { systemClock } from '../src/core/clock.js'
import type { Pool } from '../src/store/connection.js'
import type { Bench, Rounds } from './lib/bench.js'
import { BenchServer } from './lib/bench-server.js'
import { BookTraffic } from './lib/book-traffic.js'
import { spread } from './lib/compare.js'
import { tidy } from './lib/tidy.js'

const CHANGES_PER_SEC = 5_000
const CORE_SHARE_MAX = 0.05
const BYTES_MAX = 6
/** Books among which the changes are spread, and for how long they are recorded. */
const BUSY = { markets: 1_000, seconds: 20 }
type RecorderOptions = Partial<
  Pick<ConstructorParameters<typeof BookRecorder>[0], 'clock' | 'limits' | 'store'>
>

/** Messages come in this step. */
const STEP_MS = 10
const ROUNDS = 5
/** An hour of some books that change as often as each of those: what a block has. */
const HOUR = { markets: 10, seconds: 3_600, changesPerSec: 50, flushSec: 120 }

export const recordBooks: Bench = {
  name: 'record-books',
  promise:
    'changes of 2,000 books that are recorded and packed, against the limit: 5 % of a core at 5,000 a second',
  ratioMin: 1,
  unit: 'changes per second of a core',
  async prepare() {
    const pool = await (await BenchServer.start()).createDatabase('books')
    return {
      run: async (onRound) => {
        const rounds: Rounds = { ours: [], yardstick: [], figures: {} }
        const shares = { recording: [] as number[], packing: [] as number[] }
        for (let round = 0; round <= ROUNDS; round++) {
          onRound(round === 0 ? 'warming up' : `round ${round} of ${ROUNDS}`)
          const bare = await play(pool, { isRecorded: false })
          const recorded = await play(pool, { isRecorded: true })
          await clear(pool)
          const hour = await record(pool, HOUR)
          const packing = (await measure(() => packHour(pool))) / hour
          await clear(pool)
          if (round === 0) continue
          const recording = recorded - bare
          rounds.ours.push(1 / (recording + packing))
          rounds.yardstick.push(CHANGES_PER_SEC / CORE_SHARE_MAX)
          shares.recording.push(recording * 1e6)
          shares.packing.push(packing * 1e6)
        }
        rounds.figures = {
          recordingUs: Number(spread(shares.recording).median.toFixed(1)),
          packingUs: Number(spread(shares.packing).median.toFixed(1)),
        }
        return rounds
      },
      close: tidy,
    }
  },
}

export const recordBooksSize: Bench = {
  name: 'record-books-size',
  promise: 'packed changes of levels in a megabyte, against the limit: 6 bytes each',
  ratioMin: 1,
  unit: 'changes per MB',
  async prepare() {
    const pool = await (await BenchServer.start()).createDatabase('books')
    return {
      ours: async () => {
        const changes = await record(pool, HOUR)
        await packHour(pool)
        const [row] = await pool<{ bytes: bigint }[]>`select sum(length(bytes)) as bytes from book_blocks`
        await clear(pool)
        return changes / (Number(row?.bytes ?? 0) / 1_000_000)
      },
      yardstick: async () => 1_000_000 / BYTES_MAX,
      close: tidy,
    }
  },
}

/** Processor time of all threads of the process, in seconds. */
async function measure(work: () => Promise<void>): Promise<number> {
  const started = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(started)
  return (user + system) / 1_000_000
}

/** Publishes changes as fast as a busy exchange sends them. Returns the processor time of each, in seconds. */
async function play(pool: Pool, { isRecorded }: { isRecorded: boolean }): Promise<number> {
  const { markets, seconds } = BUSY
  const startMs = Date.now()
  const traffic = new BookTraffic(markets, startMs)
  const messages = Array.from({ length: (seconds * CHANGES_PER_SEC) / 2 }, () => traffic.next(startMs))
  const stop = isRecorded ? await startRecorder(pool, traffic) : async () => undefined
  const perStep = messages.length / ((seconds * 1_000) / STEP_MS)
  const cpuSeconds = await measure(async () => {
    const begun = performance.now()
    for (let next = 0; next < messages.length; ) {
      const due = Math.min(messages.length, ((performance.now() - begun) / STEP_MS) * perStep)
      for (; next < due; next++) traffic.publish(messages[next] ?? [])
      await new Promise((resolve) => setTimeout(resolve, STEP_MS))
    }
    await stop()
  })
  return cpuSeconds / countLevels(messages)
}

async function startRecorder(pool: Pool, traffic: BookTraffic, options: RecorderOptions = {}) {
  const { clock = systemClock, limits, store = { sql: pool } } = options
  const wanted = {
    tokens: new Set(traffic.tokenIds),
    start: () => undefined,
    stop: () => undefined,
    lose: () => undefined,
  }
  const metrics = createRecorderMetrics(new Registry())
  const recorder = new BookRecorder({ books: traffic, wanted, store, clock, metrics, limits })
  const stopping = new AbortController()
  const running = recorder.run(stopping.signal)
  while (recorder.tokens < traffic.tokenIds.length) await new Promise((resolve) => setTimeout(resolve, 2))
  return async () => {
    stopping.abort()
    await running
  }
}

/**
 * Records the traffic of some books, which are simulated in a fraction of their time; a flush has the changes of
 * `flushSec`. Returns how many levels changed.
 */
async function record(
  pool: Pool,
  { markets, seconds, changesPerSec, flushSec }: typeof HOUR,
): Promise<number> {
  const startMs = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - 2 * HOUR_MS
  let nowMs = startMs
  const traffic = new BookTraffic(markets, nowMs)
  let flushes = 0
  const store = {
    // The recorder asks for the pool once for a flush.
    get sql() {
      flushes += 1
      return pool
    },
  }
  const stop = await startRecorder(pool, traffic, {
    store,
    clock: { now: () => nowMs },
    limits: { flushMs: 2 },
  })
  const messages = (flushSec * changesPerSec) / 2
  let changes = 0
  for (let second = 0; second < seconds; second += flushSec) {
    for (let message = 0; message < messages; message++) {
      nowMs = startMs + second * 1_000 + Math.floor((message * flushSec * 1_000) / messages)
      const news = traffic.next(nowMs)
      traffic.publish(news)
      changes += countLevels([news])
    }
    const before = flushes
    while (flushes < before + 2) await new Promise((resolve) => setTimeout(resolve, 2))
  }
  assert(changes > seconds * changesPerSec * 0.9, 'the traffic is as busy as it should be')
  await stop()
  return changes
}

const countLevels = (messages: readonly (readonly BookChange[])[]): number =>
  messages.reduce((count, news) => count + news.filter(({ kind }) => kind === 'level').length, 0)

const packHour = (pool: Pool): Promise<void> =>
  packRecordedBooks(pool, Date.now(), createRecorderMetrics(new Registry()), new AbortController().signal)

async function clear(pool: Pool): Promise<void> {
  await pool`truncate book_tail, book_blocks, book_sessions, book_recordings`
}
