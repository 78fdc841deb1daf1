import assert from 'node:assert/strict'
import { LRUCache } from 'lru-cache'
import type { Clock } from '../core/clock.js'
import { limitCount } from '../lib/limit-count.js'
import type { Pool } from '../store/connection.js'
import { type Balance, type Charge, type Limiter, MemoryLimiter, stricter, type Verdict } from './limiter.js'
import { selectRateWindows, takeFromWindow } from './shared-queries.js'

/** Refusals that are remembered, so that a key that does not slow down costs the database nothing. */
const REFUSALS_MAX = 10_000

type SharedDeps = { store: { readonly answers: Pool }; clock: Clock }

/**
 * Counts the charges that are shared in the database, for all processes together, and all others in
 * the memory of this process. Rejects when the database does not answer.
 */
export class SharedLimiter implements Limiter {
  readonly #deps: SharedDeps
  readonly #memory: MemoryLimiter
  /** Until when a window is full: requests leave it by time alone. */
  readonly #fullUntilMs = new LRUCache<string, number>(limitCount(REFUSALS_MAX))

  constructor(deps: SharedDeps) {
    this.#deps = deps
    this.#memory = new MemoryLimiter(deps.clock)
  }

  take(charges: readonly Charge[]): Verdict | Promise<Verdict> {
    const shared = charges.find(({ isShared }) => isShared === true)
    if (shared === undefined) return this.#memory.take(charges)
    const own = charges.filter((charge) => charge !== shared)
    assert(!own.some(({ isShared }) => isShared), 'a route has one shared bucket')
    if (own.length === 0) return this.#takeShared(shared).then((late) => toVerdict([late], late))
    const verdict = this.#memory.take(own)
    return verdict.allowed ? this.#takeBoth(shared, own, verdict) : verdict
  }

  async look(charges: readonly Charge[]): Promise<Balance[]> {
    const shared = charges.filter(({ isShared }) => isShared === true)
    const nowMs = this.#deps.clock.now()
    const windows = await selectRateWindows(this.#deps.store.answers, shared, nowMs)
    return charges.map((charge) => {
      if (!shared.includes(charge)) return this.#memory.balanceOf(charge)
      const { bucket, limit, windowMs } = charge
      const { used = 0, oldestMs = nowMs } = windows.find((window) => window.bucket === bucket) ?? {}
      return { bucket, limit, windowMs, remaining: Math.max(0, limit - used), resetAtMs: oldestMs + windowMs }
    })
  }

  async #takeBoth(shared: Charge, own: readonly Charge[], taken: Verdict): Promise<Verdict> {
    let late: SharedBalance | undefined
    try {
      late = await this.#takeShared(shared)
      return toVerdict([...taken.balances, late], late)
    } finally {
      if (late?.isGranted !== true) this.#memory.giveBack(own)
    }
  }

  async #takeShared(charge: Charge): Promise<SharedBalance> {
    const { bucket, subject, limit, windowMs } = charge
    const nowMs = this.#deps.clock.now()
    const key = `${bucket} ${subject}`
    const fullUntilMs = this.#fullUntilMs.get(key) ?? 0
    // A time further away than the window was written before the clock was set back.
    if (fullUntilMs > nowMs && fullUntilMs <= nowMs + windowMs) {
      return { bucket, limit, windowMs, remaining: 0, resetAtMs: fullUntilMs, isGranted: false }
    }
    const window = { bucket, subject, limit, windowMs, nowMs }
    const { isGranted, used, oldestMs } = await takeFromWindow(this.#deps.store.answers, window)
    const resetAtMs = oldestMs + windowMs
    if (!isGranted) this.#fullUntilMs.set(key, resetAtMs)
    return { bucket, limit, windowMs, remaining: Math.max(0, limit - used), resetAtMs, isGranted }
  }
}

type SharedBalance = Balance & { isGranted: boolean }

/** The bucket that refuses is the strictest, also when another one has nothing left. */
function toVerdict(balances: Balance[], { isGranted, ...shared }: SharedBalance): Verdict {
  return { allowed: isGranted, balances, strictest: isGranted ? balances.reduce(stricter) : shared }
}
