import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { Gauge } from 'prom-client'
import type { Access } from '../accounts/access.js'
import type { Context } from '../context.js'
import { headHeaders, readHead } from './chain-head.js'
import { chooseEncoding, compressAnswer, type Encoding } from './compression.js'
import type { FastLane, ReadyAnswer } from './fast-lane.js'
import { createTerms } from './limit-headers.js'
import type { RequestTimes } from './request-times.js'
import { type CachedAnswer, type EncodedBody, ResponseCache } from './response-cache.js'
import { setHeaders } from './set-headers.js'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * How long an answer may be served again. The handler of such a route returns a value that
     * depends on the parameters of its schema alone: never on the caller, never through `reply`.
     */
    cacheMs?: number
  }
}

const MIB = 1024 * 1024

/** What cached routes share with the rest of the door. */
export type CacheParts = { lane: FastLane; times: RequestTimes }

/**
 * Gives every route with `cacheMs` registered after this call a place in the response cache, which
 * keeps compressed copies; answers of the others are compressed as they leave.
 */
export function cacheRoutes(app: FastifyInstance, ctx: Context, parts: CacheParts): void {
  const cache = new ResponseCache(ctx.clock, ctx.metrics, ctx.config.cacheMb * MIB)
  new Gauge({
    name: 'auspex_response_cache_bytes',
    help: 'Memory held by cached answers',
    registers: [ctx.metrics.registry],
    collect() {
      this.set(cache.bytes)
    },
  })
  app.addHook('onRoute', (route) => {
    const ttlMs = route.config?.cacheMs
    if (ttlMs !== undefined) route.handler = createHandler(route, ttlMs, cache, ctx, parts)
    else route.onSend = [compressAnswer, route.onSend ?? []].flat()
  })
}

type Handler = RouteOptions['handler']

function createHandler(
  route: RouteOptions,
  ttlMs: number,
  cache: ResponseCache,
  ctx: Context,
  { lane, times }: CacheParts,
): Handler {
  const { handler, config } = route
  const keyOf = createKeyOf(route)
  const maxAge = `private, max-age=${Math.floor(ttlMs / 1000)}`

  const headersOf = ({ etag, storedAtMs, head }: CachedAnswer, encoding: Encoding): string[] => {
    const nowMs = ctx.clock.now()
    const ageMs = Math.max(0, nowMs - storedAtMs)
    return [
      ...(head === undefined ? [] : headHeaders(head, nowMs)),
      'etag',
      showEtag(etag, encoding),
      'cache-control',
      maxAge,
      'age',
      `${Math.floor(ageMs / 1000)}`,
      'vary',
      'accept-encoding',
    ]
  }
  const bodyHeadersOf = ({ encoding }: EncodedBody): string[] =>
    encoding === 'identity' ? JSON_BODY : [...JSON_BODY, 'content-encoding', encoding]

  const send = (
    request: FastifyRequest,
    reply: FastifyReply,
    answer: CachedAnswer,
    encoded: EncodedBody,
  ) => {
    setHeaders(reply, headersOf(answer, encoded.encoding))
    if (isKnownToClient(request, showEtag(answer.etag, encoded.encoding))) {
      return reply.code(304).send()
    }
    setHeaders(reply, bodyHeadersOf(encoded))
    return reply.send(encoded.body)
  }

  const ready = (key: string, accept: string | undefined): ReadyAnswer | undefined => {
    const found = cache.peek(key, chooseEncoding(accept))
    if (found === undefined) return undefined
    const { answer, encoded } = found
    const length = ['content-length', `${encoded.body.length}`]
    const headers = [...headersOf(answer, encoded.encoding), ...bodyHeadersOf(encoded), ...length]
    return { headers, body: encoded.body }
  }
  const openLane = createLaneOpener(route.url, config?.access ?? 'public', ready, { lane, times })

  // Without `async`: a hit, which is most of what happens, has nothing to wait for.
  return function cachedHandler(request, reply) {
    const key = keyOf(request)
    const compute = async () => {
      const head = config?.isOfChain === true ? readHead(ctx.status) : undefined
      const value = (await handler.call(this, request, reply)) as Record<string, unknown>
      return { text: String(reply.serializeInput(value, '200')), head }
    }
    const encode = (answer: CachedAnswer) => {
      openLane(request, key)
      const encoding = chooseEncoding(request.headers['accept-encoding'])
      const encoded = cache.encode(key, answer, encoding)
      return encoded instanceof Promise
        ? encoded.then((late) => send(request, reply, answer, late))
        : send(request, reply, answer, encoded)
    }
    const found = cache.get(key, ttlMs, compute)
    return found instanceof Promise ? found.then(encode) : encode(found)
  }
}

type Ready = (key: string, accept: string | undefined) => ReadyAnswer | undefined

/** Lets further requests for the same URL take the fast lane; public routes have none. */
function createLaneOpener(url: string, access: Access, ready: Ready, { lane, times }: CacheParts) {
  if (access === 'public') return () => undefined
  const termsOf = createTerms(access)
  const tallies = times.of(url)
  return (request: FastifyRequest, key: string): void =>
    lane.learn(request.raw, { access, termsOf, tallies, ready: (accept) => ready(key, accept) })
}

const JSON_BODY = ['content-type', 'application/json; charset=utf-8']

/** Only parameters that the schema knows make a difference, so strangers cannot fill the cache. */
function createKeyOf({ url, schema }: RouteOptions): (request: FastifyRequest) => string {
  const names = (part: unknown) => {
    if (part === undefined) return []
    const { properties } = part as { properties?: object }
    if (properties === undefined) throw new Error(`${url}: a cached route lists its parameters`)
    return Object.keys(properties).sort()
  }
  const queryNames = names(schema?.querystring)
  const pathNames = names(schema?.params)
  if (queryNames.length + pathNames.length === 0) return () => url
  return (request) => {
    const query = request.query as Record<string, unknown>
    const params = request.params as Record<string, unknown>
    const values = [
      ...pathNames.map((name) => params[name]),
      ...queryNames.map((name) => query[name]),
    ]
    return `${url} ${JSON.stringify(values)}`
  }
}

// The same answer in another encoding is other bytes: a strong tag must tell them apart.
const showEtag = (etag: string, encoding: Encoding): string =>
  encoding === 'identity' ? `"${etag}"` : `"${etag}-${encoding}"`

function isKnownToClient({ headers }: FastifyRequest, etag: string): boolean {
  const known = headers['if-none-match']
  if (known === undefined) return false
  if (known.trim() === '*') return true
  return known.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)
}
