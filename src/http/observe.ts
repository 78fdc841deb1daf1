import type { FastifyInstance, FastifyReply, FastifyRequest, onResponseHookHandler } from 'fastify'
import type { Context } from '../context.js'
import { addTime, type RequestTimes } from './request-times.js'

/** Looks at an answered request. */
export type Observe = (request: FastifyRequest, reply: FastifyReply) => void

// Refused before any work was done for them: they cost an account nothing.
const UNCOUNTED = new Set([401, 402, 403, 429])

/**
 * Counts, measures and logs the answered requests of every route registered after this call. The
 * returned function does the same for requests that no route takes.
 */
export function observeRoutes(app: FastifyInstance, ctx: Context, times: RequestTimes): Observe {
  const createObserve = (route: string): Observe => {
    const tallies = times.of(route)
    return (request, reply) => {
      const { caller } = request
      const { statusCode } = reply
      if (caller !== undefined && statusCode < 500 && !UNCOUNTED.has(statusCode)) {
        ctx.usage.add(caller.accountId, 'api_requests', 1)
      }
      const seconds = reply.elapsedTime / 1000
      addTime(tallies, request.method, statusCode, seconds)
      logRequest(ctx, request, statusCode, seconds)
    }
  }
  app.addHook('onRoute', (route) => {
    const observe = createObserve(route.url)
    const onResponse: onResponseHookHandler = (request, reply, done) => {
      observe(request, reply)
      done()
    }
    route.onResponse = [onResponse, ...[route.onResponse ?? []].flat()]
  })
  return createObserve('none')
}

/** Refused requests at info, all others at debug: a busy service would drown in its own log. */
function logRequest(ctx: Context, request: FastifyRequest, status: number, seconds: number): void {
  const level = status >= 400 ? 'info' : 'debug'
  if (!ctx.log.isLevelEnabled(level)) return
  ctx.log[level](
    {
      request_id: request.id,
      method: request.method,
      url: loggableUrl(request.url),
      status,
      ms: Math.round(seconds * 1000),
      ip: request.ip,
      account: request.caller?.accountId,
    },
    'request',
  )
}

const URL_LENGTH_MAX = 500

/** The URL without the key. Decoded, so that the log's own filter recognises a key in any spelling. */
export function loggableUrl(url: string): string {
  const [path = '', query] = url.slice(0, URL_LENGTH_MAX).split('?', 2)
  if (query === undefined) return decodeAscii(path)
  const parameters = new URLSearchParams(query)
  if (parameters.has('key')) parameters.set('key', '[redacted]')
  return `${decodeAscii(path)}?${decodeAscii(parameters.toString())}`
}

const decodeAscii = (text: string): string =>
  text.replace(/%([2-7][0-9a-f])/gi, (_match, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  )
