import { AuspexError, messageOf } from './auspex-error.js'

export type HttpOptions = {
  /** Such as `http://127.0.0.1:8080`. */
  baseUrl: string | URL
  /** Left out: requests carry no key, as in a page with a session cookie. */
  apiKey?: string | undefined
  fetch?: typeof fetch | undefined
  /** Further attempts after a failure that may pass; 3 unless given. */
  retries?: number | undefined
  /** Passed to `fetch`. */
  credentials?: RequestInit['credentials'] | undefined
  /**
   * Whether requests name the newest block that answers have named, so that no answer is older than an earlier one; they
   * do unless this is `false`.
   */
  sendsHeadBlock?: boolean | undefined
  /** Waits between attempts; a timer unless given. */
  sleep?: Sleep | undefined
}

export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>

export type HttpRequest = {
  path?: object | undefined
  query?: object | undefined
  body?: unknown
  signal?: AbortSignal | undefined
}

const RETRIES = 3
const BACKOFF_MS = 250
const BACKOFF_MS_MAX = 8_000
/** The client throws at once when the service asks for a longer wait, which may last until midnight. */
const RETRY_AFTER_SECONDS_MAX = 60
/** The request was refused before anything was done, so that it may be sent again whatever its method is. */
const REFUSED = 429
const PASSING = [REFUSED, 502, 503, 504]
const HEAD_BLOCK = 'x-head-block'

/** Sends requests, and sends them again where that can help and harms nothing. */
export class Http {
  readonly baseUrl: string
  readonly #options: HttpOptions
  readonly #sleep: Sleep
  /** The newest block that an answer has named; 0: none has. */
  #headBlock = 0

  constructor(options: HttpOptions) {
    this.#options = options
    this.#sleep = options.sleep ?? sleep
    this.baseUrl = String(options.baseUrl).replace(/\/+$/, '')
  }

  /** The body of the answer as JSON; `undefined`: it has none. */
  async request(method: string, path: string, request: HttpRequest): Promise<unknown> {
    return await this.#attempt(method, path, request, async (response) => {
      const text = await response.text()
      return text === '' ? undefined : JSON.parse(text)
    })
  }

  /** The body of the answer, as soon as its first bytes are here. */
  async download(path: string, request: HttpRequest): Promise<ReadableStream<Uint8Array>> {
    return await this.#attempt('GET', path, request, async ({ body }) => {
      if (body === null) throw new Error('the answer has no body')
      return body
    })
  }

  async #attempt<Result>(
    method: string,
    path: string,
    request: HttpRequest,
    read: (response: Response) => Promise<Result>,
  ): Promise<Result> {
    const url = this.baseUrl + writePath(path, request.path) + writeQuery(request.query)
    const { signal } = request
    const { retries = RETRIES } = this.#options
    for (let attempt = 0; ; attempt++) {
      const error = await this.#send(method, url, request, read).then((result) => ({ result }), toError)
      if ('result' in error) return error.result
      signal?.throwIfAborted()
      if (attempt >= retries || !mayRepeat(method, error)) throw error
      const waitMs = (error.retryAfterSeconds ?? 0) * 1_000 || backoffMs(attempt)
      await this.#sleep(waitMs, signal)
    }
  }

  async #send<Result>(
    method: string,
    url: string,
    { body, signal }: HttpRequest,
    read: (response: Response) => Promise<Result>,
  ): Promise<Result> {
    const { apiKey, credentials, sendsHeadBlock = true, fetch: send = fetch } = this.#options
    const headBlock = sendsHeadBlock ? this.#headBlock : 0
    const response = await send(url, {
      method,
      headers: {
        ...(apiKey !== undefined && { 'x-api-key': apiKey }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(headBlock > 0 && { [HEAD_BLOCK]: `${headBlock}` }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(credentials !== undefined && { credentials }),
      ...(signal !== undefined && { signal }),
    })
    const named = Number(response.headers.get(HEAD_BLOCK))
    if (named > this.#headBlock) this.#headBlock = named
    if (!response.ok) throw await readRefusal(response)
    return await read(response)
  }
}

/** The wait before the attempt after this one, which is number 0 at first. */
export const backoffMs = (attempt: number, baseMs = BACKOFF_MS, maxMs = BACKOFF_MS_MAX): number =>
  Math.min(maxMs, baseMs * 2 ** attempt) * (0.5 + Math.random() / 2)

export const sleep: Sleep = (ms, signal) =>
  new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop, { once: true })
  })

function mayRepeat(method: string, { status, retryAfterSeconds = 0 }: AuspexError): boolean {
  if (retryAfterSeconds > RETRY_AFTER_SECONDS_MAX) return false
  if (method !== 'GET') return status === REFUSED
  return status === undefined || PASSING.includes(status)
}

const toError = (error: unknown): AuspexError =>
  error instanceof AuspexError ? error : new AuspexError(describeLoss(error), { cause: error })

/** `fetch` of Node.js says no more than that it failed; why is in the cause. */
const describeLoss = (error: unknown): string =>
  messageOf(error instanceof Error && error.cause instanceof Error ? error.cause : error)

async function readRefusal(response: Response): Promise<AuspexError> {
  const { status, headers } = response
  const text = await response.text().catch(() => '')
  const body = parseJson(text) ?? text
  const { error, message, hint } = Object(body) as { error?: string; message?: string; hint?: string }
  const words = [message ?? error ?? `the service answered with ${status}`, hint]
  return new AuspexError(words.filter(Boolean).join(' '), {
    status,
    // Where there is no code, the error is a sentence.
    code: error !== undefined && /^\w+$/.test(error) ? error : undefined,
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfterSeconds: readRetryAfter(headers.get('retry-after')),
    body,
  })
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Seconds, or a date that a proxy wrote. */
function readRetryAfter(text: string | null): number | undefined {
  if (text === null) return undefined
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1_000
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}

function writePath(path: string, values: object = {}): string {
  return path.replace(/\{(\w+)\}/g, (_match, name: string) => {
    const value = String((values as Record<string, unknown>)[name] ?? '')
    // A part of dots would name another path.
    if (/^\.{0,2}$/.test(value)) throw new TypeError(`${path}: ${name} must not be "${value}"`)
    return encodeURIComponent(value)
  })
}

function writeQuery(values: object = {}): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined) query.set(name, String(value))
  }
  return query.size === 0 ? '' : `?${query}`
}
