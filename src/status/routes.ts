import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { STANDARD } from '../accounts/access.js'
import type { Context } from '../context.js'
import { ApiError } from '../core/errors.js'
import { presentStatus } from './present.js'
import { readiness } from './readiness.js'
import { HealthReply, ReadyReply, StatusReply } from './schemas.js'

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
          'Answers 200 when every check is `ok`, and 503 with the reason otherwise. `degraded` means that what is known is served, but prices are missing: with 200 while another source still tells them, with 503 when none does.',
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

// Digests have one length, which the comparison needs, and tell nothing of the token's.
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
