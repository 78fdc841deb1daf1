import { onAbort } from '../../lib/abort.js'
import { SlidingWindow } from '../../lib/sliding-window.js'
import type { Timing } from '../../lib/timing.js'
import { UpstreamError } from './errors.js'

/** A published limit: so many calls in any window, of the paths that match. */
export type PathLimit = { paths: RegExp; calls: number; windowMs: number }

// Other clients behind our address count too, and the windows of the upstream start at other times.
const SHARE = 0.5

const WAITING_MAX = 1_000

type CountedLimit = { paths: RegExp; calls: number; window: SlidingWindow }
type Waiter = { limits: readonly CountedLimit[]; admit: () => void }

/** Thrown before a request is sent: it is no sign of the upstream's health. */
export class QueueFullError extends UpstreamError {
  override name = 'QueueFullError'
}

/**
 * Keeps calls under half of every limit that applies to their path, counted exactly over sliding
 * windows. Waiting calls are admitted in the order in which they came; calls under other limits
 * may pass them.
 */
export class RateLimiter {
  readonly #upstream: string
  readonly #timing: Timing
  readonly #limits: readonly CountedLimit[]
  readonly #waiters = new Set<Waiter>()
  #heldUntil = Number.NEGATIVE_INFINITY
  #alarm: AbortController | undefined

  constructor(upstream: string, limits: readonly PathLimit[], timing: Timing) {
    this.#upstream = upstream
    this.#timing = timing
    this.#limits = limits.map(({ paths, calls, windowMs }) => ({
      paths,
      calls: Math.max(1, Math.floor(calls * SHARE)),
      window: new SlidingWindow(windowMs),
    }))
  }

  /** Resolves when one call of this path may be sent, which is then counted as sent. */
  take(path: string, signal: AbortSignal): Promise<void> {
    if (this.#waiters.size >= WAITING_MAX) return Promise.reject(this.#queueFull())
    const limits = this.#limits.filter((limit) => limit.paths.test(path))
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        limits,
        admit: () => {
          stopListening()
          resolve()
        },
      }
      const stopListening = onAbort(signal, () => {
        this.#waiters.delete(waiter)
        if (this.#waiters.size === 0) this.#alarm?.abort()
        reject(signal.reason)
      })
      if (signal.aborted) return
      this.#waiters.add(waiter)
      this.#admitAll()
    })
  }

  /** Sends nothing for a while: the upstream asked for it. */
  hold(ms: number): void {
    this.#heldUntil = Math.max(this.#heldUntil, this.#timing.now() + ms)
  }

  #admitAll(): void {
    this.#alarm?.abort()
    const nowMs = this.#timing.now()
    let nextMs = Number.POSITIVE_INFINITY
    for (const waiter of this.#waiters) {
      const freeAtMs = this.#freeAt(waiter.limits, nowMs)
      if (freeAtMs <= nowMs) this.#admit(waiter, nowMs)
      else nextMs = Math.min(nextMs, freeAtMs)
    }
    if (this.#waiters.size > 0) this.#wakeIn(nextMs - nowMs)
  }

  #admit(waiter: Waiter, nowMs: number): void {
    for (const limit of waiter.limits) limit.window.add(nowMs)
    this.#waiters.delete(waiter)
    waiter.admit()
  }

  #freeAt(limits: readonly CountedLimit[], nowMs: number): number {
    let freeAtMs = this.#heldUntil
    for (const { window, calls } of limits) {
      if (window.count(nowMs) >= calls) freeAtMs = Math.max(freeAtMs, window.freeAt(calls, nowMs))
    }
    return freeAtMs
  }

  #wakeIn(ms: number): void {
    const alarm = new AbortController()
    this.#alarm = alarm
    this.#timing.sleep(ms, alarm.signal).then(
      () => this.#admitAll(),
      () => undefined,
    )
  }

  #queueFull(): QueueFullError {
    const message = `${WAITING_MAX} calls wait for their turn already`
    return new QueueFullError(message, { upstream: this.#upstream, retryable: true })
  }
}
