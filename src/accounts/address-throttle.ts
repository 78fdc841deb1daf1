import { LRUCache } from 'lru-cache'
import type { Clock } from '../core/clock.js'
import { SlidingWindow } from '../lib/sliding-window.js'

const ADDRESSES_MAX = 10_000
const WINDOW_MS = 60_000

/** Limits how often a minute one address may do something that is refused each time. */
export class AddressThrottle {
  readonly #clock: Clock
  readonly #perMinuteMax: number
  readonly #addresses = new LRUCache<string, SlidingWindow>({ max: ADDRESSES_MAX })

  constructor(clock: Clock, perMinuteMax: number) {
    this.#clock = clock
    this.#perMinuteMax = perMinuteMax
  }

  /** How long the address should wait; 0: it may try. */
  waitMs(address: string): number {
    const nowMs = this.#clock.now()
    const window = this.#addresses.get(address)
    if (window === undefined || window.count(nowMs) < this.#perMinuteMax) return 0
    return window.freeAt(this.#perMinuteMax, nowMs) - nowMs
  }

  /** Counts a refusal. */
  add(address: string): void {
    const window = this.#addresses.get(address) ?? new SlidingWindow(WINDOW_MS)
    window.add(this.#clock.now())
    this.#addresses.set(address, window)
  }

  /** Takes back what was counted a moment ago: it was no refusal. */
  removeLast(address: string): void {
    this.#addresses.get(address)?.removeLast()
  }
}
