import type { DeliveryCapacity } from './due-queues.js'
import type { ClaimedDelivery, LeaseCount } from './queries.js'
import type { AttemptResult } from './sender.js'

/** Deliveries that a process holds: being sent, or waiting for others of their webhook. */
const HELD_MAX = 1_024
/** Of these, those of receivers that were slow or failed the last time. */
const HELD_BY_SLOW_MAX = HELD_MAX / 2
/** Of a receiver that answers within this time more is taken than is sent at a time. */
const QUICK_MS_MAX = 250

/** `places`: the slots of the webhook, which is how many of its deliveries run at a time. */
type Taken = { running: number; places: number; waiting: ClaimedDelivery[]; isQuick: boolean }

/** The leased deliveries of this process: of each webhook some are sent at a time, the others wait here. */
export class TakenDeliveries {
  readonly #webhooks = new Map<number, Taken>()
  /** By account; one that holds nothing is not in it. */
  readonly #held = new Map<number, number>()
  #count = 0
  #slowCount = 0

  /** Those that run and those that wait. */
  get count(): number {
    return this.#count
  }

  /** Accounts that hold some. */
  get accountCount(): number {
    return this.#held.size
  }

  get capacity(): DeliveryCapacity {
    const freeForSlow = Math.max(0, HELD_BY_SLOW_MAX - this.#slowCount)
    return { free: HELD_MAX - this.#count, freeForSlow, held: this.#held }
  }

  /** Returns the deliveries of its webhook that begin now; a later `add` or `end` returns the others. */
  add(delivery: ClaimedDelivery): ClaimedDelivery[] {
    const { webhook, places } = delivery
    const taken = this.#webhooks.get(webhook) ?? { running: 0, places, waiting: [], isQuick: false }
    this.#webhooks.set(webhook, taken)
    taken.places = places
    taken.waiting.push(delivery)
    this.#hold(delivery, 1)
    return begin(taken)
  }

  /** Notes that an attempt ended, and returns the deliveries that begin instead. */
  end(delivery: ClaimedDelivery, { success, latencyMs }: AttemptResult): ClaimedDelivery[] {
    this.#hold(delivery, -1)
    const taken = this.#webhooks.get(delivery.webhook)
    if (taken === undefined) return []
    taken.isQuick = success && latencyMs <= QUICK_MS_MAX
    taken.running--
    return begin(taken)
  }

  /** Removes those that wait, of all webhooks or of one. */
  removeWaiting(webhook?: number): ClaimedDelivery[] {
    const removed: ClaimedDelivery[] = []
    for (const [id, taken] of this.#webhooks) {
      if (webhook === undefined || id === webhook) removed.push(...taken.waiting.splice(0))
    }
    for (const delivery of removed) this.#hold(delivery, -1)
    return removed
  }

  /** The webhooks whose receivers answered at once the last time. Forgets those that hold nothing here. */
  takeQuick(): LeaseCount[] {
    const quick: LeaseCount[] = []
    for (const [webhook, { running, waiting, isQuick }] of this.#webhooks) {
      const count = running + waiting.length
      if (isQuick) quick.push({ webhook, count })
      if (count === 0) this.#webhooks.delete(webhook)
    }
    return quick
  }

  #hold({ accountId, isHealthy }: ClaimedDelivery, change: 1 | -1): void {
    this.#count += change
    if (!isHealthy) this.#slowCount += change
    const held = (this.#held.get(accountId) ?? 0) + change
    if (held === 0) this.#held.delete(accountId)
    else this.#held.set(accountId, held)
  }
}

function begin(taken: Taken): ClaimedDelivery[] {
  const begun = taken.waiting.splice(0, Math.max(0, taken.places - taken.running))
  taken.running += begun.length
  return begun
}
