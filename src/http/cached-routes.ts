import { negotiate } from '@fastify/accept-negotiator'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { Gauge } from 'prom-client'
import type { Context } from '../context.js'
import { type CachedAnswer, type Encoding, ResponseCache } from './response-cache.js'

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

/** Gives every route with `cacheMs` registered after this call a place in the response cache. */
export function cacheRoutes(app: FastifyInstance, ctx: Context): void {
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
    if (ttlMs !== undefined) route.handler = createHandler(route, ttlMs, cache, ctx)
  })
}

type Handler = RouteOptions['handler']

function createHandler(
  route: RouteOptions,
  ttlMs: number,
  cache: ResponseCache,
  ctx: Context,
): Handler {
  const { handler } = route
  const keyOf = createKeyOf(route)
  const cacheControl = `private, max-age=${Math.floor(ttlMs / 1000)}`

  return async function cachedHandler(request, reply) {
    const key = keyOf(request)
    const found = cache.get(key, ttlMs, async () => {
      const value = (await handler.call(this, request, reply)) as Record<string, unknown>
      return String(reply.serializeInput(value, '200'))
    })
    const answer = found instanceof Promise ? await found : found
    const wanted = chooseEncoding(request.headers['accept-encoding'])
    const encoded = cache.encode(key, answer, wanted)
    const { encoding, body } = encoded instanceof Promise ? await encoded : encoded

    const etag = showEtag(answer, encoding)
    reply.header('etag', etag)
    reply.header('cache-control', cacheControl)
    reply.header('age', Math.floor((ctx.clock.now() - answer.storedAtMs) / 1000))
    reply.header('vary', 'accept-encoding')
    if (isKnownToClient(request, etag)) return reply.code(304).send()
    return sendBytes(reply, encoding, body)
  }
}

/** Only parameters that the schema knows make a difference, so strangers cannot fill the cache. */
function createKeyOf({ url, schema }: RouteOptions): (request: FastifyRequest) => string {
  const names = (part: unknown) =>
    Object.keys((part as { properties?: object } | undefined)?.properties ?? {}).sort()
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

const ENCODINGS: Encoding[] = ['br', 'gzip', 'identity']

function chooseEncoding(accept: string | undefined): Encoding {
  if (accept === undefined || accept === '') return 'identity'
  return (negotiate(accept, ENCODINGS) as Encoding | null) ?? 'identity'
}

// The same answer in another encoding is other bytes: a strong tag must tell them apart.
const showEtag = ({ etag }: CachedAnswer, encoding: Encoding): string =>
  encoding === 'identity' ? `"${etag}"` : `"${etag}-${encoding}"`

function isKnownToClient({ headers }: FastifyRequest, etag: string): boolean {
  const known = headers['if-none-match']
  if (known === undefined) return false
  if (known.trim() === '*') return true
  return known.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)
}

function sendBytes(reply: FastifyReply, encoding: Encoding, body: Buffer): FastifyReply {
  if (encoding !== 'identity') reply.header('content-encoding', encoding)
  return reply.type('application/json; charset=utf-8').send(body)
}
