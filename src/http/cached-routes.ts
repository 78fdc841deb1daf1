import type {
  FastifyContextConfig,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  RouteOptions,
} from 'fastify'
import { Gauge } from 'prom-client'
import type { ChainStatus } from '../core/chain-status.js'
import { joinWork } from '../core/errors.js'
import { countWait } from '../lib/stopwatch.js'
import type { Platform } from '../platform.js'
import {
  bodyHeadersOf,
  type CachedAnswer,
  type EncodedBody,
  headersOf,
  isKnownToClient,
} from './cached-answer.js'
import { type Compressor, chooseEncoding, createCompressionHook } from './compression.js'
import { setHeaders } from './request-headers.js'
import { ResponseCache } from './response-cache.js'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * How long an answer may be served again. The handler of such a route returns a value that
     * depends on the parameters of its schema alone: never on the caller, never through `reply`. What
     * it asks of upstreams is charged to the account of the first caller.
     * A function gets the validated query and the value, of the types that the route names, and the
     * time at which the computation began.
     */
    cacheMs?: number | ((query: never, nowMs: number, value: never) => number)
    /**
     * No answer of a route with `cacheMs` outlives a multiple of this since the epoch: the first
     * request at or after it is computed again, even while a computation from before it still runs.
     */
    cacheGridMs?: number
    /** Clients that reach the service under another host get another answer. */
    isPerHost?: boolean
    /**
     * Makes of the value that the handler returned the one that is served again, for routes with
     * `cacheMs` whose answers say whether they come from the cache. It leaves its argument as it is.
     */
    toRepeated?: (value: never) => Record<string, unknown>
  }
}

type CacheDeps = { compressor: Compressor; chain: ChainStatus }

/**
 * Caches the answers of every route with `cacheMs` that is registered after this call. The cache keeps
 * compressed copies; answers of other routes are compressed as they are sent.
 */
export function cacheRoutes(app: FastifyInstance, platform: Platform, deps: CacheDeps): void {
  const compressAnswer = createCompressionHook(deps.compressor)
  const bytesMax = platform.config.cacheMb * 1024 * 1024
  const cache = new ResponseCache({ clock: platform.clock, registry: platform.metrics, ...deps }, bytesMax)
  new Gauge({
    name: 'auspex_response_cache_bytes',
    help: 'Memory held by cached answers',
    registers: [platform.metrics],
    collect() {
      this.set(cache.bytes)
    },
  })
  app.addHook('onRoute', (route) => {
    const cacheMs = route.config?.cacheMs
    if (cacheMs !== undefined)
      route.handler = createHandler(route, cacheMs, cache, { platform, chain: deps.chain })
    else route.onSend = [compressAnswer, route.onSend ?? []].flat()
  })
}

function createHandler(
  route: RouteOptions,
  cacheMs: NonNullable<FastifyContextConfig['cacheMs']>,
  cache: ResponseCache,
  { platform, chain }: { platform: Platform; chain: ChainStatus },
): RouteOptions['handler'] {
  const { handler, config } = route
  const { cacheGridMs: gridMs = Number.POSITIVE_INFINITY, toRepeated } = config ?? {}
  const ttlOf = typeof cacheMs === 'number' ? () => cacheMs : cacheMs
  const keyOf = createKeyOf(route, platform.config.publicUrl === undefined && config?.isPerHost === true)

  const send = (request: FastifyRequest, reply: FastifyReply, answer: CachedAnswer, encoded: EncodedBody) => {
    setHeaders(reply, headersOf(answer, encoded.encoding, platform.clock.now()))
    if (isKnownToClient(request, answer, encoded.encoding)) return reply.code(304).send()
    setHeaders(reply, bodyHeadersOf(encoded))
    return reply.send(encoded.body)
  }

  // Without `async`: a hit, which is most of what happens, has nothing to wait for.
  return function cachedHandler(request, reply) {
    // An answer from before the block that the client knows is none for it. What is made for one such client is for all.
    const { fork } = request
    const key = keyOf(request) + (fork === undefined ? '' : ` ${fork.reorg} ${fork.block}`)
    let isComputing = false
    const compute = async (nowMs: number) => {
      isComputing = true
      const head = config?.dependsOnChain === true ? (request.namedHead ?? chain.head) : undefined
      const value = (await handler.call(this, request, reply)) as Record<string, unknown>
      const ttlMs = ttlOf(request.query as never, nowMs, value as never)
      const text = String(reply.serializeInput(value, '200'))
      if (toRepeated === undefined) return { ttlMs, text, head }
      const repeated = toRepeated(value as never)
      return { ttlMs, text, repeatedText: String(reply.serializeInput(repeated, '200')), head }
    }
    const encode = (answer: CachedAnswer) => {
      const encoding = chooseEncoding(request.headers['accept-encoding'])
      const encoded = cache.encode(key, answer, encoding)
      return encoded instanceof Promise
        ? encoded.then((late) => send(request, reply, answer, late))
        : send(request, reply, answer, encoded)
    }
    const ask = () => cache.get(key, gridMs, compute)
    const found = ask()
    if (!(found instanceof Promise)) return encode(found)
    const joined = joinWork(request.caller?.accountId, ask, found)
    return (isComputing ? joined : countWait(request.stopwatch, joined)).then(encode)
  }
}

/** Built from the parameters of the schema alone, so that made-up parameters cannot fill the cache. */
function createKeyOf({ url, schema }: RouteOptions, isPerHost: boolean): (request: FastifyRequest) => string {
  const names = (part: unknown) => {
    if (part === undefined) return []
    const { properties } = part as { properties?: object }
    if (properties === undefined) throw new Error(`${url}: a cached route lists its parameters`)
    return Object.keys(properties).sort()
  }
  const queryNames = names(schema?.querystring)
  const pathNames = names(schema?.params)
  if (queryNames.length + pathNames.length === 0 && !isPerHost) return () => url
  return (request) => {
    const query = request.query as Record<string, unknown>
    const params = request.params as Record<string, unknown>
    const values = [
      ...pathNames.map((name) => params[name]),
      ...queryNames.map((name) => query[name]),
      ...(isPerHost ? [request.protocol, request.host] : []),
    ]
    return `${url} ${JSON.stringify(values)}`
  }
}
