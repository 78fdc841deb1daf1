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
  #latestMs = 0

  constructor(clock: Clock, perMinuteMax: number) {
    this.#clock = clock
    this.#perMinuteMax = perMinuteMax
  }

  /** How long the address should wait; 0: it may try. */
  waitMs(address: string): number {
    const nowMs = this.#now()
    const window = this.#addresses.get(address)
    if (window === undefined || window.count(nowMs) < this.#perMinuteMax) return 0
    return window.freeAt(this.#perMinuteMax, nowMs) - nowMs
  }

  /** Counts a refusal. */
  add(address: string): void {
    const nowMs = this.#now()
    const window = this.#addresses.get(address) ?? new SlidingWindow(WINDOW_MS)
    window.add(nowMs)
    this.#addresses.set(address, window)
  }

  /** Takes back what was counted a moment ago: it was no refusal. */
  removeLast(address: string): void {
    this.#addresses.get(address)?.removeLast()
  }

  /** Never goes back by a little. When the clock is set back by more, what was counted is forgotten: it would stay for as long. */
  #now(): number {
    const nowMs = this.#clock.now()
    if (nowMs < this.#latestMs - WINDOW_MS) this.#addresses.clear()
    else if (nowMs < this.#latestMs) return this.#latestMs
    this.#latestMs = nowMs
    return nowMs
  }
}
