import type { Clock } from '../core/clock.js'
import type { Log } from '../lib/log.js'
import { BusEvent, type EventDraft } from './event.js'
import { RecentEvents, type RecentLimits } from './recent-events.js'

export type BusOptions = { clock: Clock; log: Log } & Partial<RecentLimits>

/**
 * Receives the events in batches, in order, each once. It is called while the publisher waits, so it
 * may only select and queue what it wants. What it throws is logged; other listeners and the publisher
 * do not notice. `afterSeq`: the number up to which all events were handed on, or are over, before these.
 */
type BusListener = (events: readonly BusEvent[], afterSeq: number) => void

/** `limit`: how many of the newest. */
type Replay = ({ sinceMs: number } | { afterSeq: number }) & { limit?: number | undefined }

/** Events that have their numbers and wait for a commit. One of the three has to be called, once. */
export type Reservation = {
  events: readonly BusEvent[]
  publish(): void
  cancel(): void
  /** Another process numbers events now: what waits is dropped. */
  abandon(): void
}

const LIMITS = { keepMs: 5 * 60_000, bytesMax: 256 * 1024 * 1024, countMax: 1_000_000 }
/** Numbers start at the time of the start times this: no process publishes a thousand events a millisecond. */
const SEQ_PER_MS = 1_000
/** What is published after a reservation waits, up to this many events; then the oldest are dropped. */
const WAITING_MAX = 10_000
/** A listener whose call takes longer is named in the log, once. */
const SLOW_MS = 50

type Subscription = { listener: BusListener; isOpen: boolean; wasSlow: boolean }
type Delivery = { events: readonly BusEvent[]; afterSeq: number; to: readonly Subscription[] }

/**
 * Carries events from publishers to listeners inside one process, and buffers the last minutes for
 * replay. All calls are synchronous: a listener that subscribes and then replays, without an `await`
 * in between, misses no event and receives none twice.
 */
export class Bus {
  readonly #clock: Clock
  readonly #log: Log
  readonly #limits: RecentLimits
  #recent: RecentEvents
  /** Replaced, never mutated: a batch goes to those that were subscribed when it was published. */
  #subscriptions: readonly Subscription[] = []
  readonly #deliveries: Delivery[] = []
  #isDelivering = false
  #lastSeq: number
  #publishedSeq = 0
  /** What is to be published when the open reservation ends; `undefined`: none is open. */
  #waiting: EventDraft[] | undefined
  #processed = 0

  constructor({ clock, log, ...limits }: BusOptions) {
    this.#clock = clock
    this.#log = log
    this.#limits = { ...LIMITS, ...limits }
    this.#recent = new RecentEvents(this.#limits)
    this.#lastSeq = clock.now() * SEQ_PER_MS
  }

  /** A batch that a listener publishes is delivered after all listeners have the current one. */
  publish(drafts: readonly EventDraft[]): void {
    if (drafts.length === 0) return
    if (this.#waiting === undefined) this.#hand(this.#number(drafts))
    else this.#waiting = [...this.#waiting, ...drafts].slice(-WAITING_MAX)
  }

  /**
   * Numbers events that are published after a commit. What others publish meanwhile waits for
   * them, so that all events are delivered in the order of their numbers.
   */
  reserve(drafts: readonly EventDraft[]): Reservation {
    const events = this.#number(drafts)
    this.#waiting ??= []
    const release = () => {
      const waiting = this.#waiting ?? []
      this.#waiting = undefined
      this.publish(waiting)
    }
    return {
      events,
      publish: () => {
        this.#hand(events)
        release()
      },
      cancel: release,
      abandon: () => {
        this.#waiting = undefined
      },
    }
  }

  /** Events that this or another process has numbered, all above those that are here. Earlier ones are left out. */
  restore(events: readonly BusEvent[]): void {
    const later = events.filter(({ seq }) => seq > this.#publishedSeq)
    this.numberFrom(later.at(-1)?.seq ?? 0)
    if (later.length > 0) this.#hand(later)
  }

  /**
   * Events of the past, as a replay hands them on. Numbers that go back, as after a seek or where another process
   * published, begin a new buffer.
   */
  play(event: BusEvent): void {
    if (event.seq <= this.#publishedSeq) this.#recent = new RecentEvents(this.#limits)
    this.#hand([event])
  }

  /** Events up to this number are over: those to come get higher ones. */
  numberFrom(seq: number): void {
    this.#lastSeq = Math.max(this.#lastSeq, seq)
    this.#publishedSeq = Math.max(this.#publishedSeq, seq)
  }

  /** Events to come get higher numbers than all that other processes have used by now. */
  numberFromNow(): void {
    this.#lastSeq = Math.max(this.#lastSeq, this.#clock.now() * SEQ_PER_MS)
  }

  /** Whether a process may have used this number by now. */
  canExist(seq: number): boolean {
    return seq <= this.#clock.now() * SEQ_PER_MS
  }

  /** Returns the function that unsubscribes. */
  subscribe(listener: BusListener): () => void {
    const subscription: Subscription = { listener, isOpen: true, wasSlow: false }
    this.#subscriptions = [...this.#subscriptions, subscription]
    return () => {
      subscription.isOpen = false
      this.#subscriptions = this.#subscriptions.filter((other) => other !== subscription)
    }
  }

  /** Buffered events with a higher seq, or with a later timestamp, in the order of publishing. */
  replay(from: Replay): BusEvent[] {
    this.#recent.trim(this.#clock.now())
    const events = 'afterSeq' in from ? this.#recent.after(from.afterSeq) : this.#recent.since(from.sinceMs)
    return from.limit === undefined ? events : events.slice(Math.max(0, events.length - from.limit))
  }

  /** The next buffered events after a number, oldest first: for readers that take the past in steps. */
  page(afterSeq: number, countMax: number): BusEvent[] {
    this.#recent.trim(this.#clock.now())
    return this.#recent.after(afterSeq, countMax)
  }

  /** The last buffered events before a number, oldest first: for readers that go back in steps. */
  pageBefore(seq: number, countMax: number): BusEvent[] {
    this.#recent.trim(this.#clock.now())
    return this.#recent.before(seq, countMax)
  }

  /** How many events of a type are in the buffer. */
  countBuffered(type: string): number {
    this.#recent.trim(this.#clock.now())
    return this.#recent.countOf(type)
  }

  /** Events up to this number were handed to the listeners; those above it will be. */
  get publishedSeq(): number {
    return this.#publishedSeq
  }

  /** The highest number that was used. */
  get lastSeq(): number {
    return this.#lastSeq
  }

  /** Of the oldest buffered event; `undefined`: the buffer is empty. */
  get oldestSeq(): number | undefined {
    this.#recent.trim(this.#clock.now())
    return this.#recent.oldest?.seq
  }

  get status() {
    this.#recent.trim(this.#clock.now())
    return {
      eventsBuffered: this.#recent.count,
      eventStoreBytes: this.#recent.bytes,
      eventsProcessed: this.#processed,
      /** Removed before `keepMs` was over, because a memory limit was reached. */
      eventsDropped: this.#recent.dropped,
      /** When the oldest buffered event was published; `undefined`: the buffer is empty. */
      keptFromMs: this.#recent.oldest?.publishedMs,
    }
  }

  #number(drafts: readonly EventDraft[]): BusEvent[] {
    const nowMs = this.#clock.now()
    return drafts.map((draft) => new BusEvent(draft, ++this.#lastSeq, nowMs))
  }

  #hand(events: readonly BusEvent[]): void {
    for (const event of events) this.#recent.add(event)
    const afterSeq = this.#publishedSeq
    this.#publishedSeq = events.at(-1)?.seq ?? this.#publishedSeq
    this.#recent.trim(this.#clock.now())
    this.#processed += events.length
    this.#deliveries.push({ events, afterSeq, to: this.#subscriptions })
    if (!this.#isDelivering) this.#deliver()
  }

  #deliver(): void {
    this.#isDelivering = true
    for (;;) {
      const delivery = this.#deliveries.shift()
      if (delivery === undefined) break
      for (const subscription of delivery.to) {
        if (subscription.isOpen) this.#call(subscription, delivery)
      }
    }
    this.#isDelivering = false
  }

  #call(subscription: Subscription, { events, afterSeq }: Delivery): void {
    const startMs = performance.now()
    try {
      subscription.listener(events, afterSeq)
    } catch (error) {
      this.#log.error({ err: error }, 'bus listener failed')
    }
    const tookMs = Math.round(performance.now() - startMs)
    if (tookMs < SLOW_MS || subscription.wasSlow) return
    subscription.wasSlow = true
    this.#log.warn({ listener: subscription.listener.name, tookMs }, 'bus listener is slow')
  }
}
