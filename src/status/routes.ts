import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { STANDARD } from '../accounts/access.js'
import { coverageOf } from '../chain/coverage.js'
import { selectCoverage, selectState, selectTimeFrom } from '../chain/queries.js'
import type { Context } from '../context.js'
import { ApiError } from '../core/errors.js'
import { readTickCoverage } from '../prices/archive/coverage.js'
import { presentCoverage, presentStatus, presentTicks } from './present.js'
import { readiness } from './readiness.js'
import { CoverageQuery, CoverageReply, HealthReply, ReadyReply, StatusReply } from './schemas.js'

export const statusRoutes: FastifyPluginAsyncTypebox<{ ctx: Context }> = async (app, { ctx }) => {
  app.get(
    '/healthz',
    {
      config: { access: 'public' },
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
      config: { access: 'public' },
      schema: {
        operationId: 'getReadiness',
        summary: 'Can the service do its work?',
        description:
          'Answers 200 when every check is `ok`, and 503 with the reason otherwise. `degraded` means that what is known is served, but prices are missing: with 200 while another source still delivers them, with 503 when none does.',
        tags: ['service'],
        response: { 200: ReadyReply, 503: ReadyReply },
      },
    },
    async (_request, reply) => {
      const { status, isReady, checks } = readiness(ctx)
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
    async () => presentStatus(ctx),
  )

  app.get(
    '/v1/coverage',
    {
      config: { access: STANDARD, cacheMs: 1_000, isOfChain: true },
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
    async ({ query }) => {
      const state = await selectState(ctx.sql)
      const ranges = await selectCoverage(ctx.sql)
      const timeFrom = async (block: number | null) =>
        block === null ? undefined : selectTimeFrom(ctx.sql, block)
      const times = {
        ledgerFrom: await timeFrom(state.ledgerFrom),
        keptFrom: await timeFrom(state.keptFrom),
      }
      const nowMs = ctx.clock.now()
      return {
        ...presentCoverage(state, coverageOf(state, ranges, times), nowMs),
        ticks: presentTicks(await readTickCoverage(ctx.sql, nowMs, query.hours)),
      }
    },
  )

  app.get(
    '/metrics',
    { config: { access: 'public' }, schema: { hide: true } },
    async (request, reply) => {
      if (!mayScrape(request, ctx.config.metricsToken)) {
        throw new ApiError(
          403,
          'Metrics are for this machine, or for the bearer token of AUSPEX_METRICS_TOKEN.',
        )
      }
      ctx.metrics.storeUp.set(ctx.store.problem === undefined ? 1 : 0)
      reply.type(ctx.metrics.registry.contentType)
      return await ctx.metrics.registry.metrics()
    },
  )
}

// Digests have one length, which the comparison needs, and do not reveal that of the token.
const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

const LOOPBACK = /^(::1|(::ffff:)?127\.\d+\.\d+\.\d+)$/

function mayScrape(request: FastifyRequest, token: string | undefined): boolean {
  const given = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1]
  if (given !== undefined && token !== undefined) {
    return timingSafeEqual(digest(given), digest(token))
  }
  // Behind a proxy on this machine every request comes from here: then the address proves nothing.
  const isForwarded = ['x-forwarded-for', 'forwarded'].some((name) => name in request.headers)
  return !isForwarded && LOOPBACK.test(request.socket.remoteAddress ?? '')
}
