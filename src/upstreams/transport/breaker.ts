import { backoffMs } from './backoff.js'
import { UpstreamError } from './errors.js'
import type { Timing } from './timing.js'

export type BreakerState = 'closed' | 'half-open' | 'open'

/** `cause`: the fault that opened it. */
export type OnBreakerChange = (state: BreakerState, cause?: unknown) => void

/** Leave to make one call. Whoever holds it says exactly once how the call ended. */
export type Pass = {
  /** The one call that finds out whether the upstream is back. It must not be repeated. */
  probe: boolean
  /** The upstream answered, even if only to refuse. */
  succeed(): void
  fail(cause: unknown): void
  /** The call ended without telling anything about the upstream. */
  forget(): void
}

const FAILURES_IN_ROW_MAX = 5
const RECENT_CALLS = 20
const RECENT_FAILURES_MAX = 10
const COOL_DOWN = { baseMs: 1_000, maxMs: 60_000 }

/**
 * Spares an upstream that is down, and those who wait for it.
 *
 *   closed     every call passes. Five failed calls in a row, or ten of the last twenty: open.
 *   open       every call is refused at once. After the cool-down the next call passes as the
 *              probe: half-open.
 *   half-open  the probe is under way, all other calls are refused. It succeeds: closed. It fails:
 *              open, with twice the cool-down, up to a minute. It is forgotten: open, and the next
 *              call is the probe.
 */
export class Breaker {
  readonly #upstream: string
  readonly #timing: Timing
  readonly #onChange: OnBreakerChange
  #state: BreakerState = 'closed'
  #failuresInRow = 0
  #recent: boolean[] = []
  #timesOpened = 0
  #probeAtMs = 0

  constructor(upstream: string, timing: Timing, onChange: OnBreakerChange) {
    this.#upstream = upstream
    this.#timing = timing
    this.#onChange = onChange
  }

  get state(): BreakerState {
    return this.#state
  }

  /** Throws a retryable `UpstreamError` while calls are refused. */
  enter(): Pass {
    if (this.#state === 'closed') return this.#plainPass()
    if (this.#state === 'half-open') throw this.#refusal(COOL_DOWN.baseMs)
    const waitMs = this.#probeAtMs - this.#timing.now()
    if (waitMs > 0) throw this.#refusal(waitMs)
    this.#turn('half-open')
    return this.#probePass()
  }

  // A call that passed before the breaker opened tells nothing new about the time since.
  #plainPass(): Pass {
    const whileClosed = (record: () => void) => {
      if (this.#state === 'closed') record()
    }
    return {
      probe: false,
      succeed: () => whileClosed(() => this.#record(false)),
      fail: (cause) => whileClosed(() => this.#recordFailure(cause)),
      forget: () => undefined,
    }
  }

  #probePass(): Pass {
    return {
      probe: true,
      succeed: () => this.#close(),
      fail: (cause) => this.#open(cause),
      forget: () => this.#turn('open'),
    }
  }

  #record(failed: boolean): void {
    this.#failuresInRow = failed ? this.#failuresInRow + 1 : 0
    this.#recent.push(failed)
    if (this.#recent.length > RECENT_CALLS) this.#recent.shift()
  }

  #recordFailure(cause: unknown): void {
    this.#record(true)
    const failures = this.#recent.filter((failed) => failed).length
    if (this.#failuresInRow >= FAILURES_IN_ROW_MAX || failures >= RECENT_FAILURES_MAX)
      this.#open(cause)
  }

  #open(cause: unknown): void {
    this.#timesOpened++
    this.#probeAtMs = this.#timing.now() + backoffMs(COOL_DOWN, this.#timesOpened)
    this.#turn('open', cause)
  }

  #close(): void {
    this.#failuresInRow = 0
    this.#recent = []
    this.#timesOpened = 0
    this.#turn('closed')
  }

  #turn(state: BreakerState, cause?: unknown): void {
    this.#state = state
    this.#onChange(state, cause)
  }

  #refusal(retryAfterMs: number): UpstreamError {
    const seconds = (retryAfterMs / 1_000).toFixed(1)
    return new UpstreamError(`not called: it keeps failing, next attempt in ${seconds} s`, {
      upstream: this.#upstream,
      retryable: true,
      retryAfterMs,
    })
  }
}
