import { Gauge } from 'prom-client'
import type { BusEvent } from '../bus/event.js'
import { FairSemaphore } from '../lib/fair-semaphore.js'
import type { Connection } from './connection.js'
import type { StreamDeps } from './deps.js'
import { meterOf } from './events/replay-frames.js'
import { SharedFrame } from './fast/shared-frame.js'
import { PriceReceivers } from './subscriptions/price-receivers.js'
import { SubscriptionIndex } from './subscriptions/subscription-index.js'

/** Filter values of all connections of this process, at some 80 to 160 bytes each. */
const ITEMS_MAX = 2_000_000
/** Of one account, so that others find place too. */
const ITEMS_PER_ACCOUNT_MAX = 500_000

type HubParts = Pick<StreamDeps, 'bus' | 'priceBus' | 'scoreBus' | 'metrics'>

/** Hands every published event to the connections that asked for it, as one frame for all. */
export class StreamHub {
  readonly events = new SubscriptionIndex<Connection>()
  readonly prices = new PriceReceivers<Connection>()
  readonly scores = new SubscriptionIndex<Connection>()
  readonly resumptions = new FairSemaphore()
  #items = 0
  readonly #itemsByAccount = new Map<number, number>()
  readonly #stops: readonly (() => void)[]

  constructor({ bus, priceBus, scoreBus, metrics }: HubParts) {
    this.#stops = [
      bus.subscribe((events) => this.#deliver(events)),
      priceBus.subscribe((events) => this.#deliverPrices(events)),
      scoreBus.subscribe((events) => this.#deliverScores(events)),
    ]
    const counts = () => ({
      filters: this.events.size + this.prices.size + this.scores.size,
      items: this.#items,
    })
    new Gauge({
      name: 'auspex_stream_subscriptions',
      help: 'Filters of all subscriptions of the event stream, and the values in them',
      labelNames: ['what'] as const,
      registers: [metrics],
      collect() {
        for (const [what, count] of Object.entries(counts())) this.set({ what }, count)
      },
    })
  }

  /** `false`: the account or this process has as many filter values as it may have. */
  takeItems(accountId: number, count: number): boolean {
    const ofAccount = (this.#itemsByAccount.get(accountId) ?? 0) + count
    if (this.#items + count > ITEMS_MAX || ofAccount > ITEMS_PER_ACCOUNT_MAX) return false
    this.#items += count
    this.#itemsByAccount.set(accountId, ofAccount)
    return true
  }

  releaseItems(accountId: number, count: number): void {
    const left = (this.#itemsByAccount.get(accountId) ?? 0) - count
    this.#items -= count
    if (left > 0) this.#itemsByAccount.set(accountId, left)
    else this.#itemsByAccount.delete(accountId)
  }

  close(): void {
    for (const stop of this.#stops) stop()
  }

  #deliver(events: readonly BusEvent[]): void {
    if (this.events.size === 0) return
    for (const event of events) push(event, this.events.match(event))
  }

  #deliverPrices(events: readonly BusEvent[]): void {
    if (this.prices.size === 0) return
    for (const event of events) push(event, this.prices.match(event))
  }

  #deliverScores(events: readonly BusEvent[]): void {
    if (this.scores.size === 0) return
    for (const event of events) push(event, this.scores.match(event))
  }
}

function push(event: BusEvent, receivers: Iterable<Connection>): void {
  let frame: SharedFrame | undefined
  for (const connection of receivers) {
    frame ??= new SharedFrame(event.text, meterOf(event))
    connection.push(frame)
  }
}
