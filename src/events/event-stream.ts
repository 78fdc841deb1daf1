import type { Bus } from '../bus/bus.js'
import type { BusEvent } from '../bus/event.js'
import type { RedisConnection } from '../redis/connection.js'
import { addEntry, followStream, type StreamEntry } from '../redis/stream.js'
import { type EventLog, readEvents, writeEvents } from './event-log.js'

/** What was trimmed is read from the log. */
const STREAM = { name: 'events', entriesMax: 256 }
const EVENTS_PER_ENTRY = 200
/** Larger batches come after an outage: readers take them from the log. */
const EVENTS_MAX = 2_000
/** How often a writer without events says that it is there. */
export const STREAM_BEAT_MS = 500
/** A writer that is silent for longer may have lost Redis. */
const SILENCE_MS_MAX = 1_500

type EventStreamOptions = { redis: RedisConnection; bus: Bus; eventLog: EventLog }

/**
 * Carries events from the process that books the chain to all others, through a stream of Redis. The writer adds
 * them right after the commit, and pending ones when it publishes them. Each entry says which number its events
 * follow, so that a reader knows what it has missed:
 *
 *   following   each entry follows what the bus has
 *   gap         it does not: the log is read, until it has what is missing; entries that do not follow are dropped
 *   silent      the stream cannot be read, or its writer does not write: events come from the log alone
 *
 * What was dropped is in the log with the next block at the latest, pending events too.
 */
export class EventStream {
  readonly #options: EventStreamOptions
  #isOpen = false
  #hasGap = false
  #heardAt = Number.NEGATIVE_INFINITY

  constructor(options: EventStreamOptions) {
    this.#options = options
    options.bus.subscribe((events, afterSeq) => this.#send(events, afterSeq))
  }

  /** Whether events come in without a look into the log. */
  get isFollowing(): boolean {
    return this.#isOpen && !this.#hasGap && performance.now() - this.#heardAt < SILENCE_MS_MAX
  }

  /** Reads the stream until the signal aborts or Redis is lost. */
  async follow(signal: AbortSignal): Promise<void> {
    const { redis, eventLog } = this.#options
    const follower = {
      name: STREAM.name,
      onOpen: async () => {
        await eventLog.sync()
        this.#isOpen = true
      },
      onEntries: async (entries: readonly StreamEntry[]) => {
        for (const entry of entries) await this.#receive(entry)
      },
      onLost: () => {
        this.#isOpen = false
      },
    }
    await followStream(redis, follower, signal)
  }

  /** Says that the writer is there, and up to which number it has published. */
  beat(): void {
    const { bus, eventLog } = this.#options
    if (eventLog.isWriting) this.#add([], bus.publishedSeq)
  }

  #send(events: readonly BusEvent[], afterSeq: number): void {
    if (!this.#options.eventLog.isWriting || events.length > EVENTS_MAX) return
    let previousSeq = afterSeq
    for (let from = 0; from < events.length; from += EVENTS_PER_ENTRY) {
      const part = events.slice(from, from + EVENTS_PER_ENTRY)
      this.#add(part, previousSeq)
      previousSeq = part.at(-1)?.seq ?? previousSeq
    }
  }

  /** Entries arrive in the order of the calls. One that does not is a gap for the readers. */
  #add(events: readonly BusEvent[], afterSeq: number): void {
    const { redis } = this.#options
    // Not written out for a Redis that is away.
    if (redis.problem !== undefined) return
    const lastSeq = events.at(-1)?.seq ?? afterSeq
    void addEntry(redis, STREAM, ['after', afterSeq, 'last', lastSeq, 'events', writeEvents(events)])
  }

  async #receive({ after, last, events = '[]' }: StreamEntry): Promise<void> {
    const { bus, eventLog } = this.#options
    // The entries are its own, or of a process that has not noticed yet that it does not write any more.
    if (eventLog.isWriting || Number(last) < bus.publishedSeq) return
    this.#heardAt = performance.now()
    const isMissing = () => Number(after) > bus.publishedSeq || !eventLog.isLoaded
    if (isMissing() && !this.#hasGap) {
      this.#hasGap = true
      await eventLog.sync()
    }
    // This process may have begun to write while it read the log.
    if (isMissing() || eventLog.isWriting) return
    this.#hasGap = false
    bus.restore(readEvents(events))
  }
}
