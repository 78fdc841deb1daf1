import type { AttemptResult } from './delivery.js'
import type { ClaimedDelivery, LeaseCount } from './queries.js'

/** Attempts of a webhook that run at a time. */
const IN_FLIGHT_MAX = 10
/** Of a receiver that answers within this time more is taken than is sent at a time. */
const QUICK_MS_MAX = 250

type Taken = { running: number; waiting: ClaimedDelivery[]; isQuick: boolean }

/** The leased deliveries of this process: of each webhook ten are sent at a time, the others wait here. */
export class TakenDeliveries {
  readonly #webhooks = new Map<number, Taken>()
  #count = 0

  /** Those that run and those that wait. */
  get count(): number {
    return this.#count
  }

  /** Whether the attempt begins now; otherwise an `end` will return the delivery. */
  add(delivery: ClaimedDelivery): boolean {
    const taken = this.#webhooks.get(delivery.webhook) ?? { running: 0, waiting: [], isQuick: false }
    this.#webhooks.set(delivery.webhook, taken)
    this.#count++
    if (taken.running === IN_FLIGHT_MAX) {
      taken.waiting.push(delivery)
      return false
    }
    taken.running++
    return true
  }

  /** Takes note of an attempt that ended, and returns the one that begins in its place. */
  end(webhook: number, { success, latencyMs }: AttemptResult): ClaimedDelivery | undefined {
    const taken = this.#webhooks.get(webhook)
    if (taken === undefined) return undefined
    this.#count--
    taken.isQuick = success && latencyMs <= QUICK_MS_MAX
    const next = taken.waiting.shift()
    if (next === undefined) taken.running--
    return next
  }

  /** Removes those that wait, of all webhooks or of one. */
  removeWaiting(webhook?: number): ClaimedDelivery[] {
    const removed: ClaimedDelivery[] = []
    for (const [id, taken] of this.#webhooks) {
      if (webhook === undefined || id === webhook) removed.push(...taken.waiting.splice(0))
    }
    this.#count -= removed.length
    return removed
  }

  /** The webhooks whose receivers answered at once when they were last asked. Forgets those that have nothing here. */
  takeQuick(): LeaseCount[] {
    const quick: LeaseCount[] = []
    for (const [webhook, { running, waiting, isQuick }] of this.#webhooks) {
      const count = running + waiting.length
      if (isQuick) quick.push({ webhook, count })
      if (count === 0) this.#webhooks.delete(webhook)
    }
    return quick
  }
}
