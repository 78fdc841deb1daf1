import { UpstreamError } from '../../core/upstream-error.js'
import { backoffMs, type Timing } from '../../lib/timing.js'

export type BreakerState = 'closed' | 'half-open' | 'open'

/** `cause`: the fault that opened it. */
type OnBreakerChange = (state: BreakerState, cause?: unknown) => void

/** Permission to make one call. The caller reports exactly once how the call ended. */
export type Pass = {
  /** The one call that finds out whether the upstream is back. It must not be repeated. */
  probe: boolean
  /** The upstream answered, be it with a refusal. */
  succeed(): void
  fail(cause: unknown): void
  /** The call ended in a way that shows nothing about the health of the upstream. */
  forget(): void
}

const FAILURES_IN_ROW_MAX = 5
const RECENT_CALLS = 20
const RECENT_FAILURES_MAX = 10
const COOL_DOWN = { baseMs: 1_000, maxMs: 60_000 }

/**
 * Stops calls to an upstream that is down, so that callers fail at once instead of waiting.
 *
 *   closed     every call passes. Five failed calls in a row, ten of the last twenty, or a
 *              `Retry-After` that is too long to wait for: open.
 *   open       every call is refused at once. After the cool-down the next call passes as the
 *              probe: half-open.
 *   half-open  the probe is under way, all other calls are refused. It succeeds: closed. It fails:
 *              open, with twice the cool-down, up to a minute. It ends without a result: open, and
 *              the next call is the probe.
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
    if (this.#state === 'half-open' || this.#leftMs() > 0) throw this.refusal()
    this.#setState('half-open')
    return this.#probePass()
  }

  /** No call passes for that long at least. */
  rest(ms: number, cause: unknown): void {
    this.#probeAtMs = Math.max(this.#probeAtMs, this.#timing.now() + ms)
    if (this.#state === 'closed') this.#open(cause)
  }

  /** The error of a call that is not sent because the breaker is not closed. */
  refusal(): UpstreamError {
    const isProbed = this.#state === 'half-open'
    const retryAfterMs = isProbed ? COOL_DOWN.baseMs : Math.max(this.#leftMs(), 0)
    const seconds = (retryAfterMs / 1_000).toFixed(1)
    const message = `not called: it keeps failing or wants a rest, next attempt in ${seconds} s`
    return new UpstreamError(message, { upstream: this.#upstream, retryable: true, retryAfterMs })
  }

  // The result of a call that passed before the breaker opened is older than the opening.
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
      forget: () => this.#setState('open'),
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
    if (this.#failuresInRow >= FAILURES_IN_ROW_MAX || failures >= RECENT_FAILURES_MAX) this.#open(cause)
  }

  #open(cause: unknown): void {
    this.#timesOpened++
    const coolMs = backoffMs(COOL_DOWN, this.#timesOpened)
    this.#probeAtMs = Math.max(this.#probeAtMs, this.#timing.now() + coolMs)
    this.#setState('open', cause)
  }

  #close(): void {
    this.#failuresInRow = 0
    this.#recent = []
    this.#timesOpened = 0
    this.#setState('closed')
  }

  #setState(state: BreakerState, cause?: unknown): void {
    this.#state = state
    this.#onChange(state, cause)
  }

  #leftMs(): number {
    return this.#probeAtMs - this.#timing.now()
  }
}
