import type { Pool } from 'undici'
import { messageOf } from '../../errors.js'
import { TimeoutError } from '../../lib/timeout.js'
import { withLinked } from './abort.js'
import { UpstreamError, type UpstreamErrorParts } from './errors.js'
import { addQuery } from './query.js'
import { ACCEPTED_ENCODINGS, BodyTooLargeError, readBody } from './read-body.js'
import { type Headers, readRetryAfterMs } from './retry-after.js'

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
  /** What the base URL adds before the target, and to its query: keys of providers are there. */
  basePath: string
  baseQuery: string
  headers: (request: HttpRequest) => Record<string, string>
  timeoutMs: number
  bodyBytesMax: number
  nowMs: () => number
}

/** How one try ended. The result is also the label that it is counted under. */
export type Outcome =
  | { result: 'ok'; json: unknown }
  | { result: 'refused' | 'failed' | 'timeout' | 'garbage'; error: UpstreamError }

type Answer = { status: number; headers: Headers; text: string }

/** Sends a request once and reads all of its answer. Throws nothing but the reason of an abort. */
export async function tryOnce(
  request: HttpRequest,
  options: TryOptions,
  signal: AbortSignal,
): Promise<Outcome> {
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
    return { result: 'failed', error: failWith(`failed: ${messageOf(cause)}`, true) }
  }
}

/** One deadline for everything: to connect, the headers, and the last byte of the body. */
function exchange(
  request: HttpRequest,
  { pool, basePath, baseQuery, headers, timeoutMs, bodyBytesMax }: TryOptions,
  signal: AbortSignal,
): Promise<Answer> {
  return withLinked([signal], async (linked) => {
    const late = () => linked.abort(new TimeoutError(`gave no answer within ${timeoutMs} ms`))
    const timer = setTimeout(late, timeoutMs)
    try {
      const response = await pool.request({
        method: request.method,
        path: basePath + addQuery(request.target, baseQuery),
        headers: { 'accept-encoding': ACCEPTED_ENCODINGS, ...headers(request) },
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

function judge(request: HttpRequest, answer: Answer, options: TryOptions): Outcome {
  const { status, headers, text } = answer
  if (status >= 200 && status < 300) return parse(request, answer, options)
  const retryable = status >= 500 || status === 408 || status === 425 || status === 429
  const retryAfterMs = retryable ? readRetryAfterMs(headers, text, options.nowMs()) : undefined
  const message = `answered ${status}: ${errorText(text)}`
  const error = toError(request, options, message, { retryable, status, retryAfterMs })
  return { result: status >= 500 ? 'failed' : 'refused', error }
}

function parse(request: HttpRequest, { status, text }: Answer, options: TryOptions): Outcome {
  try {
    return { result: 'ok', json: JSON.parse(text) }
  } catch (cause) {
    const message = `answered ${status} with no JSON: ${shorten(text)}`
    const error = toError(request, options, message, { retryable: true, status, cause })
    return { result: 'garbage', error }
  }
}

/** What an upstream says about its refusal, without the JSON around it. */
function errorText(body: string): string {
  const said = /"(?:error|message)"\s*:\s*"((?:[^"\\]|\\.)*)"/.exec(body)?.[1]
  return shorten(said ?? body)
}

const TEXT_CHARACTERS_MAX = 200

export const shorten = (text: string): string =>
  text.length > TEXT_CHARACTERS_MAX ? `${text.slice(0, TEXT_CHARACTERS_MAX)}…` : text

function toError(
  { method, target }: HttpRequest,
  { upstream }: TryOptions,
  message: string,
  parts: Omit<UpstreamErrorParts, 'upstream'>,
): UpstreamError {
  return new UpstreamError(`${method} ${shorten(target)} ${message}`, { upstream, ...parts })
}
