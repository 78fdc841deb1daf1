import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config/config.js'
import { ApiError, badRequest } from '../core/errors.js'
import { mayMakeKey } from './own-host.js'

const EXPOSED =
  'x-request-id, x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset, ratelimit, ratelimit-policy, retry-after, etag, age, x-head-block, x-head-age, x-rows-returned, x-has-more, x-next-cursor, x-partial, x-partial-reason, x-fetched-in-ms, x-cache, deprecation, sunset, link'
const REQUEST_HEADERS = 'x-api-key, authorization, content-type, if-none-match, x-head-block'

/** Every delivery to a webhook carries it, and no request to this service may: see `checkHeaders`. */
export const HOP_HEADER = 'x-webhook-hop'

/** Far more than a browser and a chain of proxies send. */
const HEADERS_MAX = 100

/**
 * Checks the headers of every request, and sets those of every answer that do not depend on the route:
 * the request's id, the ban on guessing content types, and CORS headers that let pages of any origin
 * call the API. They never allow credentials: a page of another origin sends a key in a header that it sets itself,
 * and the cookie of a session is for pages of this service alone (see `findSession`).
 * Only browsers send an origin, so only they get the CORS headers. Keys are made for pages of few origins:
 * see `mayMakeKey`.
 */
export function addRequestHeaders(
  app: FastifyInstance,
  config: Pick<Config, 'publicUrl' | 'keyOrigins'>,
): void {
  app.addHook('onRequest', (request, reply, done) => {
    markAnswer(request, reply)
    const fault = checkHeaders(request)
    if (fault !== undefined) {
      reply.header('connection', 'close')
      return done(fault)
    }
    const { origin } = request.headers
    if (origin === undefined || isFor('/metrics', request)) return done()

    if (isFor('/v1/keys', request)) {
      reply.header('vary', 'origin')
      if (!mayMakeKey(origin, request, config)) return done(otherOrigin())
      reply.header('access-control-allow-origin', origin)
    } else {
      reply.header('access-control-allow-origin', '*')
    }
    reply.header('access-control-expose-headers', EXPOSED)
    if (request.method !== 'OPTIONS') return done()

    reply.header('access-control-allow-methods', 'GET, HEAD, POST, PUT, DELETE')
    reply.header('access-control-allow-headers', REQUEST_HEADERS)
    reply.header('access-control-max-age', 86_400)
    return reply.code(204).send()
  })
}

/** A request is known by its route, however its path is spelt (`/%6detrics`). A preflight belongs to no route. */
const isFor = (path: string, { method, url, routeOptions }: FastifyRequest): boolean =>
  path === (method === 'OPTIONS' ? url.split('?', 1)[0] : routeOptions.url)

const otherOrigin = () =>
  new ApiError(
    403,
    'Pages of other origins get no free keys here. The operator can allow an origin with AUSPEX_KEY_ORIGINS.',
  )

/** Sets the headers of every answer, errors included. */
export function markAnswer({ id }: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-request-id', id)
  reply.header('x-content-type-options', 'nosniff')
}

const HOST = /^(?:[\w.~%-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i

/** What is wrong with the headers as a whole. A repeated header arrives as one, joined by commas. */
function checkHeaders({ raw, headers }: FastifyRequest): ApiError | undefined {
  if (raw.rawHeaders.length > 2 * HEADERS_MAX) {
    return new ApiError(431, `The request has more than ${HEADERS_MAX} headers.`)
  }
  // A webhook that points at the service, such as at the path that sends a test delivery, would call itself without end.
  if (headers[HOP_HEADER] !== undefined) {
    return new ApiError(
      508,
      'Loop detected: the request is a delivery of a webhook, and the service takes none.',
    )
  }
  const { host = '' } = headers
  if (host === '' && raw.httpVersion === '1.0') return undefined
  if (host === '') return badRequest('The request has no Host header.')
  if (!HOST.test(host)) return badRequest('The Host header is not one host, with or without a port.')
  return undefined
}

/** Sets headers of a flat array in which names and values alternate. */
export function setHeaders(reply: FastifyReply, headers: readonly string[]): void {
  for (let index = 0; index < headers.length; index += 2) {
    reply.header(headers[index] ?? '', headers[index + 1])
  }
}
