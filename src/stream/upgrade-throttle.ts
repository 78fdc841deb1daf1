import { LRUCache } from 'lru-cache'
import type { Clock } from '../core/clock.js'
import { SlidingWindow } from '../lib/sliding-window.js'

const REFUSALS_PER_MINUTE_MAX = 20
const ADDRESSES_MAX = 10_000

/**
 * Refused upgrades by address. Some clients connect again after a refusal about every second and for ever: past
 * the limit they get an answer that costs next to nothing. Only keys that are known to be bad are held
 * against an address, so that its other clients are served.
 */
export class UpgradeThrottle {
  readonly #clock: Clock
  readonly #addresses = new LRUCache<string, SlidingWindow>({ max: ADDRESSES_MAX })

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** How long the address should wait; 0: it may try. */
  waitMs(address: string): number {
    const nowMs = this.#clock.now()
    const window = this.#addresses.get(address)
    if (window === undefined || window.count(nowMs) < REFUSALS_PER_MINUTE_MAX) return 0
    return window.freeAt(REFUSALS_PER_MINUTE_MAX, nowMs) - nowMs
  }

  add(address: string): void {
    const window = this.#addresses.get(address) ?? new SlidingWindow(60_000)
    window.add(this.#clock.now())
    this.#addresses.set(address, window)
  }
}
