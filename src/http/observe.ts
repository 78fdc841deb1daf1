import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest, onResponseHookHandler } from 'fastify'
import type { Metric, Registry } from 'prom-client'
import type { RequestOutcome, UsageMeter, UsageSource } from '../accounts/usage-meter.js'
import { isFault } from '../core/errors.js'
import type { Platform } from '../platform.js'

/** Called with an answered request. */
export type Observe = (request: FastifyRequest, reply: FastifyReply) => void

// Refused before any work was done for them: they cost an account nothing.
const UNCOUNTED = new Set([401, 402, 403, 429, 501])

/**
 * Counts, measures and logs the answered requests of every route registered after this call. The
 * returned function does the same for requests that no route takes.
 */
export function observeRoutes(app: FastifyInstance, platform: Platform, usage: UsageMeter): Observe {
  const times = new RequestTimes(platform.metrics)
  const createObserve = (route: string, source: UsageSource): Observe => {
    const tallies = times.of(route)
    return (request, { statusCode, elapsedTime }) => {
      const { caller } = request
      const bytes = takeSentBytes(request.raw.socket)
      if (caller !== undefined) usage.addRequest(caller, source, outcomeOf(statusCode), bytes)
      const seconds = elapsedTime / 1000
      addTime(tallies, request.method, statusCode, seconds)
      logRequest(platform, route, request, statusCode, seconds)
    }
  }
  app.addHook('onRoute', (route) => {
    // The few tags of the API's description are the families that usage is shown by.
    const { tags: [family = OTHER] = [], operationId: operation = OTHER } = route.schema ?? {}
    const observe = createObserve(route.url, { operation, family })
    const onResponse: onResponseHookHandler = (request, reply, done) => {
      observe(request, reply)
      done()
    }
    route.onResponse = [onResponse, ...[route.onResponse ?? []].flat()]
  })
  return createObserve('none', { operation: OTHER, family: OTHER })
}

const OTHER = 'other'

function outcomeOf(status: number): RequestOutcome {
  if (isFault(status)) return 'failed'
  return UNCOUNTED.has(status) ? 'refused' : 'counted'
}

const COUNTED_BYTES = Symbol('what was written when the last answer of the connection was out')

/** What a connection has sent since the last call. One request of a connection is worked on at a time. */
function takeSentBytes(socket: Socket & { [COUNTED_BYTES]?: number }): number {
  // Requests of tests come without a connection.
  const written = socket.bytesWritten ?? 0
  const sent = written - (socket[COUNTED_BYTES] ?? 0)
  socket[COUNTED_BYTES] = written
  return sent
}

/**
 * Refused requests at info, all others at debug: a busy service would fill its log. Probes of readiness
 * come all the time, and `/v1/status` says why they fail.
 */
function logRequest(
  { log, floodLog }: Platform,
  route: string,
  request: FastifyRequest,
  status: number,
  seconds: number,
): void {
  const account = request.caller?.accountId
  const fields = () => ({
    request_id: request.id,
    method: request.method,
    url: loggableUrl(request.url),
    status,
    ms: Math.round(seconds * 1000),
    ip: request.ip,
    account,
  })
  if (status >= 400 && request.url !== '/readyz') {
    const sender = account === undefined ? 'without account' : `of account ${account}`
    floodLog.write('info', 'request', fields, `${status} ${route} ${sender}`)
  } else if (log.isLevelEnabled('debug')) {
    log.debug(fields(), 'request')
  }
}

const SECRET_PARAMETERS = ['key', 'code']

/** The URL without key and sign-in code. Decoded, so that the log's own filter recognises a key in any spelling. */
function loggableUrl(url: string): string {
  const [path = '', query] = url.slice(0, 500).split('?', 2)
  if (query === undefined) return decodeAscii(path)
  const parameters = new URLSearchParams(query)
  for (const name of SECRET_PARAMETERS) if (parameters.has(name)) parameters.set(name, '[redacted]')
  return `${decodeAscii(path)}?${decodeAscii(parameters.toString())}`
}

const decodeAscii = (text: string): string =>
  text.replace(/%([2-7][0-9a-f])/gi, (_match, code: string) => String.fromCharCode(Number.parseInt(code, 16)))

/** The metric of all answered requests, by route, method and status. */
export const HTTP_DURATION_METRIC = 'auspex_http_request_duration_seconds'
const BOUNDS_SECONDS = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10]

/** The answers of one kind: counts[i] took at most BOUNDS_SECONDS[i], the last one longer. */
type Tally = { counts: number[]; sum: number }
/** Those of one route, by method and status. */
type Tallies = Map<string, Tally>

/**
 * How long requests took, by route, method and status: a hand-written Prometheus histogram. The
 * library's finds the numbers of a label set by hashing it, which for a request that is answered
 * from memory is a noticeable part of all work; here the route already holds its numbers.
 */
class RequestTimes {
  readonly name = HTTP_DURATION_METRIC
  readonly help = 'Time from the arrival of a request to the end of its answer'
  readonly type = 'histogram'
  readonly aggregator = 'sum'
  readonly #routes = new Map<string, Tallies>()

  constructor(registry: Registry) {
    registry.registerMetric(this as unknown as Metric)
  }

  /** The tallies of a route, which its observer keeps. */
  of(route: string): Tallies {
    const known = this.#routes.get(route)
    if (known !== undefined) return known
    const tallies: Tallies = new Map()
    this.#routes.set(route, tallies)
    return tallies
  }

  async get() {
    const values = [...this.#routes].flatMap(([route, tallies]) =>
      [...tallies].flatMap(([kind, tally]) => {
        const [method = '', status = ''] = kind.split(' ')
        return toSamples({ route, method, status }, tally)
      }),
    )
    const { name, help, type, aggregator } = this
    return { name, help, type, aggregator, values }
  }

  reset(): void {
    for (const tallies of this.#routes.values()) tallies.clear()
  }
}

function addTime(tallies: Tallies, method: string, status: number, seconds: number): void {
  const kind = `${method} ${status}`
  let tally = tallies.get(kind)
  if (tally === undefined) {
    tally = { counts: new Array(BOUNDS_SECONDS.length + 1).fill(0), sum: 0 }
    tallies.set(kind, tally)
  }
  let bucket = 0
  while (seconds > (BOUNDS_SECONDS[bucket] ?? Number.POSITIVE_INFINITY)) bucket++
  tally.counts[bucket] = (tally.counts[bucket] ?? 0) + 1
  tally.sum += seconds
}

function toSamples(labels: Record<string, string>, { counts, sum }: Tally) {
  let total = 0
  const buckets = counts.map((count, index) => {
    total += count
    const le = BOUNDS_SECONDS[index] ?? '+Inf'
    return { metricName: `${HTTP_DURATION_METRIC}_bucket`, labels: { le, ...labels }, value: total }
  })
  return [
    ...buckets,
    { metricName: `${HTTP_DURATION_METRIC}_sum`, labels, value: sum },
    { metricName: `${HTTP_DURATION_METRIC}_count`, labels, value: total },
  ]
}
