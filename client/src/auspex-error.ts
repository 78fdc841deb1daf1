type ErrorFields = {
  status?: number | undefined
  code?: string | undefined
  requestId?: string | undefined
  retryAfterSeconds?: number | undefined
  body?: unknown
  cause?: unknown
}

/** What the service refused or failed to do, or why it was not reached. */
export class AuspexError extends Error {
  override name = 'AuspexError'
  /** Of the HTTP answer; `undefined`: there was none, or a socket ended. */
  readonly status: number | undefined
  /** What programs compare, such as `invalid_period`, `unauthorized`; `undefined`: the service sent a text alone. */
  readonly code: string | undefined
  /** The limit that was reached, such as `v3_heavy`. */
  readonly scope: string | undefined
  readonly hint: string | undefined
  /** Names the request in the log of the service. */
  readonly requestId: string | undefined
  readonly retryAfterSeconds: number | undefined
  /** The whole body of the answer, or the whole message of a socket. */
  readonly body: unknown

  constructor(message: string, fields: ErrorFields = {}) {
    super(message, fields.cause === undefined ? undefined : { cause: fields.cause })
    const { scope, hint } = Object(fields.body) as { scope?: string; hint?: string }
    this.status = fields.status
    this.code = fields.code
    this.scope = scope
    this.hint = hint
    this.requestId = fields.requestId
    this.retryAfterSeconds = fields.retryAfterSeconds
    this.body = fields.body
  }
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
