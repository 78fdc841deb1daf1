import { isIP } from 'node:net'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { PUBLIC, STANDARD } from '../accounts/access.js'
import { FreeKeys } from '../accounts/accounts.js'
import type { Accounts } from '../accounts/domain.js'
import { presentPlan, presentUsage } from '../accounts/present.js'
import {
  CreateKeyBody,
  CreateKeyReply,
  KeyRefused,
  NoFreeKeys,
  PlansReply,
  UsageReply,
} from '../accounts/schemas.js'
import { monthOf } from '../accounts/usage-meter.js'
import { selectUsage } from '../accounts/usage-queries.js'
import { ApiError, databaseLost } from '../core/errors.js'
import { callerOf } from '../http/guard.js'
import type { Platform } from '../platform.js'

export const accountRoutes =
  (platform: Platform, { plans, usage }: Accounts): FastifyPluginAsyncTypebox =>
  async (app) => {
    const { config, store, clock } = platform
    const freeKeys = new FreeKeys(store)
    app.post(
      '/v1/keys',
      {
        bodyLimit: 16 * 1024,
        config: { access: PUBLIC },
        schema: {
          operationId: 'createKey',
          summary: 'Get a free key',
          description:
            'One per IP address (IPv6: per /64 network) and rolling day. Needs no key. Not for pages of other origins, unless the operator allows them.',
          tags: ['account'],
          body: CreateKeyBody,
          response: { 201: CreateKeyReply, 403: NoFreeKeys, 429: KeyRefused },
        },
      },
      async (request, reply) => {
        if (config.freeKeys === 'off') throw freeKeysOff()
        if (store.problem !== undefined) throw databaseLost()
        const { secret, name } = await freeKeys.issue({
          name: request.body?.name?.trim() || 'unnamed',
          address: clientAddress(request),
          nowMs: clock.now(),
        })
        reply.code(201)
        return {
          api_key: secret,
          name,
          rate_limit_per_minute: plans.free.restPerMinute,
          message: 'Store this key now: it cannot be shown again.',
        }
      },
    )

    app.get(
      '/v1/plans',
      {
        config: { access: PUBLIC, cacheMs: 300_000 },
        schema: {
          operationId: 'listPlans',
          summary: 'What each plan grants, and what it costs',
          description: 'Needs no key: limits can be read before signing up.',
          tags: ['account'],
          response: { 200: PlansReply },
        },
      },
      async () => ({ plans: plans.offered().map(presentPlan) }),
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
      async (request) => {
        const caller = callerOf(request)
        const nowMs = clock.now()
        const month = monthOf(nowMs)
        const rows = await selectUsage(request.readSql(), caller.accountId, month)
        return presentUsage(caller, nowMs, (meter) => {
          const written = rows.find((row) => row.meter === meter)?.used ?? 0n
          return Number(written) + usage.pending(caller.accountId, month, meter)
        })
      },
    )
  }

const freeKeysOff = () => new ApiError(403, 'This server gives no free keys. Ask its operator for one.')

/** The client's address, as far as configured proxies are believed; theirs when they send nonsense. */
function clientAddress(request: FastifyRequest): string {
  const claimed = request.ip.replace(/^::ffff:/, '').replace(/%.*$/, '')
  if (isIP(claimed) !== 0) return claimed
  return (request.socket.remoteAddress ?? '127.0.0.1').replace(/^::ffff:/, '')
}
