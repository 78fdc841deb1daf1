import { AccountRefusal, ApiError } from '../../core/errors.js'
import { UpstreamError } from '../../core/upstream-error.js'
import { onAbort } from '../../lib/abort.js'
import type { Timing } from '../../lib/timing.js'
import { type Payer, SharedLimit } from './shared-limit.js'

/** A published limit: this many calls in any window, of the paths that match. */
export type PathLimit = { paths: RegExp; calls: number; windowMs: number }

// Other clients with our address count too, and the windows of the upstream start at other times.
const SHARE = 0.5

const WAITING_MAX = 1_000
/** Of one account. */
const ACCOUNT_WAITING_MAX = 20
/** A caller waits for the answer: a call of an account that must wait longer for a free slot is refused. */
const ACCOUNT_WAIT_MS_MAX = 2_000

type CountedLimit = { paths: RegExp; shared: SharedLimit }
type Waiter = {
  payer: Payer
  limits: readonly SharedLimit[]
  /** Only calls of accounts are refused. */
  untilMs: number
  admit: () => void
  refuse: (error: Error) => void
}

/** Thrown before a request is sent: it is no sign of the upstream's health. */
export class QueueFullError extends UpstreamError {
  override name = 'QueueFullError'
}

/**
 * Keeps calls under half of every limit that applies to their path, counted exactly over sliding
 * windows, and shares them between the payers (see `SharedLimit`).
 *
 * - Waiting calls of accounts come first, those of the account with the fewest calls before others.
 *   They are refused after two seconds, or at once when a slot comes free later than that.
 * - Waiting calls of background work are admitted in the order in which they came. Calls under other
 *   limits may pass them.
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
      shared: new SharedLimit(Math.max(1, Math.floor(calls * SHARE)), windowMs),
    }))
  }

  /**
   * Resolves when one call of this path may be sent, which is then counted as sent. Without an account
   * it is our own work. Throws an `ApiError` when the account is refused.
   */
  take(path: string, signal: AbortSignal, payer?: Payer): Promise<void> {
    const limits = this.#limits.filter(({ paths }) => paths.test(path)).map(({ shared }) => shared)
    for (const limit of limits) limit.ask(payer, this.#timing.now())
    const refusal = this.#refuseNow(limits, payer)
    if (refusal !== undefined) return Promise.reject(refusal)
    return new Promise((resolve, reject) => {
      const leave = () => {
        stopListening()
        this.#waiters.delete(waiter)
      }
      const waiter: Waiter = {
        payer,
        limits,
        untilMs: this.#timing.now() + (payer === undefined ? Infinity : ACCOUNT_WAIT_MS_MAX),
        admit: () => {
          leave()
          resolve()
        },
        refuse: (error) => {
          leave()
          reject(error)
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

  /** Sends nothing for a while, because the upstream requested it. */
  hold(ms: number): void {
    this.#heldUntil = Math.max(this.#heldUntil, this.#timing.now() + ms)
  }

  #admitAll(): void {
    this.#alarm?.abort()
    const nowMs = this.#timing.now()
    if (this.#heldUntil <= nowMs) {
      for (let next = this.#nextOfAccounts(nowMs); next; next = this.#nextOfAccounts(nowMs)) {
        this.#admit(next, nowMs)
      }
      for (const waiter of this.#waiters) {
        if (mayGo(waiter, nowMs)) this.#admit(waiter, nowMs)
        else if (waiter.untilMs <= nowMs) waiter.refuse(this.#refusal(waiter, nowMs))
      }
    }
    if (this.#waiters.size > 0) this.#wakeIn(this.#nextChange(nowMs) - nowMs)
  }

  #nextOfAccounts(nowMs: number): Waiter | undefined {
    let next: Waiter | undefined
    let fewest = Number.POSITIVE_INFINITY
    for (const waiter of this.#waiters) {
      if (waiter.payer === undefined || !mayGo(waiter, nowMs)) continue
      const used = usedBy(waiter, nowMs)
      if (used >= fewest) continue
      next = waiter
      fewest = used
    }
    return next
  }

  #admit(waiter: Waiter, nowMs: number): void {
    for (const limit of waiter.limits) limit.add(waiter.payer, nowMs)
    waiter.admit()
  }

  /** When the next waiter may be admitted, or must be refused. */
  #nextChange(nowMs: number): number {
    if (this.#heldUntil > nowMs) return this.#heldUntil
    let nextMs = Number.POSITIVE_INFINITY
    for (const { limits, payer, untilMs } of this.#waiters) {
      const blocking = limits.filter((limit) => !limit.mayTake(payer, nowMs))
      const changesMs = Math.max(...blocking.map((limit) => limit.changesAt(nowMs)))
      nextMs = Math.min(nextMs, changesMs, untilMs)
    }
    return nextMs
  }

  #wakeIn(ms: number): void {
    const alarm = new AbortController()
    this.#alarm = alarm
    this.#timing.sleep(ms, alarm.signal).then(
      () => this.#admitAll(),
      () => undefined,
    )
  }

  /** `undefined`: it may wait. */
  #refuseNow(limits: readonly SharedLimit[], payer: Payer): Error | undefined {
    const nowMs = this.#timing.now()
    if (payer !== undefined) {
      const waiting = [...this.#waiters].filter((waiter) => waiter.payer === payer).length
      const waitMs = Math.max(0, ...limits.map((limit) => limit.refusal(payer, nowMs)?.waitMs ?? 0))
      if (waiting >= ACCOUNT_WAITING_MAX || waitMs > ACCOUNT_WAIT_MS_MAX) {
        return this.#refusal({ limits, payer }, nowMs)
      }
    }
    if (this.#waiters.size < WAITING_MAX) return undefined
    const message = `${WAITING_MAX} calls wait for their turn already`
    return new QueueFullError(message, { upstream: this.#upstream, retryable: true })
  }

  /** The error for an account: it says whether its own calls or those of others have used the limit up. */
  #refusal({ limits, payer }: Pick<Waiter, 'limits' | 'payer'>, nowMs: number): Error {
    const refusals = limits.flatMap((limit) => limit.refusal(payer, nowMs) ?? [])
    const waitMs = Math.max(1, ...refusals.map((refusal) => refusal.waitMs))
    const retryAfterSeconds = Math.ceil(waitMs / 1000)
    const fields = { scope: 'upstream', upstream: this.#upstream }
    const retry = `Retry in ${retryAfterSeconds} s.`
    if (payer !== undefined && refusals.every(({ isOwn }) => isOwn)) {
      const message = `Your account's share of the requests to ${this.#upstream} is used up. ${retry}`
      return new AccountRefusal(payer, message, fields, { retryAfterSeconds })
    }
    const message = `The requests to ${this.#upstream} are used up by all accounts together. ${retry}`
    return new ApiError(503, message, fields, { retryAfterSeconds })
  }
}

const mayGo = ({ limits, payer }: Waiter, nowMs: number): boolean =>
  limits.every((limit) => limit.mayTake(payer, nowMs))

const usedBy = ({ limits, payer }: Waiter, nowMs: number): number =>
  Math.max(0, ...limits.map((limit) => limit.usedBy(payer, nowMs)))
