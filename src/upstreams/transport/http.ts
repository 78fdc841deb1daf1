import { Pool } from 'undici'
import type { Clock } from '../../lib/clock.js'
import type { Log } from '../../log.js'
import { VERSION } from '../../version.js'
import { withLinked } from './abort.js'
import { backoffMs } from './backoff.js'
import { Breaker, type BreakerState } from './breaker.js'
import { UpstreamError } from './errors.js'
import { type HttpRequest, type Outcome, shorten, type TryOptions, tryOnce } from './http-try.js'
import type { UpstreamMetrics } from './metrics.js'
import { type Query, toQueryString } from './query.js'
import { type PathLimit, QueueFullError, RateLimiter } from './rate-limit.js'
import { ReadError } from './read.js'
import { SingleFlight } from './single-flight.js'
import { systemTiming, type Timing } from './timing.js'

const TRIES_MAX = 4
const TIMEOUT_MS = 10_000
const BODY_BYTES_MAX = 64 * 1024 * 1024
const CONNECTIONS_MAX = 16
const BACKOFF = { baseMs: 500, maxMs: 30_000 }
const BREAKER_LEVELS = { closed: 0, 'half-open': 1, open: 2 }

export type HttpUpstreamOptions = {
  /** The upstream's name in errors, logs and metrics. */
  name: string
  /** May end in a path, which then comes before every other. */
  url: string
  limits: readonly PathLimit[]
  metrics: UpstreamMetrics
  clock: Clock
  log?: Log | undefined
  timing?: Timing | undefined
  userAgent?: string | undefined
  /** Further headers, asked for anew before each try: signatures carry the time. */
  sign?: ((request: HttpRequest) => Record<string, string>) | undefined
  timeoutMs?: number | undefined
  bodyBytesMax?: number | undefined
}

/** What the owner of a connector decides; the rest is the connector's. */
export type ConnectorOptions = Pick<
  HttpUpstreamOptions,
  'url' | 'metrics' | 'clock' | 'log' | 'timing' | 'timeoutMs'
>

type Ask<T> = {
  read: (json: unknown, path: string) => T
  signal?: AbortSignal | undefined
}

/**
 * An upstream that is asked over HTTP and answers in JSON. Each call passes the breaker, waits for
 * its turn under the rate limits, is sent, and is sent again when that may help: everything that
 * connectors ask for is a read, so nothing happens twice. Faults are thrown as `UpstreamError`, an
 * abort as its reason.
 */
export class HttpUpstream {
  readonly #name: string
  readonly #options: HttpUpstreamOptions
  readonly #timing: Timing
  readonly #pool: Pool
  readonly #try: TryOptions
  readonly #breaker: Breaker
  readonly #limiter: RateLimiter
  readonly #flights = new SingleFlight<unknown>()
  readonly #closing = new AbortController()

  constructor(options: HttpUpstreamOptions) {
    const { name, limits, timing = systemTiming } = options
    const { origin, pathname, search } = new URL(options.url)
    this.#name = name
    this.#options = options
    this.#timing = timing
    // Timeouts of the pool are off: each try has one deadline of its own.
    const timeouts = { headersTimeout: 0, bodyTimeout: 0 }
    this.#pool = new Pool(origin, { connections: CONNECTIONS_MAX, ...timeouts })
    this.#try = this.#tryOptions(pathname.replace(/\/$/, ''), search)
    this.#breaker = new Breaker(name, timing, (...change) => this.#onBreaker(...change))
    this.#limiter = new RateLimiter(name, limits, timing)
    options.metrics.breaker.set({ upstream: name }, BREAKER_LEVELS.closed)
  }

  get state(): BreakerState {
    return this.#breaker.state
  }

  /** Callers who ask for the same URL at the same time share one request. */
  async get<T>(path: string, query: Query, { read, signal }: Ask<T>): Promise<T> {
    const target = path + toQueryString(query)
    const request: HttpRequest = { method: 'GET', path, target, body: undefined }
    const json = await this.#flights.run(target, signal, (shared) => this.#call(request, shared))
    return this.#read(request, json, read)
  }

  async post<T>(path: string, body: unknown, { read, signal }: Ask<T>): Promise<T> {
    const text = JSON.stringify(body)
    const request: HttpRequest = { method: 'POST', path, target: path, body: text }
    const json = await this.#call(request, signal)
    return this.#read(request, json, read)
  }

  /** Ends the calls that are under way. */
  async close(): Promise<void> {
    const closed = { upstream: this.#name, retryable: false }
    this.#closing.abort(new UpstreamError('the connector was closed', closed))
    await this.#pool.destroy()
  }

  #call(request: HttpRequest, signal: AbortSignal | undefined): Promise<unknown> {
    return withLinked([signal, this.#closing.signal], async ({ signal }) => {
      const pass = this.#breaker.enter()
      try {
        const json = await this.#tryUntilAnswered(request, pass.probe ? 1 : TRIES_MAX, signal)
        pass.succeed()
        return json
      } catch (error) {
        if (signal.aborted || error instanceof QueueFullError) pass.forget()
        else if (error instanceof UpstreamError && !error.retryable) pass.succeed()
        else pass.fail(error)
        throw error
      }
    })
  }

  async #tryUntilAnswered(request: HttpRequest, triesMax: number, signal: AbortSignal) {
    for (let tries = 1; ; tries++) {
      await this.#limiter.take(request.path, signal)
      const outcome = await this.#measure(() => tryOnce(request, this.#try, signal))
      if (outcome.result === 'ok') return outcome.json
      const { error } = outcome
      if (error.retryAfterMs !== undefined) this.#limiter.hold(error.retryAfterMs)
      if (!error.retryable || tries >= triesMax) throw error
      await this.#timing.sleep(Math.max(error.retryAfterMs ?? 0, backoffMs(BACKOFF, tries)), signal)
      // Others have found out meanwhile that the upstream is down.
      if (this.#breaker.state !== 'closed') throw error
    }
  }

  async #measure(run: () => Promise<Outcome>): Promise<Outcome> {
    const { metrics } = this.#options
    const startedMs = this.#timing.now()
    const outcome = await run()
    metrics.requests.inc({ upstream: this.#name, result: outcome.result })
    metrics.seconds.observe({ upstream: this.#name }, (this.#timing.now() - startedMs) / 1_000)
    return outcome
  }

  #read<T>({ method, target }: HttpRequest, json: unknown, read: Ask<T>['read']): T {
    try {
      return read(json, 'body')
    } catch (cause) {
      if (!(cause instanceof ReadError)) throw cause
      const message = `${method} ${shorten(target)} answered another shape: ${cause.message}`
      throw new UpstreamError(message, { upstream: this.#name, retryable: false, cause })
    }
  }

  #onBreaker(state: BreakerState, cause: unknown): void {
    const { metrics, log } = this.#options
    metrics.breaker.set({ upstream: this.#name }, BREAKER_LEVELS[state])
    if (cause !== undefined)
      log?.warn({ upstream: this.#name, err: cause }, 'upstream keeps failing, calls are paused')
    if (state === 'closed') log?.info({ upstream: this.#name }, 'upstream answers again')
  }

  #tryOptions(basePath: string, baseQuery: string): TryOptions {
    const { clock, sign, userAgent = `auspex/${VERSION}` } = this.#options
    return {
      upstream: this.#name,
      pool: this.#pool,
      basePath,
      baseQuery,
      headers: (request) => ({
        'user-agent': userAgent,
        accept: 'application/json',
        ...(request.body !== undefined && { 'content-type': 'application/json' }),
        ...sign?.(request),
      }),
      timeoutMs: this.#options.timeoutMs ?? TIMEOUT_MS,
      bodyBytesMax: this.#options.bodyBytesMax ?? BODY_BYTES_MAX,
      nowMs: () => clock.now(),
    }
  }
}
