import { onAbort } from '../../lib/abort.js'
import { SlidingWindow } from '../../lib/sliding-window.js'
import type { Timing } from '../../lib/timing.js'
import { UpstreamError } from './errors.js'

/** A published limit: so many calls in any window, of the paths that match. */
export type PathLimit = { paths: RegExp; calls: number; windowMs: number }

// Others behind our address call the same upstream, and the published windows are not ours.
const SHARE = 0.5

const WAITING_MAX = 1_000

type Lane = { paths: RegExp; calls: number; window: SlidingWindow }
type Waiter = { lanes: readonly Lane[]; admit: () => void }

/** Thrown before anything was sent: it says nothing about the upstream's health. */
export class QueueFullError extends UpstreamError {
  override name = 'QueueFullError'
}

/**
 * Keeps calls under half of every limit that applies to their path, counted exactly over sliding
 * windows. Callers who have to wait are admitted in the order in which they came; those with other
 * limits may pass them.
 */
export class RateLimiter {
  readonly #upstream: string
  readonly #timing: Timing
  readonly #lanes: readonly Lane[]
  readonly #waiters = new Set<Waiter>()
  #heldUntil = Number.NEGATIVE_INFINITY
  #alarm: AbortController | undefined

  constructor(upstream: string, limits: readonly PathLimit[], timing: Timing) {
    this.#upstream = upstream
    this.#timing = timing
    this.#lanes = limits.map(({ paths, calls, windowMs }) => ({
      paths,
      calls: Math.max(1, Math.floor(calls * SHARE)),
      window: new SlidingWindow(windowMs),
    }))
  }

  /** Resolves when one call of this path may be sent, which is then counted as sent. */
  take(path: string, signal: AbortSignal): Promise<void> {
    if (this.#waiters.size >= WAITING_MAX) return Promise.reject(this.#queueFull())
    const lanes = this.#lanes.filter((lane) => lane.paths.test(path))
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        lanes,
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
      const freeAtMs = this.#freeAt(waiter.lanes, nowMs)
      if (freeAtMs <= nowMs) this.#admit(waiter, nowMs)
      else nextMs = Math.min(nextMs, freeAtMs)
    }
    if (this.#waiters.size > 0) this.#wakeIn(nextMs - nowMs)
  }

  #admit(waiter: Waiter, nowMs: number): void {
    for (const lane of waiter.lanes) lane.window.add(nowMs)
    this.#waiters.delete(waiter)
    waiter.admit()
  }

  #freeAt(lanes: readonly Lane[], nowMs: number): number {
    let freeAtMs = this.#heldUntil
    for (const { window, calls } of lanes) {
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
