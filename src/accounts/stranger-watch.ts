import { LRUCache } from 'lru-cache'
import type { Clock } from '../core/clock.js'
import { tooManyRequests } from '../core/errors.js'
import { SlidingWindow } from '../lib/sliding-window.js'

const WINDOW_MS = 60_000
const UNKNOWN_KEYS_MAX = 300
const ADDRESSES_MAX = 10_000

/**
 * Keeps one address from asking the database for one invented key after another. A key that exists
 * costs nothing here, however often it is used.
 */
export class StrangerWatch {
  readonly #clock: Clock
  readonly #addresses = new LRUCache<string, SlidingWindow>({ max: ADDRESSES_MAX })

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Throws when the address has sent too many unknown keys lately. */
  check(address: string): void {
    const nowMs = this.#clock.now()
    const window = this.#addresses.get(address)
    if (window === undefined || window.count(nowMs) < UNKNOWN_KEYS_MAX) return
    const freeAtMs = window.freeAt(UNKNOWN_KEYS_MAX, nowMs)
    const freeAt = Math.ceil(freeAtMs / 1000)
    throw tooManyRequests(`Too many unknown API keys. Retry after ${freeAt}.`, freeAtMs - nowMs)
  }

  /** Counts an unknown key. */
  note(address: string): void {
    const window = this.#addresses.get(address) ?? new SlidingWindow(WINDOW_MS)
    window.add(this.#clock.now())
    this.#addresses.set(address, window)
  }
}
