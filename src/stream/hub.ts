import { Gauge } from 'prom-client'
import type { BusEvent } from '../bus/event.js'
import { meterOf } from '../events/registry.js'
import { FairSemaphore } from '../lib/fair-semaphore.js'
import type { Connection } from './connection.js'
import type { StreamDeps } from './deps.js'
import { SharedFrame } from './fast/shared-frame.js'
import type { FilteredEvent } from './subscriptions/event-filter.js'
import type { PriceSelection } from './subscriptions/subscribe-request.js'
import { SubscriptionIndex } from './subscriptions/subscription-index.js'

/** Filter values of all connections of this process, at some 80 to 160 bytes each. */
const ITEMS_MAX = 2_000_000
/** Of one account, so that others find place too. */
const ITEMS_PER_ACCOUNT_MAX = 500_000

type HubDependencies = Pick<StreamDeps, 'bus' | 'priceBus' | 'scoreBus' | 'metrics'>

/** Hands every published event to the connections that asked for it, as one frame for all. */
export class StreamHub {
  readonly events = new SubscriptionIndex<Connection>()
  readonly prices = new PriceReceivers<Connection>()
  readonly scores = new SubscriptionIndex<Connection>()
  readonly resumptions = new FairSemaphore()
  #items = 0
  readonly #itemsByAccount = new Map<number, number>()
  readonly #stops: readonly (() => void)[]

  constructor({ bus, priceBus, scoreBus, metrics }: HubDependencies) {
    this.#stops = [
      bus.subscribe((events) => deliver(events, this.events)),
      priceBus.subscribe((events) => deliver(events, this.prices)),
      scoreBus.subscribe((events) => deliver(events, this.scores)),
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
}

type Receivers = { readonly size: number; match(event: BusEvent): Iterable<Connection> }

function deliver(events: readonly BusEvent[], receivers: Receivers): void {
  if (receivers.size === 0) return
  for (const event of events) {
    let frame: SharedFrame | undefined
    for (const connection of receivers.match(event)) {
      frame ??= new SharedFrame(event.text, meterOf(event.type))
      connection.push(frame)
    }
  }
}

/** Who receives which coin prices. Each receiver has one selection: a new one takes its place. */
class PriceReceivers<Receiver extends object> {
  readonly #selections = new Map<Receiver, PriceSelection>()
  readonly #receivers = new Map<string, Set<Receiver>>()

  get size(): number {
    return this.#selections.size
  }

  set(receiver: Receiver, selection: PriceSelection): void {
    this.delete(receiver)
    this.#selections.set(receiver, selection)
    for (const key of keysOf(selection)) {
      const receivers = this.#receivers.get(key) ?? new Set()
      this.#receivers.set(key, receivers.add(receiver))
    }
  }

  delete(receiver: Receiver): void {
    const selection = this.#selections.get(receiver)
    if (selection === undefined) return
    this.#selections.delete(receiver)
    for (const key of keysOf(selection)) this.#receivers.get(key)?.delete(receiver)
  }

  match({ keys: { feed, priceSource } }: FilteredEvent): Iterable<Receiver> {
    return this.#receivers.get(`${feed} ${priceSource}`) ?? []
  }
}

const keysOf = ({ feeds, sources }: PriceSelection): string[] =>
  [...feeds].flatMap((feed) => [...sources].map((source) => `${feed} ${source}`))
