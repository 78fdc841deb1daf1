import { Registry } from 'prom-client'
import type { TestContext } from 'vitest'
import type { Token } from '../../../sim/universe/market.js'
import { createTestDatabase } from '../../../test/database.js'
import { until } from '../../../test/until.js'
import type { Pool } from '../../store/connection.js'
import { type Exchange, openLiveBooks, type TestBooksOptions } from '../test-exchange.js'
import { packRecordedBooks } from './pack.js'
import { BookRecorder } from './recorder.js'
import { createRecorderMetrics } from './recorder-metrics.js'
import { HOUR_MS } from './token-recording.js'

const OWNER = 'test'
const FLUSH_MS = 5

type Options = {
  exchange: Exchange
  tokens: readonly Token[]
  sql?: Pool
  limits?: ConstructorParameters<typeof BookRecorder>[0]['limits']
  timings?: TestBooksOptions['timings']
}

const away = Object.assign(new Error('the database is away'), { code: 'ECONNREFUSED', query: '' })

/**
 * Production books of a simulated exchange, and a recorder of them. Time is that of the universe: it passes when the test
 * says so, and what the exchange sends is received at the time at which it was sent.
 */
export async function openRecording(
  context: Pick<TestContext, 'onTestFinished'>,
  { exchange, tokens, sql: openSql, limits, timings }: Options,
) {
  const { universe } = exchange
  const clock = { now: () => universe.nowMs }
  const sql = openSql ?? (await openDatabase(context))
  const live = await openLiveBooks(exchange, context, { clock, timings })
  const { books } = live
  const tokenIds = tokens.map(({ decimal }) => decimal)
  const database = { isAway: false }
  const store = {
    get sql() {
      if (database.isAway) throw away
      return sql
    },
  }
  const metrics = createRecorderMetrics(new Registry())
  const wanted = {
    tokens: new Set(tokenIds),
    start: () => void books.follow(tokenIds, OWNER),
    stop: () => books.release(tokenIds, OWNER),
    lose: () => undefined,
  }
  const recorder = new BookRecorder({
    books,
    wanted,
    store,
    clock,
    metrics,
    limits: { flushMs: FLUSH_MS, ...limits },
  })
  let stopping = new AbortController()
  let running: Promise<void> = Promise.resolve()

  const start = () => {
    stopping = new AbortController()
    running = recorder.run(stopping.signal)
    running.catch(() => undefined)
  }
  const stop = async () => {
    stopping.abort()
    await running.catch(() => undefined)
  }
  /** Waits until all that came before this moment of the universe is written. */
  const untilWritten = async () => {
    let untilMs = 0
    while (untilMs < universe.nowMs) {
      const [row] = await sql<{ until: bigint | null }[]>`select max(until_ms) as until from book_recordings`
      untilMs = Number(row?.until ?? 0)
      await new Promise((resolve) => setTimeout(resolve, FLUSH_MS))
    }
  }
  start()
  context.onTestFinished(stop)
  await until(() => recorder.tokens === tokens.length)
  return {
    ...live,
    sql,
    clock,
    recorder,
    metrics,
    tokens,
    tokenIds,
    start,
    stop,
    untilWritten,
    /** The process dies: what was not written is lost. */
    kill: async () => {
      database.isAway = true
      await stop()
      database.isAway = false
    },
    loseDatabase: () => {
      database.isAway = true
    },
    findDatabase: () => {
      database.isAway = false
    },
    /** How the last recording ended. */
    ended: () => running,
    /** Lets time pass in seconds; the books are those of the universe after each. */
    pass: async (seconds: number) => {
      for (let second = 0; second < seconds; second++) {
        universe.advance(universe.nowMs + 1_000)
        await live.untilTrue(tokens)
      }
    },
    /** Packs everything that is written. */
    pack: () => packRecordedBooks(sql, universe.nowMs + 2 * HOUR_MS, metrics, new AbortController().signal),
  }
}

export type TestRecording = Awaited<ReturnType<typeof openRecording>>

async function openDatabase({ onTestFinished }: Pick<TestContext, 'onTestFinished'>): Promise<Pool> {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  return database.sql
}
