import assert from 'node:assert/strict'
import type { Clock } from '../../core/clock.js'
import { isOutage } from '../../core/database-fault.js'
import { parseTokenId } from '../../core/ids.js'
import { pause } from '../../lib/timing.js'
import type { Pool } from '../../store/connection.js'
import { transact } from '../../store/transaction.js'
import type { BookChange } from '../live-book.js'
import type { LiveBooks } from '../live-books.js'
import { wrapStrip } from './compression.js'
import {
  ensureBookTokens,
  insertRecording,
  insertStrips,
  type StoredStrip,
  updateRecordedUntil,
  upsertSessions,
} from './queries.js'
import { copyBook, copyDetails, type Moment, type RecordedChange } from './recorded-change.js'
import type { RecordedTokens } from './recorded-tokens.js'
import type { RecorderMetrics } from './recorder-metrics.js'
import { StripEncoder } from './strip.js'
import { countKept, type OpenStrip, type RecordedSession, TokenRecording } from './token-recording.js'

const LIMITS = {
  /** A strip has the changes of this time: each costs a row, so that one a second would cost twice the processor time. */
  flushMs: 5_000,
  /** How often books without changes are checked. */
  lookMs: 1_000,
  /** Levels that wait for the database, some 150 bytes each: a minute of a busy exchange. */
  heldMax: 500_000,
  /** Of books that are taken whole without a change of theirs, this many at a time. */
  wholesMax: 1_000,
}
/** Strips that are encoded without a pause: a few milliseconds. */
const ENCODED_MAX = 200
/** Numbers of tokens that are recorded no more are kept up to this many. */
const FORGOTTEN_MAX = 10_000

type RecorderOptions = {
  books: Pick<LiveBooks, 'get' | 'subscribe'>
  wanted: Pick<RecordedTokens, 'start' | 'stop' | 'lose' | 'tokens'>
  /** The pool of this moment. */
  store: { readonly sql: Pool }
  clock: Clock
  metrics: RecorderMetrics
  limits?: Partial<typeof LIMITS> | undefined
}

/** All that is to be written at once. */
type Batch = { strips: OpenStrip[]; sessions: RecordedSession[]; untilMs: number }

/**
 * Records the changes of live books, as they are published. The listener only keeps them in memory; every five seconds they
 * are written. While the database is away they wait, up to a limit; above it the recording ends, and the next one
 * begins with whole books: what lies between is a gap. So does a process that was killed leave one, from its last flush on.
 */
export class BookRecorder {
  readonly #options: RecorderOptions
  readonly #limits: typeof LIMITS
  readonly #tokens = new Map<string, TokenRecording>()
  readonly #ids = new Map<string, number>()
  readonly #encoder = new StripEncoder()
  #strips: OpenStrip[] = []
  #sessions = new Set<RecordedSession>()
  /** In levels, written ones not included. */
  #held = 0
  #last: { atMs: number; ordinal: number } = { atMs: 0, ordinal: -1 }
  #isOverfull = false

  constructor(options: RecorderOptions) {
    this.#options = options
    this.#limits = { ...LIMITS, ...options.limits }
  }

  /** Books that are recorded without a hole at this moment. */
  get tokens(): number {
    let recorded = 0
    for (const { session } of this.#tokens.values()) if (session !== undefined) recorded += 1
    return recorded
  }

  /** One recording: until the signal aborts. Throws when it cannot be written for too long. */
  async run(signal: AbortSignal): Promise<void> {
    const { books, wanted, store, clock } = this.#options
    const { flushMs, lookMs } = this.#limits
    const recording = await insertRecording(store.sql, clock.now())
    const unsubscribe = books.subscribe(
      (changes) => this.#accept(changes),
      (tokenIds) => {
        this.#drop(tokenIds)
        wanted.lose(tokenIds)
      },
    )
    wanted.start()
    try {
      let flushedAt = performance.now()
      while (!signal.aborted) {
        await pause(Math.min(lookMs, flushMs), signal)
        this.#checkBooks()
        if (!signal.aborted && performance.now() - flushedAt < flushMs) continue
        flushedAt = performance.now()
        await this.#flush(recording, signal)
      }
    } finally {
      unsubscribe()
      wanted.stop()
      this.#clear()
    }
  }

  #accept(changes: readonly BookChange[]): void {
    if (this.#isOverfull) return
    const touched = new Set<TokenRecording>()
    const levels = new Map<TokenRecording, BookChange>()
    this.#advance()
    for (const change of changes) {
      const token = this.#find('book' in change ? change.book.tokenId : change.tokenId)
      if (token === undefined) continue
      touched.add(token)
      // A book that was followed before is recorded from its state after this frame on.
      if (token.session === undefined && change.kind === 'level') continue
      this.#add(token, change, levels.get(token))
      if (change.kind === 'level') levels.set(token, change)
      else levels.delete(token)
    }
    for (const token of touched) this.#takeWholeIfDue(token)
    if (this.#held > this.#limits.heldMax) this.#isOverfull = true
  }

  #find(tokenId: string): TokenRecording | undefined {
    const known = this.#tokens.get(tokenId)
    if (known !== undefined || !this.#options.wanted.tokens.has(tokenId)) return known
    const token = new TokenRecording(tokenId)
    this.#tokens.set(tokenId, token)
    return token
  }

  #add(token: TokenRecording, change: BookChange, before: BookChange | undefined): void {
    const { metrics } = this.#options
    const moment = this.#next()
    if (change.kind === 'snapshot') {
      const { book, rightUntilMs } = change
      if (rightUntilMs !== undefined) this.#end(token, rightUntilMs, 'lost change')
      if (token.session === undefined) this.#begin(token, moment, false)
      else if (token.needsWhole(moment.atMs)) this.#takeWhole(token, moment, false)
      else this.#keep(token, { kind: 'snapshot', ...moment, isKeyframe: false, book: copyBook(book) })
      return
    }
    if (change.kind === 'state') {
      const { state, reason, rightUntilMs = moment.atMs } = change
      if (state === 'stale') this.#end(token, rightUntilMs, reason ?? 'unknown')
      this.#keep(token, { kind: 'state', ...moment, state, reason })
    } else if (change.kind === 'details') {
      this.#keep(token, { kind: 'details', ...moment, details: copyDetails(change.book) })
    } else if (change.kind === 'trade') {
      const { price, size, side, feeRateBps, timestampMs } = change
      this.#keep(token, { kind: 'trade', ...moment, price, size, side, feeRateBps, timestampMs })
    } else {
      const { side, price, size, timestampMs } = change
      const isContinued = isOfSameMessage(before, change)
      this.#keep(token, { kind: 'level', ...moment, side, price, size, timestampMs, isContinued })
      metrics.levels.inc()
    }
  }

  #keep(token: TokenRecording, change: RecordedChange): void {
    token.add(change)
    this.#held += countKept(change)
  }

  /** From here on there is no hole. */
  #begin(token: TokenRecording, moment: Moment, isKeyframe: boolean): void {
    token.session = { tokenId: token.tokenId, fromMs: moment.atMs, toMs: undefined }
    this.#sessions.add(token.session)
    this.#takeWhole(token, moment, isKeyframe)
  }

  #end(token: TokenRecording, toMs: number, reason: string): void {
    if (token.session === undefined) return
    token.session.toMs = Math.max(toMs, token.session.fromMs)
    this.#sessions.add(token.session)
    token.session = undefined
    this.#options.metrics.gaps.inc({ reason })
  }

  #takeWhole(token: TokenRecording, moment: Moment, isKeyframe: boolean): void {
    const book = this.#options.books.get(token.tokenId)
    if (book === undefined) return
    if (token.conditionId !== book.conditionId) {
      token.conditionId = book.conditionId
      // It may have got a number before the exchange said of which condition it is.
      this.#ids.delete(token.tokenId)
    }
    const whole = copyBook(book)
    const before = token.begin(moment, whole, isKeyframe)
    if (before !== undefined) this.#strips.push(before)
    this.#held += 1 + whole.bids.length + whole.asks.length
  }

  /** Returns whether it took the book. */
  #takeWholeIfDue(token: TokenRecording): boolean {
    if (token.session === undefined) {
      if (this.#options.books.get(token.tokenId)?.state !== 'live') return false
      this.#begin(token, this.#next(), true)
    } else if (token.needsWhole(this.#last.atMs)) this.#takeWhole(token, this.#next(), true)
    else return false
    return true
  }

  /** What no change of a book brings up: books that were live before, those of a new hour, and those that are over. */
  #checkBooks(): void {
    const { wanted } = this.#options
    this.#advance()
    let left = this.#limits.wholesMax
    for (const tokenId of wanted.tokens) {
      if (left === 0) break
      const token = this.#find(tokenId)
      if (token !== undefined && this.#takeWholeIfDue(token)) left -= 1
    }
    this.#drop([...this.#tokens.keys()].filter((tokenId) => !wanted.tokens.has(tokenId)))
  }

  /** These are not recorded any more. */
  #drop(tokenIds: readonly string[]): void {
    for (const tokenId of tokenIds) {
      const token = this.#tokens.get(tokenId)
      if (token === undefined) continue
      this.#end(token, this.#advance(), 'not followed')
      const strip = token.take()
      if (strip !== undefined) this.#strips.push(strip)
      this.#tokens.delete(tokenId)
    }
  }

  /** Returns the time of receipt, which stays where it is while the clock of the process is set back. */
  #advance(): number {
    const nowMs = this.#options.clock.now()
    if (nowMs > this.#last.atMs) this.#last = { atMs: nowMs, ordinal: -1 }
    return this.#last.atMs
  }

  #next(): Moment {
    this.#last = { atMs: this.#last.atMs, ordinal: this.#last.ordinal + 1 }
    return this.#last
  }

  /** Tries again while the database is away. */
  async #flush(recording: number, signal: AbortSignal): Promise<void> {
    const batch = this.#takeBatch()
    const { store, metrics, clock } = this.#options
    const held = this.#held
    for (;;) {
      if (this.#isOverfull) throw new Error('the database was away for too long: recorded changes are lost')
      try {
        await this.#write(store.sql, recording, batch)
        break
      } catch (error) {
        if (!isOutage(error)) throw error
        if (signal.aborted) return
        await pause(this.#limits.flushMs, signal)
      }
    }
    this.#held -= held
    metrics.lag.set(Math.max(0, clock.now() - batch.untilMs) / 1_000)
  }

  #takeBatch(): Batch {
    const untilMs = this.#advance()
    const strips = this.#strips
    for (const token of this.#tokens.values()) {
      const strip = token.take()
      if (strip !== undefined) strips.push(strip)
    }
    const sessions = [...this.#sessions].map((session) => ({ ...session }))
    this.#strips = []
    this.#sessions = new Set()
    return { strips, sessions, untilMs }
  }

  async #write(sql: Pool, recording: number, { strips, sessions, untilMs }: Batch): Promise<void> {
    const ids = await this.#number(sql, [...strips, ...sessions])
    const rows: StoredStrip[] = []
    for (const [index, strip] of strips.entries()) {
      if (index % ENCODED_MAX === ENCODED_MAX - 1) await new Promise(setImmediate)
      rows.push(this.#toRow(strip, numberOf(ids, strip), recording))
    }
    const spans = sessions.map((session) => {
      const { fromMs, toMs } = session
      return { token: numberOf(ids, session), recording, fromMs, toMs }
    })
    await transact(sql, async (tx) => {
      if (rows.length > 0) await insertStrips(tx, 'book_tail', rows)
      if (spans.length > 0) await upsertSessions(tx, keepLast(spans))
      await updateRecordedUntil(tx, recording, untilMs)
    })
  }

  #toRow({ changes, hour, isWhole }: OpenStrip, token: number, recording: number): StoredStrip {
    const first = changes[0]
    const last = changes.at(-1)
    return {
      token,
      recording,
      fromMs: first?.atMs ?? 0,
      fromPlace: first?.ordinal ?? 0,
      toMs: last?.atMs ?? 0,
      toPlace: last?.ordinal ?? 0,
      hour,
      isWhole,
      changes: changes.length,
      bytes: wrapStrip(this.#encoder.encode(changes)),
    }
  }

  /** The numbers that tokens have in the database; new ones get one. */
  async #number(sql: Pool, of: readonly { tokenId: string }[]): Promise<Map<string, number>> {
    const tokenIds = [...new Set(of.map(({ tokenId }) => tokenId))]
    const unknown = tokenIds.filter((tokenId) => !this.#ids.has(tokenId))
    if (unknown.length > 0) {
      const tokens = unknown.map((tokenId) => ({
        token: parseTokenId(tokenId) ?? '',
        condition: this.#tokens.get(tokenId)?.conditionId,
      }))
      const numbers = await ensureBookTokens(sql, tokens)
      for (const [index, tokenId] of unknown.entries()) this.#ids.set(tokenId, numbers[index] ?? 0)
    }
    const ids = new Map(tokenIds.map((tokenId) => [tokenId, this.#ids.get(tokenId) ?? 0]))
    if (this.#ids.size > this.#tokens.size + FORGOTTEN_MAX) {
      for (const tokenId of this.#ids.keys()) if (!this.#tokens.has(tokenId)) this.#ids.delete(tokenId)
    }
    return ids
  }

  #clear(): void {
    this.#tokens.clear()
    this.#ids.clear()
    this.#strips = []
    this.#sessions.clear()
    this.#held = 0
    this.#isOverfull = false
  }
}

/** Whether one message of the exchange has both levels: they name the best prices after all of it. */
function isOfSameMessage(before: BookChange | undefined, change: BookChange): boolean {
  return (
    before?.kind === 'level' &&
    change.kind === 'level' &&
    before.bestBid === change.bestBid &&
    before.bestAsk === change.bestAsk &&
    before.timestampMs === change.timestampMs
  )
}

function numberOf(ids: ReadonlyMap<string, number>, { tokenId }: { tokenId: string }): number {
  const id = ids.get(tokenId)
  assert(id !== undefined && id > 0, 'a token that is written has a number')
  return id
}

/** A session that ended in the millisecond in which another one of its token began is empty. */
const keepLast = <Session extends { token: number; fromMs: number }>(
  sessions: readonly Session[],
): Session[] => [
  ...new Map(sessions.map((session) => [`${session.token} ${session.fromMs}`, session])).values(),
]
