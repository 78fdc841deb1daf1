import { Gauge } from 'prom-client'
import type { BusEvent } from '../bus/event.js'
import { meterOf } from '../events/registry.js'
import { FairSemaphore } from '../lib/fair-semaphore.js'
import type { StreamDeps } from './deps.js'
import { SharedFrame } from './fast/shared-frame.js'
import { SubscriptionIndex } from './subscriptions/subscription-index.js'

/** Filter values of all connections of this process, at some 80 to 160 bytes each. */
const ITEMS_MAX = 2_000_000
/** Of one account, so that there is room for others. */
const ITEMS_PER_ACCOUNT_MAX = 500_000

type HubDependencies = Pick<StreamDeps, 'bus' | 'priceBus' | 'scoreBus' | 'metrics'>

/** What events are for: a connection, or one subscription of a connection that wants to know which. */
export type EventReceiver = {
  push(frame: SharedFrame): void
  /** The number of the subscription; absent: the connection wants each event once, as it is. */
  readonly subscription?: number
}

/** Hands every published event to the connections that subscribed to it, as one frame for all. */
export class StreamHub {
  readonly subscriptions = new SubscriptionIndex<EventReceiver>()
  readonly resumptions = new FairSemaphore()
  #items = 0
  readonly #itemsByAccount = new Map<number, number>()
  readonly #stops: readonly (() => void)[]

  constructor({ bus, priceBus, scoreBus, metrics }: HubDependencies) {
    this.#stops = [bus, priceBus, scoreBus].map((each) => each.subscribe((events) => this.#deliver(events)))
    const counts = () => ({ filters: this.subscriptions.size, items: this.#items })
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

  /** `false`: with these the account or this process would have more filter values than it may have. */
  hasRoom(accountId: number, count: number): boolean {
    const ofAccount = this.#itemsByAccount.get(accountId) ?? 0
    return this.#items + count <= ITEMS_MAX && ofAccount + count <= ITEMS_PER_ACCOUNT_MAX
  }

  /** `false`: there is no room for them. */
  takeItems(accountId: number, count: number): boolean {
    if (!this.hasRoom(accountId, count)) return false
    this.#items += count
    this.#itemsByAccount.set(accountId, (this.#itemsByAccount.get(accountId) ?? 0) + count)
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
    for (const event of events) {
      let frame: SharedFrame | undefined
      let framesBySubscription: Map<number, SharedFrame> | undefined
      for (const receiver of this.subscriptions.match(event)) {
        const { subscription } = receiver
        if (subscription === undefined) {
          frame ??= new SharedFrame(event.text, meterOf(event.type))
          receiver.push(frame)
        } else {
          framesBySubscription ??= new Map()
          receiver.push(nameFrame(framesBySubscription, event, subscription))
        }
      }
    }
  }
}

/** Subscriptions with the same number are sent the same frame, whosever they are. */
function nameFrame(frames: Map<number, SharedFrame>, event: BusEvent, subscription: number): SharedFrame {
  const known = frames.get(subscription)
  if (known !== undefined) return known
  const frame = new SharedFrame(writeSubscriptionEvent(event, subscription), meterOf(event.type))
  frames.set(subscription, frame)
  return frame
}

export const writeSubscriptionEvent = ({ text }: BusEvent, subscription: number): string =>
  `{"type":"subscription_event","subscription":${subscription},"event":${text}}`
