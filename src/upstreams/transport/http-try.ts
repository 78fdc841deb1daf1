import type { Pool } from 'undici'
import { messageOf } from '../../core/errors.js'
import { withLinked } from '../../lib/abort.js'
import { TimeoutError } from '../../lib/timeout.js'
import { UpstreamError, type UpstreamErrorParts } from './errors.js'
import type { HttpAddress } from './http-address.js'
import { addQuery } from './query.js'
import { ACCEPTED_ENCODINGS, BodyTooLargeError, readBody } from './read-body.js'
import { type Headers, parseRetryAfterMs } from './retry-after.js'

export type HttpRequest = {
  method: 'GET' | 'POST'
  path: string
  /** Path and query, both below the base URL. */
  target: string
  /** JSON text. */
  body: string | undefined
}

export type TryOptions = {
  upstream: string
  pool: Pool
  address: HttpAddress
  headers: (request: HttpRequest) => Record<string, string>
  timeoutMs: number
  bodyBytesMax: number
  nowMs: () => number
}

/** How one try ended. The result is also the label that it is counted under. */
export type Outcome<T> =
  | { result: 'ok'; value: T }
  | { result: 'refused' | 'failed' | 'timeout' | 'garbage'; error: UpstreamError }

type Answer = { status: number; headers: Headers; text: string }

/** Sends a request once and reads all of its answer. Throws nothing but the reason of an abort. */
export async function tryOnce(
  request: HttpRequest,
  options: TryOptions,
  signal: AbortSignal,
): Promise<Outcome<unknown>> {
  try {
    return judge(request, await exchange(request, options, signal), options)
  } catch (cause) {
    signal.throwIfAborted()
    const failWith = (message: string, retryable: boolean) =>
      toError(request, options, message, { retryable, cause })
    if (cause instanceof TimeoutError)
      return { result: 'timeout', error: failWith(cause.message, true) }
    if (cause instanceof BodyTooLargeError)
      return { result: 'garbage', error: failWith(`answered too much: ${cause.message}`, false) }
    return { result: 'failed', error: failWith(`failed: ${show(messageOf(cause), options)}`, true) }
  }
}

/** One deadline for everything: to connect, the headers, and the last byte of the body. */
function exchange(
  request: HttpRequest,
  { pool, address, headers, timeoutMs, bodyBytesMax }: TryOptions,
  signal: AbortSignal,
): Promise<Answer> {
  return withLinked([signal], async (linked) => {
    const late = () => linked.abort(new TimeoutError(`gave no answer within ${timeoutMs} ms`))
    const timer = setTimeout(late, timeoutMs)
    try {
      const response = await pool.request({
        method: request.method,
        path: address.basePath + addQuery(request.target, address.baseQuery),
        headers: {
          'accept-encoding': ACCEPTED_ENCODINGS,
          ...address.headers,
          ...headers(request),
        },
        body: request.body ?? null,
        signal: linked.signal,
      })
      const encoding = response.headers['content-encoding']
      const text = await readBody(response.body, encoding, bodyBytesMax)
      return { status: response.statusCode, headers: response.headers, text }
    } finally {
      clearTimeout(timer)
    }
  })
}

function judge(request: HttpRequest, answer: Answer, options: TryOptions): Outcome<unknown> {
  const { status, headers, text } = answer
  if (status >= 200 && status < 300) return parse(request, answer, options)
  const retryable = status >= 500 || status === 408 || status === 425 || status === 429
  const retryAfterMs = retryable ? parseRetryAfterMs(headers, text, options.nowMs()) : undefined
  const message = `answered ${status}: ${show(errorText(text), options)}`
  const error = toError(request, options, message, { retryable, status, retryAfterMs })
  return { result: status >= 500 ? 'failed' : 'refused', error }
}

function parse(
  request: HttpRequest,
  { status, text }: Answer,
  options: TryOptions,
): Outcome<unknown> {
  try {
    return { result: 'ok', value: JSON.parse(text) }
  } catch (cause) {
    const message = `answered ${status} with no JSON: ${show(text, options)}`
    const error = toError(request, options, message, { retryable: true, status, cause })
    return { result: 'garbage', error }
  }
}

/** What an upstream says about its refusal, without the JSON around it. */
function errorText(body: string): string {
  const text = body.slice(0, READ_CHARACTERS_MAX)
  return /"(?:error|message)"\s*:\s*"((?:[^"\\]|\\.)*)"/.exec(text)?.[1] ?? text
}

const TEXT_CHARACTERS_MAX = 200
const READ_CHARACTERS_MAX = 10_000

export const shorten = (text: string): string =>
  text.length > TEXT_CHARACTERS_MAX ? `${text.slice(0, TEXT_CHARACTERS_MAX)}…` : text

/** Secrets go first: half of one would not be found any more. */
const show = (text: string, { address }: TryOptions): string =>
  shorten(address.redact(text.slice(0, READ_CHARACTERS_MAX)))

function toError(
  { method, target }: HttpRequest,
  { upstream }: TryOptions,
  message: string,
  parts: Omit<UpstreamErrorParts, 'upstream'>,
): UpstreamError {
  return new UpstreamError(`${method} ${shorten(target)} ${message}`, { upstream, ...parts })
}
