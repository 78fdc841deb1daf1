import { promisify } from 'node:util'
import { brotliDecompress, gunzip } from 'node:zlib'
import type { Pool } from 'undici'
import { codeOf, messageOf } from '../../core/errors.js'
import { UpstreamError, type UpstreamErrorParts } from '../../core/upstream-error.js'
import { withLinked } from '../../lib/abort.js'
import { startTimeout, TimeoutError } from '../../lib/timeout.js'
import { addQuery, type BaseUrl } from './url.js'

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
  address: BaseUrl
  headers: (request: HttpRequest) => Record<string, string>
  timeoutMs: number
  bodyBytesMax: number
  nowMs: () => number
}

/** How one try ended. `result` is also the label of the metric that counts it. */
export type Outcome<T> =
  | { result: 'ok'; value: T }
  | { result: 'refused' | 'failed' | 'timeout' | 'garbage'; error: UpstreamError }

export type HttpAnswer = { status: number; headers: Headers; body: Buffer }

/** Sends a request once and reads its whole answer. Throws only the reason of an abort. */
export async function tryOnce(
  request: HttpRequest,
  options: TryOptions,
  signal: AbortSignal,
): Promise<Outcome<HttpAnswer>> {
  try {
    return judge(request, await exchange(request, options, signal), options)
  } catch (cause) {
    signal.throwIfAborted()
    const failWith = (message: string, retryable: boolean) =>
      toError(request, options, message, { retryable, cause })
    if (cause instanceof TimeoutError) return { result: 'timeout', error: failWith(cause.message, true) }
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
): Promise<HttpAnswer> {
  return withLinked([signal], async (linked) => {
    const late = () => linked.abort(new TimeoutError(`gave no answer within ${timeoutMs} ms`))
    const stop = startTimeout(timeoutMs, late)
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
      const body = await readBody(response.body, encoding, bodyBytesMax)
      return { status: response.statusCode, headers: response.headers, body }
    } finally {
      stop()
    }
  })
}

function judge(request: HttpRequest, answer: HttpAnswer, options: TryOptions): Outcome<HttpAnswer> {
  const { status, headers, body } = answer
  if (status >= 200 && status < 300) return { result: 'ok', value: answer }
  const text = body.toString('utf8')
  const retryable = status >= 500 || status === 408 || status === 425 || status === 429
  const retryAfterMs = retryable ? parseRetryAfterMs(headers, text, options.nowMs()) : undefined
  const said = show(errorText(text), options)
  const message = `answered ${status}: ${said}`
  const error = toError(request, options, message, { retryable, status, said, retryAfterMs })
  return { result: status >= 500 ? 'failed' : 'refused', error }
}

/** The JSON of an answer. Throws an UpstreamError whose cause is a SyntaxError. */
export function parseBody(request: HttpRequest, { status, body }: HttpAnswer, options: TryOptions): unknown {
  const text = body.toString('utf8')
  try {
    return JSON.parse(text)
  } catch (cause) {
    const message = `answered ${status} with no JSON: ${show(text, options)}`
    throw toError(request, options, message, { retryable: true, status, cause })
  }
}

/** The error message in an upstream's answer, without the JSON around it. */
function errorText(body: string): string {
  const text = body.slice(0, READ_CHARACTERS_MAX)
  return /"(?:error|message)"\s*:\s*"((?:[^"\\]|\\.)*)"/.exec(text)?.[1] ?? text
}

const TEXT_CHARACTERS_MAX = 200
const READ_CHARACTERS_MAX = 10_000

export const shorten = (text: string): string =>
  text.length > TEXT_CHARACTERS_MAX ? `${text.slice(0, TEXT_CHARACTERS_MAX)}…` : text

/** Keys are removed before the text is cut: half a key would no longer be recognised. */
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

/** How the upstream may compress a body. */
const unpackers = { gzip: promisify(gunzip), br: promisify(brotliDecompress) }

const ACCEPTED_ENCODINGS = Object.keys(unpackers).join(', ')

export class BodyTooLargeError extends Error {
  override name = 'BodyTooLargeError'
}

/** The whole body. Throws `BodyTooLargeError` before it holds more than `bytesMax`. */
async function readBody(
  body: AsyncIterable<Uint8Array>,
  encoding: unknown,
  bytesMax: number,
): Promise<Buffer> {
  const bytes = await collect(body, bytesMax)
  if (encoding !== 'gzip' && encoding !== 'br') return bytes
  try {
    return await unpackers[encoding](bytes, { maxOutputLength: bytesMax })
  } catch (error) {
    throw codeOf(error) === 'ERR_BUFFER_TOO_LARGE' ? tooLarge(bytesMax) : error
  }
}

async function collect(body: AsyncIterable<Uint8Array>, bytesMax: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > bytesMax) throw tooLarge(bytesMax)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const tooLarge = (bytesMax: number) => new BodyTooLargeError(`the body has more than ${bytesMax} bytes`)

type Headers = Readonly<Record<string, string | string[] | undefined>>

// A longer wait is cut: an upstream that errs must not stop our calls for hours.
const RETRY_AFTER_MS_MAX = 10 * 60_000

/**
 * How long the upstream asks us to wait: `Retry-After` in seconds or as a date, the end of a used-up
 * limit as X writes it, or the CLOB's field for it. `undefined`: it states no time, or none that can be parsed.
 */
export function parseRetryAfterMs(headers: Headers, body: string, nowMs: number): number | undefined {
  const ms = fromHeader(headers, nowMs) ?? fromBody(body)
  return ms === undefined ? undefined : Math.min(Math.max(ms, 0), RETRY_AFTER_MS_MAX)
}

function fromHeader(headers: Headers, nowMs: number): number | undefined {
  const retryAfter = headers['retry-after']
  if (typeof retryAfter !== 'string') return fromUsedUpLimit(headers, nowMs)
  if (/^\d+(\.\d+)?$/.test(retryAfter.trim())) return Number(retryAfter) * 1_000
  // Relative to the upstream's own clock, where it sends one: ours may be wrong.
  const sentMs = Date.parse(String(headers.date))
  const ms = Date.parse(retryAfter) - (Number.isNaN(sentMs) ? nowMs : sentMs)
  return Number.isNaN(ms) ? undefined : ms
}

/** X says when its limit is reset, in Unix seconds, and on all answers. */
function fromUsedUpLimit(headers: Headers, nowMs: number): number | undefined {
  const reset = headers['x-rate-limit-reset']
  const isUsedUp = headers['x-rate-limit-remaining'] === '0'
  if (!isUsedUp || typeof reset !== 'string' || !/^\d{1,11}$/.test(reset)) return undefined
  return Number(reset) * 1_000 - nowMs
}

function fromBody(body: string): number | undefined {
  const seconds = /"retry_after_seconds"\s*:\s*"?(\d+(?:\.\d+)?)/.exec(body)?.[1]
  return seconds === undefined ? undefined : Number(seconds) * 1_000
}
