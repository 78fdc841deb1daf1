import type { Clock } from '../core/clock.js'
import { GenerationMap } from '../lib/generation-map.js'
import { SlidingWindow } from '../lib/sliding-window.js'
import { ForwardClock } from './forward-clock.js'

/** One request against one bucket. */
export type Charge = {
  bucket: string
  subject: number
  limit: number
  windowMs: number
  /** Counted for all processes together. */
  isShared?: boolean
  /** Counted in the database, whatever else there is. Charged alone. */
  isLasting?: boolean
}

/** What a bucket has left after the request. */
export type Balance = {
  bucket: string
  limit: number
  windowMs: number
  remaining: number
  /** Unix ms at which the oldest counted request leaves the window: the allowance grows then. */
  resetAtMs: number
}

export type Verdict = {
  allowed: boolean
  /** In the order of the charges. */
  balances: Balance[]
  /** The bucket that refuses, or the one with the least left. */
  strictest: Balance
}

/**
 * Counts requests in sliding windows. A request is charged to all its buckets or, when one of them
 * is full, to none. An implementation that asks another process answers with a promise.
 */
export type Limiter = {
  take(charges: readonly Charge[]): Verdict | Promise<Verdict>
  /** What the buckets have left, without a charge. */
  look(charges: readonly Charge[]): Promise<Balance[]>
}

const STEP_BACK_MS_MAX = 1_000

/** Counts in the memory of this process. A check costs the same for ten subjects and for a million. */
export class MemoryLimiter implements Limiter {
  readonly #clock: ForwardClock
  readonly #windows = new Map<string, GenerationMap<number, SlidingWindow>>()

  constructor(clock: Clock) {
    const onSetBack = () => this.#windows.clear()
    this.#clock = new ForwardClock({ clock, stepBackMsMax: STEP_BACK_MS_MAX, onSetBack })
  }

  take(charges: readonly Charge[]): Verdict {
    const nowMs = this.#clock.now()
    const windows = charges.map((charge) => this.#windowOf(charge, nowMs))
    const allowed = charges.every((charge, index) => used(windows[index], nowMs) < charge.limit)
    if (allowed) for (const window of windows) window.add(nowMs)
    const balances = charges.map((charge, index) => weigh(charge, windows[index], nowMs))
    return { allowed, balances, strictest: balances.reduce(stricter) }
  }

  async look(charges: readonly Charge[]): Promise<Balance[]> {
    return charges.map((charge) => this.balanceOf(charge))
  }

  /** What one bucket has left. */
  balanceOf(charge: Charge): Balance {
    return weigh(charge, this.#windows.get(charge.bucket)?.get(charge.subject), this.#clock.now())
  }

  /** Takes charges back that were taken a moment ago. */
  giveBack(charges: readonly Charge[]): void {
    for (const { bucket, subject } of charges) this.#windows.get(bucket)?.get(subject)?.removeLast()
  }

  #windowOf({ bucket, subject, windowMs }: Charge, nowMs: number): SlidingWindow {
    const subjects = this.#windows.get(bucket) ?? new GenerationMap<number, SlidingWindow>()
    this.#windows.set(bucket, subjects)
    subjects.rotateEvery(windowMs, nowMs)
    const known = subjects.keep(subject)
    if (known !== undefined) return known
    const window = new SlidingWindow(windowMs)
    subjects.set(subject, window)
    return window
  }
}

const used = (window: SlidingWindow | undefined, nowMs: number): number => window?.count(nowMs) ?? 0

function weigh(charge: Charge, window: SlidingWindow | undefined, nowMs: number): Balance {
  const { bucket, limit, windowMs } = charge
  const remaining = Math.max(0, limit - used(window, nowMs))
  return { bucket, limit, windowMs, remaining, resetAtMs: window?.freeAt(limit, nowMs) ?? nowMs }
}

// Of two that have nothing left, the one that takes longer to recover is the stricter.
export function stricter(a: Balance, b: Balance): Balance {
  if (a.remaining !== b.remaining) return a.remaining < b.remaining ? a : b
  return a.resetAtMs >= b.resetAtMs ? a : b
}
