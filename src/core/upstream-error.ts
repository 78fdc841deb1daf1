import { OutsideFault } from './errors.js'

export type UpstreamErrorParts = {
  upstream: string
  /** Whether the same call may succeed a little later. Decided where the fault is seen. */
  retryable: boolean
  /** HTTP status, when there was an answer. */
  status?: number | undefined
  /** The error text of a refusal, as the upstream wrote it. */
  said?: string | undefined
  /** How long the upstream asked us to wait, as in `Retry-After`. */
  retryAfterMs?: number | undefined
  cause?: unknown
}

/** A fault of an upstream. The message names the request and the answer; it never holds a secret. */
export class UpstreamError extends OutsideFault {
  override name = 'UpstreamError'
  readonly upstream: string
  readonly retryable: boolean
  readonly status: number | undefined
  readonly said: string | undefined
  readonly retryAfterMs: number | undefined

  constructor(
    message: string,
    { upstream, retryable, status, said, retryAfterMs, cause }: UpstreamErrorParts,
  ) {
    super(`${upstream}: ${message}`, { cause })
    this.upstream = upstream
    this.retryable = retryable
    this.status = status
    this.said = said
    this.retryAfterMs = retryAfterMs
  }
}
