import { Pool } from 'undici'
import type { Clock } from '../../core/clock.js'
import { joinWork } from '../../core/errors.js'
import { UpstreamError } from '../../core/upstream-error.js'
import { untilAborted, withLinked } from '../../lib/abort.js'
import { faultFields } from '../../lib/fault-fields.js'
import type { Log } from '../../lib/log.js'
import { TimeoutError } from '../../lib/timeout.js'
import { backoffMs, systemTiming, type Timing } from '../../lib/timing.js'
import { VERSION } from '../../lib/version.js'
import { Breaker, type BreakerState, type Pass } from './breaker.js'
import {
  type HttpAnswer,
  type HttpRequest,
  type Outcome,
  parseBody,
  shorten,
  type TryOptions,
  tryOnce,
} from './http-try.js'
import type { UpstreamMetrics } from './metrics.js'
import { ParseError } from './parse-json.js'
import { type PathLimit, QueueFullError, RateLimiter } from './rate-limit.js'
import { SingleFlight } from './single-flight.js'
import { type BaseUrl, parseBaseUrl, type Query, toQueryString } from './url.js'

export type HttpUpstreamOptions = {
  /** The upstream's name in errors, logs and metrics. */
  name: string
  /** May hold a name with a password, and may end in a path, which then comes before every other. */
  url: string
  limits: readonly PathLimit[]
  metrics: UpstreamMetrics
  clock: Clock
  log?: Log | undefined
  timing?: Timing | undefined
  /** Calls wait for it. Absent: the upstream can be called at once. */
  opened?: Promise<void> | undefined
  userAgent?: string | undefined
  /** Further headers, built again for each try: signatures carry the time. */
  sign?: ((request: HttpRequest) => Record<string, string>) | undefined
  timeoutMs?: number | undefined
  bodyBytesMax?: number | undefined
  /** How often a call is sent at most, when it fails in a way that may pass. */
  triesMax?: number | undefined
}

/** The options that are handed to a connector; it adds the others itself. */
export type ConnectorOptions = Pick<
  HttpUpstreamOptions,
  'url' | 'metrics' | 'clock' | 'log' | 'timing' | 'timeoutMs' | 'opened'
>

export type CallOptions = {
  signal?: AbortSignal | undefined
  /** Whose share of the limits the call is charged to. Absent: it is background work of our own. */
  accountId?: number | undefined
}

export type GetOptions<T> = CallOptions & { parse: (json: unknown, path: string) => T }

export type PostOptions<T> = GetOptions<T> &
  TimedCallOptions & {
    /** Parses the answer in another thread. What that refuses is parsed here, which has the same error. */
    parseElsewhere?: ((body: Buffer) => Promise<ParsedElsewhere<T>>) | undefined
  }

/** `refused`: the other thread could not parse the answer and hands its bytes back. */
export type ParsedElsewhere<T> = { value: T } | { refused: Buffer }

export type TimedCallOptions = CallOptions & {
  /**
   * A try that takes longer than this is the last one, and is no sign of the upstream's health: the
   * request was too large, and the caller repeats it in parts.
   */
  tryTimeoutMs?: number | undefined
}

const TRIES_MAX = 4
const TIMEOUT_MS = 10_000
const BODY_BYTES_MAX = 64 * 1024 * 1024
const CONNECTIONS_MAX = 16
const BACKOFF = { baseMs: 500, maxMs: 30_000 }
/** No call waits longer than this for its next try: it fails, and the breaker opens. */
const WAIT_MS_MAX = 30_000
const BREAKER_LEVELS = { closed: 0, 'half-open': 1, open: 2 }

/**
 * An upstream that is called over HTTP and answers in JSON. Each call passes the breaker, waits for
 * the rate limits, is sent, and is sent again when that may help: everything that
 * connectors ask for is a read, so nothing happens twice. Faults are thrown as `UpstreamError`, an
 * abort as its reason.
 */
export class HttpUpstream {
  /** Takes the keys of the address out of a text before it is logged or shown. */
  readonly redact: (text: string) => string
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
    const address = parseBaseUrl(options.url)
    this.redact = address.redact
    this.#name = name
    this.#options = options
    this.#timing = timing
    // Timeouts of the pool are off: each try has one deadline of its own.
    const timeouts = { headersTimeout: 0, bodyTimeout: 0 }
    this.#pool = new Pool(address.origin, { connections: CONNECTIONS_MAX, ...timeouts })
    this.#try = this.#tryOptions(address)
    this.#breaker = new Breaker(name, timing, (...change) => this.#onBreaker(...change))
    this.#limiter = new RateLimiter(name, limits, timing)
    options.metrics.breaker.set({ upstream: name }, BREAKER_LEVELS.closed)
  }

  get state(): BreakerState {
    return this.#breaker.state
  }

  /** Calls of the same URL at the same time share one request, which the first one pays for. */
  async get<T>(path: string, query: Query, { parse, signal, accountId }: GetOptions<T>): Promise<T> {
    const target = path + toQueryString(query)
    const request: HttpRequest = { method: 'GET', path, target, body: undefined }
    const json = await joinWork(accountId, () =>
      this.#flights.run(target, signal, (shared) =>
        this.#call(request, { read: (answer) => this.#json(request, answer), signal: shared, accountId }),
      ),
    )
    return this.#parse(request, json, parse)
  }

  /** `parse` may refuse an answer with a retryable `UpstreamError`: it counts like any other fault. */
  post<T>(path: string, body: unknown, { parse, parseElsewhere, ...rest }: PostOptions<T>): Promise<T> {
    const text = JSON.stringify(body)
    const request: HttpRequest = { method: 'POST', path, target: path, body: text }
    const parseHere = (answer: HttpAnswer) => this.#parse(request, this.#json(request, answer), parse)
    const read = async (answer: HttpAnswer) => {
      const parsed = await parseElsewhere?.(answer.body)
      if (parsed === undefined) return parseHere(answer)
      return 'value' in parsed ? parsed.value : parseHere({ ...answer, body: parsed.refused })
    }
    return this.#call(request, { ...rest, read })
  }

  /** Like `get`; `undefined` when the upstream answers 404. */
  async find<T>(path: string, query: Query, options: GetOptions<T>): Promise<T | undefined> {
    try {
      return await this.get(path, query, options)
    } catch (error) {
      if (error instanceof UpstreamError && error.status === 404) return undefined
      throw error
    }
  }

  /** Ends the calls that are under way. */
  async close(): Promise<void> {
    const closed = { upstream: this.#name, retryable: false }
    this.#closing.abort(new UpstreamError('the connector was closed', closed))
    await this.#pool.destroy()
  }

  #call<T>(request: HttpRequest, call: Call<T>): Promise<T> {
    return withLinked([call.signal, this.#closing.signal], async ({ signal }) => {
      await untilAborted(this.#options.opened, signal)
      signal.throwIfAborted()
      const pass = this.#breaker.enter()
      try {
        const value = await this.#tryUntilAnswered(request, { ...call, signal }, pass)
        pass.succeed()
        return value
      } catch (error) {
        if (signal.aborted || isNoSignOfHealth(error, call)) pass.forget()
        else if (error instanceof UpstreamError && !error.retryable) pass.succeed()
        else pass.fail(error)
        throw error
      }
    })
  }

  async #tryUntilAnswered<T>(
    request: HttpRequest,
    call: Call<T> & { signal: AbortSignal },
    { probe }: Pass,
  ): Promise<T> {
    const triesMax = probe ? 1 : (this.#options.triesMax ?? TRIES_MAX)
    let fault: UpstreamError | undefined
    for (let tries = 1; ; tries++) {
      await this.#limiter.take(request.path, call.signal, call.accountId)
      // The breaker opened while this call waited.
      if (!probe && this.#breaker.state !== 'closed') throw fault ?? this.#breaker.refusal()
      const outcome = await this.#measure(() => this.#tryAndRead(request, call))
      if (outcome.result === 'ok') return outcome.value
      fault = outcome.error
      this.#holdBack(fault)
      const waitMs = Math.max(fault.retryAfterMs ?? 0, backoffMs(BACKOFF, tries))
      const mayTryAgain = fault.retryable && tries < triesMax && waitMs <= WAIT_MS_MAX
      if (!mayTryAgain || isTooSlow(fault, call)) throw fault
      await this.#timing.sleep(waitMs, call.signal)
    }
  }

  async #tryAndRead<T>(
    request: HttpRequest,
    { read, signal, tryTimeoutMs = this.#try.timeoutMs }: Call<T> & { signal: AbortSignal },
  ): Promise<Outcome<T>> {
    const outcome = await tryOnce(request, { ...this.#try, timeoutMs: tryTimeoutMs }, signal)
    if (outcome.result !== 'ok') return outcome
    try {
      return { result: 'ok', value: await read(outcome.value) }
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error
      const { cause } = error
      const isGarbage = cause instanceof ParseError || cause instanceof SyntaxError
      return { result: isGarbage ? 'garbage' : 'refused', error }
    }
  }

  /** Sends nothing for as long as the upstream asks for it. */
  #holdBack(fault: UpstreamError): void {
    const { retryAfterMs = 0 } = fault
    if (retryAfterMs > WAIT_MS_MAX) this.#breaker.rest(retryAfterMs, fault)
    else if (retryAfterMs > 0) this.#limiter.hold(retryAfterMs)
  }

  async #measure<T>(run: () => Promise<Outcome<T>>): Promise<Outcome<T>> {
    const { metrics } = this.#options
    const startedMs = this.#timing.now()
    const outcome = await run()
    metrics.requests.inc({ upstream: this.#name, result: outcome.result })
    metrics.seconds.observe({ upstream: this.#name }, (this.#timing.now() - startedMs) / 1_000)
    this.#noteHealth(outcome)
    return outcome
  }

  /** An answer that refuses what was asked for, such as a 404, is one of an upstream that works. */
  #noteHealth(outcome: Outcome<unknown>): void {
    const { metrics, clock } = this.#options
    const isFault = outcome.result !== 'ok' && (outcome.error.retryable || outcome.result === 'garbage')
    if (isFault) metrics.health.failed(this.#name, outcome.error.message, clock.now())
    else metrics.health.succeeded(this.#name, clock.now())
  }

  #json(request: HttpRequest, answer: HttpAnswer): unknown {
    return parseBody(request, answer, this.#try)
  }

  #parse<T>({ method, target }: HttpRequest, json: unknown, parse: GetOptions<T>['parse']): T {
    try {
      return parse(json, 'body')
    } catch (cause) {
      if (!(cause instanceof ParseError)) throw cause
      const message = `${method} ${shorten(target)} answered another shape: ${cause.message}`
      throw new UpstreamError(message, { upstream: this.#name, retryable: false, cause })
    }
  }

  #onBreaker(state: BreakerState, cause: unknown): void {
    const { metrics, log } = this.#options
    metrics.breaker.set({ upstream: this.#name }, BREAKER_LEVELS[state])
    if (cause !== undefined)
      log?.warn({ upstream: this.#name, ...faultFields(cause) }, 'upstream keeps failing, calls are paused')
    if (state === 'closed') log?.info({ upstream: this.#name }, 'upstream answers again')
  }

  #tryOptions(address: BaseUrl): TryOptions {
    const { clock, sign, userAgent = `auspex/${VERSION}` } = this.#options
    return {
      upstream: this.#name,
      pool: this.#pool,
      address,
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

type Call<T> = TimedCallOptions & { read: (answer: HttpAnswer) => T | Promise<T> }

const isTooSlow = (error: UpstreamError, { tryTimeoutMs }: Pick<Call<unknown>, 'tryTimeoutMs'>) =>
  tryTimeoutMs !== undefined && error.cause instanceof TimeoutError

/** Errors that are no sign of the upstream's health, such as a bug of ours. */
const isNoSignOfHealth = (error: unknown, call: Pick<Call<unknown>, 'tryTimeoutMs'>): boolean =>
  !(error instanceof UpstreamError) || error instanceof QueueFullError || isTooSlow(error, call)
