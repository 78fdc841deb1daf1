import { constants } from 'node:zlib'
import type { Bus } from '../bus/bus.js'
import { BusEvent, type EventDraft } from '../bus/event.js'
import type { Clock } from '../core/clock.js'
import { deflateText, inflateText } from '../lib/raw-deflate.js'
import type { Pool, Sql } from '../store/connection.js'
import {
  deleteEventRows,
  hasEventRow,
  insertEventRow,
  selectEventRows,
  selectLogEnds,
  selectPublishedAfter,
  selectSeqAt,
  selectSeqBefore,
} from './queries.js'

/**
 * How a client that has seen everything up to a number can go on.
 * - `exact`: with everything that was published after it.
 * - `confirmed`: the service was restarted since, so pending events may be missing.
 * - `gap`: the log does not reach back to it, or the number is none of this database.
 */
export type Resumption = 'exact' | 'confirmed' | 'gap'

const DAY_MS = 24 * 60 * 60_000
/** How far back clients resume. Replays reach as far as rows are kept. */
const RESUMED_MS = DAY_MS
/** What the bus buffers is read back into it at the start. */
const BUFFERED_MS = 5 * 60_000
const EVENTS_PER_ROW = 500
const ROWS_PER_READ = 4
/** Pending events that wait for the next block; more are not stored. */
const UNSAVED_MAX = 20_000

type EventLogOptions = {
  store: { readonly sql: Pool }
  bus: Bus
  clock: Clock
  /** After which events are deleted; absent: a day. */
  keepDays?: number | undefined
}

/**
 * The published events of the chain in the database. The process that books the chain writes them,
 * confirmed ones in the transaction of their block and pending ones with the next block; all others
 * read them from here into their bus.
 */
export class EventLog {
  readonly #store: { readonly sql: Pool }
  readonly #bus: Bus
  readonly #clock: Clock
  readonly #keepMs: number
  /** Published and not stored yet. */
  #unsaved: BusEvent[] = []
  /** The number above which this process stores everything; `undefined`: it does not write. */
  #session: number | undefined
  /** There are events in the log that those to come follow. */
  #isContinued = false
  /** The bus has what was published before this process began. */
  #isLoaded = false

  constructor({ store, bus, clock, keepDays = 1 }: EventLogOptions) {
    this.#store = store
    this.#bus = bus
    this.#clock = clock
    this.#keepMs = keepDays * DAY_MS
    bus.subscribe((events) => this.#gather(events))
  }

  /** Stores events in the transaction that they belong to, after the pending ones published before. */
  async insert(tx: Sql, events: readonly BusEvent[]): Promise<void> {
    const all = [...this.#unsaved, ...events]
    // Far below the head commits do not wait for the disk. What clients have seen must not be lost with it.
    await tx`set local synchronous_commit = on`
    for (let from = 0; from < all.length; from += EVENTS_PER_ROW) {
      await insertEventRow(tx, await this.#toRow(all.slice(from, from + EVENTS_PER_ROW)))
    }
  }

  /** To be called when the transaction has committed: what it stored is not stored again. */
  noteStored(lastSeq: number): void {
    this.#isContinued = true
    this.#unsaved = this.#unsaved.filter(({ seq }) => seq > lastSeq)
  }

  /** Whether the transaction whose last event this is has committed. */
  async has(sql: Sql, lastSeq: number): Promise<boolean> {
    return await hasEventRow(sql, lastSeq)
  }

  /** Begins to write, or goes on: the numbers of this process are above all that are stored. */
  async lead(sql: Sql): Promise<void> {
    await this.deleteOld(sql)
    const { lastSeq, session } = await this.#catchUp(sql)
    this.#isContinued = lastSeq > 0
    // Another process may have written meanwhile.
    if (this.#session !== undefined && session <= this.#session) return
    // It may have published pending events that it did not store.
    this.#bus.numberFromNow()
    this.#session = this.#bus.lastSeq
  }

  /**
   * How old a block may be whose events are published. A log that goes on after an outage gets all of
   * them, or clients that resume would miss some; a new one begins with what the bus buffers.
   */
  get reachMs(): number {
    return this.#isContinued ? RESUMED_MS : BUFFERED_MS
  }

  /** Another process may write from now on. */
  follow(): void {
    this.#session = undefined
    this.#unsaved = []
  }

  /** Whether this process writes the log, and so publishes the events itself. */
  get isWriting(): boolean {
    return this.#session !== undefined
  }

  /** Whether the bus has what was published before this process began. */
  get isLoaded(): boolean {
    return this.#isLoaded
  }

  /** Fills the bus, unless that was done: replays would find it empty. */
  async load(): Promise<void> {
    if (!this.#isLoaded) await this.#catchUp(this.#store.sql)
  }

  /** Reads what another process has stored into the bus. Does nothing while this process writes. */
  async sync(): Promise<void> {
    if (this.#session === undefined) await this.#catchUp(this.#store.sql)
  }

  async check(seq: number): Promise<Resumption> {
    if (seq > this.#bus.lastSeq) {
      // The process that writes publishes pending events before they are stored.
      const isOfWriter = this.#session === undefined && this.#bus.canExist(seq)
      return isOfWriter ? 'confirmed' : 'gap'
    }
    const { session, deletedSeq } = await selectLogEnds(this.#store.sql)
    if (seq < deletedSeq || (await this.#isTooOld(seq))) return 'gap'
    return seq <= (this.#session ?? session) ? 'confirmed' : 'exact'
  }

  /** Stored events with a higher number, oldest first, in pages. Ends after the newest one. */
  async *read(afterSeq: number, sql: Sql = this.#store.sql): AsyncGenerator<readonly BusEvent[]> {
    for (let seq = afterSeq; ; ) {
      const rows = await selectEventRows(sql, seq, ROWS_PER_READ)
      for (const row of rows) {
        const events = (await decode(row.events)).filter((event) => event.seq > seq)
        seq = events.at(-1)?.seq ?? seq
        if (events.length > 0) yield events
      }
      if (rows.length < ROWS_PER_READ) return
    }
  }

  /** Stored events that were published in a range of times, oldest first, in pages. */
  async *readBetween(fromMs: number, toMs: number, sql: Sql): AsyncGenerator<readonly BusEvent[]> {
    const afterSeq = await selectSeqAt(sql, fromMs)
    if (afterSeq === undefined) return
    for await (const events of this.read(afterSeq, sql)) {
      yield events.filter(({ publishedMs }) => publishedMs >= fromMs && publishedMs < toMs)
      if ((events.at(-1)?.publishedMs ?? 0) >= toMs) return
    }
  }

  async deleteOld(sql: Sql = this.#store.sql): Promise<void> {
    await deleteEventRows(sql, this.#clock.now() - this.#keepMs)
  }

  /** Whether the first event after this one is older than clients may resume. */
  async #isTooOld(seq: number): Promise<boolean> {
    if (this.#keepMs <= RESUMED_MS) return false
    const nextMs = await selectPublishedAfter(this.#store.sql, seq)
    return nextMs !== undefined && nextMs < this.#clock.now() - RESUMED_MS
  }

  /** The first time what the bus buffers; then all that is new, or clients that are connected would miss some. */
  async #catchUp(sql: Sql) {
    const session = this.#session
    const bufferedSeq = this.#isLoaded ? 0 : await selectSeqBefore(sql, this.#clock.now() - BUFFERED_MS)
    const ends = await selectLogEnds(sql)
    const afterSeq = Math.min(Math.max(this.#bus.publishedSeq, bufferedSeq), ends.lastSeq)
    for await (const events of this.read(afterSeq, sql)) {
      // This process has begun to write: what comes now it publishes itself.
      if (this.#session !== session) break
      this.#bus.restore(events)
    }
    this.#bus.numberFrom(ends.lastSeq)
    this.#isLoaded = true
    return ends
  }

  #gather(events: readonly BusEvent[]): void {
    if (this.#session === undefined) return
    for (const event of events) if (event.keys.status === 'pending') this.#unsaved.push(event)
    const lost = this.#unsaved.splice(0, Math.max(0, this.#unsaved.length - UNSAVED_MAX)).at(-1)
    // The answer to clients that resume at or below it says that pending events may be missing.
    if (lost !== undefined) this.#session = lost.seq
  }

  async #toRow(events: readonly BusEvent[]) {
    return {
      firstSeq: events[0]?.seq ?? 0,
      lastSeq: events.at(-1)?.seq ?? 0,
      session: this.#session ?? 0,
      publishedMs: events.at(-1)?.publishedMs ?? 0,
      events: await encode(events),
    }
  }
}

type StoredEvent = EventDraft & Pick<BusEvent, 'seq' | 'publishedMs'>

const encode = (events: readonly BusEvent[]): Promise<Buffer> =>
  deflateText(writeEvents(events), constants.Z_BEST_SPEED)

const decode = async (bytes: Buffer): Promise<BusEvent[]> => readEvents(await inflateText(bytes))

/** Events with their numbers as text, for other processes; `readEvents` makes them again. */
export const writeEvents = (events: readonly BusEvent[]): string =>
  JSON.stringify(events.map(({ seq, publishedMs, draft }): StoredEvent => ({ seq, publishedMs, ...draft })))

export function readEvents(text: string): BusEvent[] {
  const stored: StoredEvent[] = JSON.parse(text)
  return stored.map(({ seq, publishedMs, ...draft }) => new BusEvent(draft, seq, publishedMs))
}
