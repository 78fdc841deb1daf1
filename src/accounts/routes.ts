import { isIP } from 'node:net'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import type { Context } from '../context.js'
import { databaseLost } from '../core/errors.js'
import { STANDARD } from './access.js'
import { FreeKeys } from './accounts.js'
import { PLAN_IDS, PLANS } from './plans.js'
import { presentPlan, presentUsage } from './present.js'
import { selectUsage } from './queries.js'
import { CreateKeyBody, CreateKeyReply, KeyRefused, PlansReply, UsageReply } from './schemas.js'
import { monthOf } from './usage-meter.js'

export const accountRoutes: FastifyPluginAsyncTypebox<{ ctx: Context }> = async (app, { ctx }) => {
  const freeKeys = new FreeKeys(ctx.store)
  app.post(
    '/v1/keys',
    {
      bodyLimit: 16 * 1024,
      config: { access: 'public' },
      schema: {
        operationId: 'createKey',
        summary: 'Get a free key',
        description: 'One per IP address (IPv6: per /64 network) and rolling day. Needs no key.',
        tags: ['account'],
        body: CreateKeyBody,
        response: { 201: CreateKeyReply, 429: KeyRefused },
      },
    },
    async (request, reply) => {
      if (ctx.store.problem !== undefined) throw databaseLost()
      const { secret, name } = await freeKeys.issue({
        name: request.body?.name?.trim() || 'unnamed',
        address: clientAddress(request),
        nowMs: ctx.clock.now(),
      })
      reply.code(201)
      return {
        api_key: secret,
        name,
        rate_limit_per_minute: PLANS.free.restPerMinute,
        message: 'Store this key now: it cannot be shown again.',
      }
    },
  )

  app.get(
    '/v1/plans',
    {
      config: { access: STANDARD, cacheMs: 300_000 },
      schema: {
        operationId: 'listPlans',
        summary: 'What each plan grants',
        tags: ['account'],
        response: { 200: PlansReply },
      },
    },
    async () => ({ plans: PLAN_IDS.map((id) => presentPlan(PLANS[id])) }),
  )

  app.get(
    '/v1/usage',
    {
      config: { access: STANDARD },
      schema: {
        operationId: 'getUsage',
        summary: 'What your account has used this month',
        description:
          'Counts completed requests; not those refused by key, plan or limit, nor faults of the service. ' +
          'Transfer is in bytes, 1 GB = 1,000,000,000 bytes. Shown, not enforced.',
        tags: ['account'],
        response: { 200: UsageReply },
      },
    },
    async ({ caller }) => {
      if (caller === undefined) throw new Error('the route is not public')
      const nowMs = ctx.clock.now()
      const month = monthOf(nowMs)
      const rows = await selectUsage(ctx.sql, caller.accountId, month)
      return presentUsage(caller, nowMs, (meter) => {
        const written = rows.find((row) => row.meter === meter)?.used ?? 0n
        return Number(written) + ctx.usage.pending(caller.accountId, month, meter)
      })
    },
  )
}

/** The client's address, as far as configured proxies are believed; theirs when they send nonsense. */
function clientAddress(request: FastifyRequest): string {
  const claimed = request.ip.replace(/^::ffff:/, '').replace(/%.*$/, '')
  if (isIP(claimed) !== 0) return claimed
  return (request.socket.remoteAddress ?? '127.0.0.1').replace(/^::ffff:/, '')
}
