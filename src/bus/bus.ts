import type { Clock } from '../core/clock.js'
import type { Log } from '../lib/log.js'
import { BusEvent, type EventDraft } from './event.js'
import { RecentEvents, type RecentLimits } from './recent-events.js'

export type BusOptions = { clock: Clock; log: Log } & Partial<RecentLimits>

/**
 * Gets the events in batches, in order, each once. It is called while the publisher waits, so it may
 * only sort and queue what it wants; what it throws is logged and touches nobody else.
 */
export type BusListener = (events: readonly BusEvent[]) => void

/** `limit` keeps the newest ones. */
export type Replay = ({ sinceMs: number } | { afterId: number }) & { limit?: number | undefined }

export type BusStatus = {
  eventsBuffered: number
  settlementsBuffered: number
  eventStoreBytes: number
  eventsProcessed: number
  /** Given up before their time, because memory is bounded. */
  eventsDropped: number
  /** When the oldest event that is kept was published; `undefined`: there is none. */
  keptFromMs: number | undefined
}

const KEEP_MS = 5 * 60_000
const BYTES_MAX = 256 * 1024 * 1024
const COUNT_MAX = 1_000_000
/** Ids count on from the time of the start: no process ever makes a thousand events a millisecond. */
const IDS_PER_MS = 1_000
/** A listener that takes longer than that in one call is named in the log, once. */
const SLOW_MS = 50

type Subscription = { listener: BusListener; isOpen: boolean; wasSlow: boolean }
type Delivery = { events: readonly BusEvent[]; to: readonly Subscription[] }

/**
 * Carries events from those who find out to those who tell, and keeps the last minutes for replay.
 * Everything happens at once: whoever subscribes and asks for a replay without waiting in between
 * misses nothing and gets nothing twice.
 */
export class Bus {
  readonly #clock: Clock
  readonly #log: Log
  readonly #recent: RecentEvents
  /** Replaced rather than changed: a batch goes to those who were there when it was published. */
  #subscriptions: readonly Subscription[] = []
  readonly #deliveries: Delivery[] = []
  #isDelivering = false
  #lastId: number
  #processed = 0

  constructor({ clock, log, keepMs, bytesMax, countMax }: BusOptions) {
    this.#clock = clock
    this.#log = log
    this.#recent = new RecentEvents({
      keepMs: keepMs ?? KEEP_MS,
      bytesMax: bytesMax ?? BYTES_MAX,
      countMax: countMax ?? COUNT_MAX,
    })
    this.#lastId = clock.now() * IDS_PER_MS
  }

  /** What a listener publishes in turn follows when everybody has the batch before. */
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

  /** Returns what ends it. */
  subscribe(listener: BusListener): () => void {
    const subscription: Subscription = { listener, isOpen: true, wasSlow: false }
    this.#subscriptions = [...this.#subscriptions, subscription]
    return () => {
      subscription.isOpen = false
      this.#subscriptions = this.#subscriptions.filter((other) => other !== subscription)
    }
  }

  /** Those published after that id, or with a timestamp after that time, as far as they are kept. */
  replay(from: Replay): BusEvent[] {
    this.#recent.trim(this.#clock.now())
    const events =
      'afterId' in from ? this.#recent.after(from.afterId) : this.#recent.since(from.sinceMs)
    return from.limit === undefined ? events : events.slice(Math.max(0, events.length - from.limit))
  }

  get status(): BusStatus {
    this.#recent.trim(this.#clock.now())
    return {
      eventsBuffered: this.#recent.count,
      settlementsBuffered: this.#recent.settlements,
      eventStoreBytes: this.#recent.bytes,
      eventsProcessed: this.#processed,
      eventsDropped: this.#recent.dropped,
      keptFromMs: this.#recent.oldest?.publishedMs,
    }
  }

  #deliver(): void {
    this.#isDelivering = true
    for (;;) {
      const delivery = this.#deliveries.shift()
      if (delivery === undefined) break
      for (const subscription of delivery.to) {
        if (subscription.isOpen) this.#tell(subscription, delivery.events)
      }
    }
    this.#isDelivering = false
  }

  #tell(subscription: Subscription, events: readonly BusEvent[]): void {
    const startMs = performance.now()
    try {
      subscription.listener(events)
    } catch (error) {
      this.#log.error({ err: error }, 'reader of events failed')
    }
    const tookMs = Math.round(performance.now() - startMs)
    if (tookMs < SLOW_MS || subscription.wasSlow) return
    subscription.wasSlow = true
    this.#log.warn({ listener: subscription.listener.name, tookMs }, 'reader of events is slow')
  }
}
