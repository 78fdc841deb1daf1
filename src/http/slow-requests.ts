import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Counter } from 'prom-client'
import { Stopwatch } from '../lib/stopwatch.js'
import type { Platform } from '../platform.js'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The client asks for an answer that waits for events: its duration says nothing about the service. */
    isLongPoll?: true
  }
  interface FastifyRequest {
    /** Set on every request while slow ones are logged. */
    stopwatch: Stopwatch | undefined
  }
}

/** Of a client that left before its answer was out: no answer has this status. */
const CLIENT_LEFT = 499

/**
 * Logs requests to the routes registered after this call that take longer than the setting allows, with
 * what took the time. The URL is left out: the pattern of the route holds no key.
 */
export function logSlowRequests(app: FastifyInstance, platform: Platform): void {
  const { slowRequestMs } = platform.config
  app.decorateRequest('stopwatch', undefined)
  if (slowRequestMs === 0) return
  const slow = new Counter({
    name: 'auspex_slow_requests_total',
    help: 'Requests over AUSPEX_SLOW_REQUEST_MS, by what took most of the time',
    labelNames: ['part'] as const,
    registers: [platform.metrics],
  })

  const end = (request: FastifyRequest, status: number): void => {
    const { stopwatch, method, id, caller, operator } = request
    const { url: route, config } = request.routeOptions
    if (stopwatch === undefined || stopwatch.elapsedMs < slowRequestMs) return
    if (config.isLongPoll === true) return
    const { ms, part, fields } = summarize(stopwatch)
    slow.inc({ part })
    const account = caller?.accountId
    const shown = () => ({
      request_id: id,
      method,
      route,
      status,
      account,
      operator,
      ms,
      ...fields,
    })
    platform.floodLog.write('warn', 'slow request', shown, `${method} ${route}`)
  }

  app.addHook('onRequest', (request, _reply, done) => {
    request.stopwatch = new Stopwatch()
    done()
  })
  app.addHook('onRoute', (route) => {
    const startSending = (request: FastifyRequest, _reply: unknown, _payload: unknown, done: () => void) => {
      request.stopwatch?.startSending()
      done()
    }
    // After the hook that compresses: compression is a part of rendering.
    route.onSend = [...[route.onSend ?? []].flat(), startSending]
  })
  app.addHook('onResponse', (request, reply, done) => {
    end(request, reply.statusCode)
    done()
  })
  app.addHook('onRequestAbort', (request, done) => {
    end(request, CLIENT_LEFT)
    done()
  })
}

/** The parts as fields of the log, which add up to `ms`, and the largest of them. */
function summarize(stopwatch: Stopwatch) {
  const { spentMs, slowest } = stopwatch.read()
  const parts = Object.entries(spentMs)
  const [part] = parts.reduce((most, each) => (each[1] > most[1] ? each : most))
  const fields = {
    ...Object.fromEntries(parts.map(([name, ms]) => [`${name}_ms`, Math.round(ms)])),
    ...(slowest && { query: slowest.query, query_ms: Math.round(slowest.queryMs) }),
  }
  return { ms: Math.round(parts.reduce((sum, [, ms]) => sum + ms, 0)), part, fields }
}
