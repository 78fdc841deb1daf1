export type Fields = Record<string, unknown>

export type ApiErrorOptions = ErrorOptions & { retryAfterSeconds?: number }

/** An error the caller may read. Anything else becomes a bare 500. */
export class ApiError extends Error {
  override name = 'ApiError'
  readonly status: number
  readonly fields: Fields
  readonly retryAfterSeconds: number | undefined

  constructor(status: number, message: string, fields: Fields = {}, options?: ApiErrorOptions) {
    super(message, options)
    this.status = status
    this.fields = fields
    this.retryAfterSeconds = options?.retryAfterSeconds
  }
}

/** Whether a status says that something is wrong here. 501 says that a path is never answered, which is no fault. */
export const isFault = (status: number): boolean => status >= 500 && status !== 501

/** For a path that other services answer and this one cannot; `detail` says why. */
export const notSupported = (detail: string) => new ApiError(501, 'not_supported', { detail })

/** A fault of something outside of this process, such as an upstream. Its message says everything. */
export abstract class OutsideFault extends Error {
  override name = 'OutsideFault'
}

/**
 * A refusal that holds for one account alone, such as that of a used-up share. Other accounts that
 * wait for the same work are not refused by it: see `joinWork`.
 */
export class AccountRefusal extends ApiError {
  override name = 'AccountRefusal'
  readonly accountId: number

  constructor(accountId: number, message: string, fields?: Fields, options?: ApiErrorOptions) {
    super(429, message, fields, options)
    this.accountId = accountId
  }
}

/**
 * Waits for work that several requests share and the first one pays for. Asks again if the work was
 * refused to another account than this one.
 */
export async function joinWork<T>(
  accountId: number | undefined,
  ask: () => T | Promise<T>,
  begun = ask(),
): Promise<T> {
  try {
    return await begun
  } catch (error) {
    if (!(error instanceof AccountRefusal) || error.accountId === accountId) throw error
    return await joinWork(accountId, ask)
  }
}

export const badRequest = (message: string, fields?: Fields) => new ApiError(400, message, fields)

/** For a single thing that does not exist. */
export const notFound = (message = 'Not found.', fields?: Fields) => new ApiError(404, message, fields)

/** For a request that was admitted while its account was being suspended or deleted. */
export const inactiveAccount = () => new ApiError(403, 'The account of this API key is suspended or deleted.')

export const unavailable = (message: string, cause?: unknown) =>
  new ApiError(503, message, {}, { cause, retryAfterSeconds: 1 })

/** Thrown wherever a request needs the database and it does not answer. */
export const databaseLost = (cause?: unknown) => unavailable('The database is not available.', cause)

/** For what a server can do only when its operator has set it up. `detail` says how. */
export const notConfigured = (detail: string) => new ApiError(502, 'not_configured', { detail })

/** `retryAfterMs` becomes the header, rounded up to seconds. */
export const tooManyRequests = (message: string, retryAfterMs: number, fields?: Fields) =>
  new ApiError(429, message, fields, { retryAfterSeconds: Math.ceil(retryAfterMs / 1000) })

/** A fault that the operator can fix: printed without a stack, and the process exits with `exitCode`. */
export class OperatorError extends Error {
  override name = 'OperatorError'
  readonly exitCode: number

  constructor(message: string, exitCode = 1, options?: ErrorOptions) {
    super(message, options)
    this.exitCode = exitCode
  }
}

/** A connection that failed at each address of a host is one error without a text around the others. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.message !== '') return error.message
  const causes = error instanceof AggregateError ? error.errors.map(messageOf) : []
  return causes.join('; ') || error.name
}

/** The code that Node.js and PostgreSQL put on their errors, such as `ENOENT` or `23505`. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

/** The end of a command that failed. An OperatorError is printed without a stack, any other error with one. */
export function reportAndExit(error: unknown): void {
  console.error(error instanceof OperatorError ? `auspex: ${error.message}` : error)
  process.exitCode = error instanceof OperatorError ? error.exitCode : 1
}
