import type { Clock } from '../core/clock.js'
import type { Log } from '../lib/log.js'
import { BusEvent, type EventDraft } from './event.js'
import { RecentEvents, type RecentLimits } from './recent-events.js'

export type BusOptions = { clock: Clock; log: Log } & Partial<RecentLimits>

/**
 * Receives the events in batches, in order, each once. It is called while the publisher waits, so it
 * may only select and queue what it wants. What it throws is logged; other listeners and the publisher
 * do not notice.
 */
type BusListener = (events: readonly BusEvent[]) => void

/** `limit`: the newest so many. */
type Replay = ({ sinceMs: number } | { afterId: number }) & { limit?: number | undefined }

const LIMITS = { keepMs: 5 * 60_000, bytesMax: 256 * 1024 * 1024, countMax: 1_000_000 }
/** Ids start at the time of the start times this: no process publishes a thousand events a millisecond. */
const IDS_PER_MS = 1_000
/** A listener whose call takes longer is named in the log, once. */
const SLOW_MS = 50

type Subscription = { listener: BusListener; isOpen: boolean; wasSlow: boolean }
type Delivery = { events: readonly BusEvent[]; to: readonly Subscription[] }

/**
 * Carries events from publishers to listeners inside one process, and buffers the last minutes for
 * replay. All calls are synchronous: a listener that subscribes and then replays, without an `await`
 * in between, misses no event and receives none twice.
 */
export class Bus {
  readonly #clock: Clock
  readonly #log: Log
  readonly #recent: RecentEvents
  /** Replaced, never mutated: a batch goes to those that were subscribed when it was published. */
  #subscriptions: readonly Subscription[] = []
  readonly #deliveries: Delivery[] = []
  #isDelivering = false
  #lastId: number
  #processed = 0

  constructor({ clock, log, ...limits }: BusOptions) {
    this.#clock = clock
    this.#log = log
    this.#recent = new RecentEvents({ ...LIMITS, ...limits })
    this.#lastId = clock.now() * IDS_PER_MS
  }

  /** A batch that a listener publishes is delivered after all listeners have the current one. */
  publish(drafts: readonly EventDraft[]): void {
    if (drafts.length === 0) return
    const nowMs = this.#clock.now()
    const events = drafts.map((draft) => new BusEvent(draft, ++this.#lastId, nowMs))
    for (const event of events) this.#recent.add(event)
    this.#recent.trim(nowMs)
    this.#processed += events.length
    this.#deliveries.push({ events, to: this.#subscriptions })
    if (!this.#isDelivering) this.#deliver()
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

  /** Buffered events with a later id, or with a later timestamp, in the order of publishing. */
  replay(from: Replay): BusEvent[] {
    this.#recent.trim(this.#clock.now())
    const events =
      'afterId' in from ? this.#recent.after(from.afterId) : this.#recent.since(from.sinceMs)
    return from.limit === undefined ? events : events.slice(Math.max(0, events.length - from.limit))
  }

  /** How many events of a type are in the buffer. */
  countBuffered(type: string): number {
    this.#recent.trim(this.#clock.now())
    return this.#recent.countOf(type)
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

  #deliver(): void {
    this.#isDelivering = true
    for (;;) {
      const delivery = this.#deliveries.shift()
      if (delivery === undefined) break
      for (const subscription of delivery.to) {
        if (subscription.isOpen) this.#call(subscription, delivery.events)
      }
    }
    this.#isDelivering = false
  }

  #call(subscription: Subscription, events: readonly BusEvent[]): void {
    const startMs = performance.now()
    try {
      subscription.listener(events)
    } catch (error) {
      this.#log.error({ err: error }, 'bus listener failed')
    }
    const tookMs = Math.round(performance.now() - startMs)
    if (tookMs < SLOW_MS || subscription.wasSlow) return
    subscription.wasSlow = true
    this.#log.warn({ listener: subscription.listener.name, tookMs }, 'bus listener is slow')
  }
}
