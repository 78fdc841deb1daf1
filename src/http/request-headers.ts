import type { FastifyInstance, FastifyReply } from 'fastify'

const EXPOSED =
  'x-request-id, x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset, ratelimit, ratelimit-policy, retry-after, etag, age, x-head-block, x-head-age, x-rows-returned, x-has-more, x-next-cursor'
const REQUEST_HEADERS = 'x-api-key, authorization, content-type, if-none-match'

/**
 * Sets the headers that do not depend on the route: the request's id, and CORS headers that let pages
 * of any origin call the API. Keys travel in headers that a page must set itself, never in cookies.
 * Only browsers send an origin, so only they get the CORS headers.
 */
export function addRequestHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    const { origin } = request.headers
    if (origin === undefined || request.url.startsWith('/metrics')) return done()

    reply.header('access-control-allow-origin', '*')
    reply.header('access-control-expose-headers', EXPOSED)
    if (request.method !== 'OPTIONS') return done()

    reply.header('access-control-allow-methods', 'GET, HEAD, POST, PUT, DELETE')
    reply.header('access-control-allow-headers', REQUEST_HEADERS)
    reply.header('access-control-max-age', 86_400)
    return reply.code(204).send()
  })
}

/** Sets headers that are given as names and values in turn. */
export function setHeaders(reply: FastifyReply, headers: readonly string[]): void {
  for (let index = 0; index < headers.length; index += 2) {
    reply.header(headers[index] ?? '', headers[index + 1])
  }
}
