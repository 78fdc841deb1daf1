import { constants } from 'node:zlib'
import type { Bus } from '../bus/bus.js'
import { BusEvent, type EventDraft } from '../bus/event.js'
import { deflateText, inflateText } from '../lib/raw-deflate.js'
import { pause } from '../lib/timing.js'
import type { Pool, Sql } from '../store/connection.js'
import { deleteReplayRows, insertReplayRow, selectReplayRowAt, selectReplayRows } from './queries.js'
import type { BusName, ReplayEvent } from './replay-event.js'

/** What waits to be stored: more than an hour of it is dropped, as when the database is away. */
const UNSAVED_MAX = 100_000
const EVENTS_PER_ROW = 500
const ROWS_PER_READ = 4
/** What a kill of the process takes with it. */
const SAVE_MS = 2_000

type RecordOptions = { store: { readonly sql: Pool }; bus: Bus; priceBus: Bus; scoreBus: Bus }

type StoredEvent = EventDraft & Pick<BusEvent, 'seq' | 'publishedMs'> & { bus: BusName; after: number }

/**
 * Coin prices and scores as one process published them, each with the number of the last event of the chain before it: with
 * the log of events this is the order in which a live socket of that process was sent all of them. Every process hears prices
 * and scores by itself and numbers them by itself; the others sent the same ones a moment earlier or later.
 */
export class EventRecord {
  readonly #options: RecordOptions
  #unsaved: StoredEvent[] = []
  #stopListening: (() => void) | undefined

  constructor(options: RecordOptions) {
    this.#options = options
  }

  /** Gathers and stores until the signal aborts. It gathers on where it throws, because the database is away. */
  async run(signal: AbortSignal): Promise<void> {
    this.#stopListening ??= this.listen()
    try {
      while (!signal.aborted) {
        await pause(SAVE_MS, signal)
        await this.save()
      }
    } finally {
      if (signal.aborted) {
        this.#stopListening()
        this.#stopListening = undefined
      }
    }
  }

  /** Gathers what is published from now on. Returns the function that ends it. */
  listen(): () => void {
    const { bus, priceBus, scoreBus } = this.#options
    const gather = (name: BusName) => (events: readonly BusEvent[]) => {
      for (const { seq, publishedMs, draft } of events)
        this.#unsaved.push({ bus: name, after: bus.publishedSeq, seq, publishedMs, ...draft })
      this.#unsaved.splice(0, Math.max(0, this.#unsaved.length - UNSAVED_MAX))
    }
    const stops = [priceBus.subscribe(gather('prices')), scoreBus.subscribe(gather('scores'))]
    return () => {
      for (const stop of stops) stop()
    }
  }

  /** Stores what was gathered. What a failed write was to store waits for the next one. */
  async save(): Promise<void> {
    for (;;) {
      const row = this.#unsaved.slice(0, EVENTS_PER_ROW)
      const last = row.at(-1)
      if (last === undefined) return
      await insertReplayRow(this.#options.store.sql, await toRow(row))
      this.#unsaved.splice(0, this.#unsaved.indexOf(last) + 1)
    }
  }

  async deleteBefore(beforeMs: number): Promise<void> {
    await deleteReplayRows(this.#options.store.sql, beforeMs)
  }
}

/** Coin prices and scores that were published in a range of times, oldest first, in pages. */
export async function* readEventRecord(
  sql: Sql,
  { fromMs, toMs }: { fromMs: number; toMs: number },
): AsyncGenerator<readonly ReplayEvent[]> {
  const firstId = await selectReplayRowAt(sql, fromMs)
  if (firstId === undefined) return
  for (let afterId = firstId - 1; ; ) {
    const rows = await selectReplayRows(sql, afterId, ROWS_PER_READ)
    for (const { id, firstMs, events } of rows) {
      if (Number(firstMs) >= toMs) return
      afterId = Number(id)
      const recorded = await decode(events)
      yield recorded.filter(({ event }) => event.publishedMs >= fromMs && event.publishedMs < toMs)
    }
    if (rows.length < ROWS_PER_READ) return
  }
}

const toRow = async (events: readonly StoredEvent[]) => ({
  firstMs: events[0]?.publishedMs ?? 0,
  lastMs: events.at(-1)?.publishedMs ?? 0,
  events: await deflateText(JSON.stringify(events), constants.Z_DEFAULT_COMPRESSION),
})

async function decode(bytes: Buffer): Promise<ReplayEvent[]> {
  const stored: StoredEvent[] = JSON.parse(await inflateText(bytes))
  return stored.map(({ bus, after, seq, publishedMs, ...draft }) => ({
    bus,
    chainSeq: after,
    event: new BusEvent(draft, seq, publishedMs),
  }))
}
