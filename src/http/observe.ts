import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Context } from '../context.js'

// Routes that say nothing about the API's use and would drown what does.
const UNCOUNTED = new Set([401, 402, 403, 429])

/** Counts, measures and logs every answered request. */
export function observeRequests(app: FastifyInstance, ctx: Context): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { caller } = request
    const { statusCode } = reply
    if (caller !== undefined && statusCode < 500 && !UNCOUNTED.has(statusCode)) {
      ctx.usage.add(caller.accountId, 'api_requests', 1)
    }
    const seconds = reply.elapsedTime / 1000
    const route = request.routeOptions.url ?? 'none'
    ctx.metrics.requestSeconds.observe(
      { method: request.method, route, status: statusCode },
      seconds,
    )
    logRequest(ctx, request, statusCode, seconds)
    done()
  })
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

/** The URL without the key. Decoded, so that the log's own filter recognises a key in any spelling. */
export function loggableUrl(url: string): string {
  const [path = '', query] = url.split('?', 2)
  if (query === undefined) return decodeQuietly(path)
  const parameters = new URLSearchParams(query)
  if (parameters.has('key')) parameters.set('key', '[redacted]')
  return `${decodeQuietly(path)}?${decodeQuietly(parameters.toString())}`
}

function decodeQuietly(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
