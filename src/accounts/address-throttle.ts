import { LRUCache } from 'lru-cache'
import type { Clock } from '../core/clock.js'
import { limitCount } from '../lib/limit-count.js'
import { SlidingWindow } from '../lib/sliding-window.js'
import { ForwardClock } from './forward-clock.js'

const ADDRESSES_MAX = 10_000
const WINDOW_MS = 60_000

/** Limits how often a minute one address may do something that is refused each time. */
export class AddressThrottle {
  readonly #clock: ForwardClock
  readonly #perMinuteMax: number
  readonly #addresses = new LRUCache<string, SlidingWindow>(limitCount(ADDRESSES_MAX))

  constructor(clock: Clock, perMinuteMax: number) {
    const onSetBack = () => this.#addresses.clear()
    this.#clock = new ForwardClock({ clock, stepBackMsMax: WINDOW_MS, onSetBack })
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
    const nowMs = this.#clock.now()
    const window = this.#addresses.get(address) ?? new SlidingWindow(WINDOW_MS)
    window.add(nowMs)
    this.#addresses.set(address, window)
  }

  /** Takes back what was counted a moment ago: it was no refusal. */
  removeLast(address: string): void {
    this.#addresses.get(address)?.removeLast()
  }
}
