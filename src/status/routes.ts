import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { Gauge } from 'prom-client'
import { PROBE, PUBLIC, STANDARD } from '../accounts/access.js'
import type { Config } from '../config/config.js'
import { ApiError } from '../core/errors.js'
import { isOwnHost } from '../http/own-host.js'
import type { Platform } from '../platform.js'
import { readTickCoverage } from '../prices/archive/coverage.js'
import { readChainCoverage } from './coverage.js'
import { presentStatus, presentTicks } from './present.js'
import { readiness } from './readiness.js'
import {
  CoverageQuery,
  CoverageReply,
  HealthReply,
  ReadyReply,
  StatusOverviewReply,
  StatusReply,
} from './schemas.js'

export const statusRoutes =
  (platform: Platform): FastifyPluginAsyncTypebox =>
  async (app) => {
    const startedAtMs = platform.clock.now()
    app.get(
      '/healthz',
      {
        config: { access: PROBE },
        schema: {
          operationId: 'getHealth',
          summary: 'Is the process alive?',
          tags: ['service'],
          response: { 200: HealthReply },
        },
      },
      async () => ({ status: 'ok' as const }),
    )

    app.get(
      '/readyz',
      {
        config: { access: PROBE },
        schema: {
          operationId: 'getReadiness',
          summary: 'Can the service do its work?',
          description:
            'Answers 200 when every check is `ok`, and 503 with the reason otherwise. `degraded` means that what is known is served, but prices are missing: with 200 while another source still delivers them, with 503 when none does. It is also said, with 200, while Redis is lost.',
          tags: ['service'],
          response: { 200: ReadyReply, 503: ReadyReply },
        },
      },
      async (_request, reply) => {
        const { status, isReady, checks } = readiness(platform)
        reply.code(isReady ? 200 : 503)
        return { status, checks }
      },
    )

    app.get(
      '/v1/status',
      {
        config: { access: STANDARD },
        schema: {
          operationId: 'getStatus',
          summary: 'What the service is doing',
          description: 'Parts that do not run report zero.',
          tags: ['service'],
          response: { 200: StatusReply },
        },
      },
      async () => presentStatus(platform, startedAtMs),
    )

    app.get(
      '/v1/status/overview',
      {
        // Every open page asks for it.
        config: { access: PUBLIC, cacheMs: 1_000 },
        schema: {
          operationId: 'getStatusOverview',
          summary: 'What the service is doing, for everybody',
          description:
            'The parts of `/v1/status` that a page of the status shows, at most a second old. Needs no key.',
          tags: ['service'],
          response: { 200: StatusOverviewReply },
        },
      },
      async () => presentStatus(platform, startedAtMs),
    )

    app.get(
      '/v1/coverage',
      {
        config: { access: STANDARD, cacheMs: 1_000, dependsOnChain: true },
        schema: {
          operationId: 'getCoverage',
          summary: 'Which part of history is here',
          description:
            'Lists for each kind of data from which block and time to which it is complete, and every hole in between: an empty answer elsewhere means that nothing happened only where this says that the data is there. Prices of coins are listed hour by hour.',
          tags: ['service'],
          querystring: CoverageQuery,
          response: { 200: CoverageReply },
        },
      },
      async (request) => {
        const sql = request.readSql()
        const nowMs = platform.clock.now()
        return {
          ...(await readChainCoverage(sql, nowMs)),
          ticks: presentTicks(await readTickCoverage(sql, nowMs, request.query.hours)),
        }
      },
    )

    const collectMetrics = createCollector(platform)
    app.get('/metrics', { config: { access: PROBE }, schema: { hide: true } }, async (request, reply) => {
      const refusal = refuseScrape(request, platform.config)
      if (refusal !== undefined) throw new ApiError(403, refusal)
      reply.type(platform.metrics.contentType)
      return await collectMetrics()
    })
  }

/**
 * Collects the metrics once a second at most, however many callers ask: it takes milliseconds, in which
 * nothing else runs.
 */
function createCollector({ metrics, store, clock }: Platform): () => Promise<string> {
  new Gauge({
    name: 'auspex_store_up',
    help: '1 while the database answers',
    registers: [metrics],
    collect() {
      this.set(store.problem === undefined ? 1 : 0)
    },
  })
  let collected = { second: Number.NaN, text: Promise.resolve('') }
  return () => {
    const second = Math.floor(clock.now() / 1000)
    if (second !== collected.second) collected = { second, text: metrics.metrics() }
    return collected.text
  }
}

// Digests have one length, which the comparison needs, and do not reveal that of the token.
const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

const LOOPBACK = /^(::1|(::ffff:)?127\.\d+\.\d+\.\d+)$/

// `Forwarded`, `X-Forwarded-*`, `X-Real-IP` and `Via`; the others are those of large proxy services.
const OF_PROXY = /forwarded|^x-real-|^via$|client-ip$|^cf-|^x-envoy-|^x-original-/

const NEEDS_TOKEN = 'Metrics are for this machine, or for the bearer token of AUSPEX_METRICS_TOKEN.'
const OTHER_HOST =
  'Without a token, metrics are shown under a loopback name, an address or the host of AUSPEX_PUBLIC_URL alone, not under the name in the Host header.'

/** Why a caller may not see the metrics; `undefined`: it may. */
function refuseScrape({ headers, socket }: FastifyRequest, config: Config): string | undefined {
  const { metricsToken: token } = config
  const bearerToken = /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1]
  if (bearerToken !== undefined && token !== undefined) {
    return timingSafeEqual(digest(bearerToken), digest(token)) ? undefined : NEEDS_TOKEN
  }
  // Behind a proxy on this machine every request comes from here: then the address proves nothing.
  const isForwarded = Object.keys(headers).some((name) => OF_PROXY.test(name))
  if (isForwarded || !LOOPBACK.test(socket.remoteAddress ?? '')) return NEEDS_TOKEN
  // A page whose name was pointed to this machine also comes from here. Every browser sends a host.
  return headers.host === undefined || isOwnHost(headers.host, config) ? undefined : OTHER_HOST
}
