import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { STANDARD } from '../../accounts/access.js'
import { createKey, showAccount, showKey } from '../../accounts/accounts.js'
import { BUCKETS, type BucketName } from '../../accounts/buckets.js'
import type { Accounts } from '../../accounts/domain.js'
import { presentPlan } from '../../accounts/present.js'
import { revokeKey, selectKeyCard } from '../../accounts/queries.js'
import { hintOf } from '../../accounts/secret.js'
import { monthOf } from '../../accounts/usage-meter.js'
import { badRequest, notFound } from '../../core/errors.js'
import { utcDay } from '../../core/unix-time.js'
import { callerOf } from '../../http/guard.js'
import type { Platform } from '../../platform.js'
import { selectOpenCounts } from '../../sessions/socket-queries.js'
import { presentConnections, presentLimits, presentOwnKey, presentOwnUsage } from './present.js'
import {
  selectHoldings,
  selectOwnAccount,
  selectOwnKeys,
  selectUsageByDay,
  selectUsageByOperation,
} from './queries.js'
import {
  CreateOwnKeyBody,
  CreateOwnKeyReply,
  NO_OWN_KEY,
  OwnAccountReply,
  OwnConnectionsReply,
  OwnKeyParams,
  OwnKeyRevoked,
  OwnKeysReply,
  OwnUsageQuery,
  OwnUsageReply,
  TOO_MANY_OWN_KEYS,
} from './schemas.js'

/** Of a list: far more than an account has that were not revoked. */
const KEYS_MAX = 1_000
const OPERATIONS_MAX = 1_000
const DAY_MS = 24 * 60 * 60_000

const config = { access: STANDARD }
const tags = ['account']

/** What an account sees and changes of itself. */
export const ownAccountRoutes =
  (platform: Platform, { admission, keyChanges, plans }: Accounts): FastifyPluginAsyncTypebox =>
  async (app) => {
    const { clock, log } = platform
    const buckets = (Object.keys(BUCKETS) as BucketName[]).filter(
      (bucket) => bucket !== 'copy_pnl' || platform.config.copyPnlLimit === 'on',
    )

    app.get(
      '/v1/account',
      {
        config,
        schema: {
          operationId: 'getOwnAccount',
          summary: 'Your account, and what is left of its limits',
          description:
            'Limits of a minute are those of the process that answers. Reading them costs one request of `rest`, ' +
            'which is counted already.',
          tags,
          response: { 200: OwnAccountReply },
        },
      },
      async (request) => {
        const caller = callerOf(request)
        const { accountId, plan } = caller
        const sql = request.readSql()
        const nowMs = clock.now()
        const account = await selectOwnAccount(sql, accountId)
        if (account === undefined) throw new Error('the account of a caller is gone')
        const holdings = await selectHoldings(sql, {
          ...caller,
          day: utcDay(nowMs),
          month: monthOf(nowMs),
          nowMs,
        })
        const open = await selectOpenCounts(sql, accountId)
        const balances = await admission.look(caller, buckets)
        return {
          id: showAccount(accountId),
          name: account.name,
          created_at: account.createdAt.toISOString(),
          plan: presentPlan(plan),
          limits: presentLimits({ caller, buckets: balances, holdings, open, nowMs }),
        }
      },
    )

    app.get(
      '/v1/connections',
      {
        config,
        schema: {
          operationId: 'getOwnConnections',
          summary: 'Open connections and subscriptions of your account',
          description:
            'WebSockets that are open on all keys of the account, and how many the plan allows. A firehose is a subscription ' +
            'without filters; others are not limited.',
          tags,
          response: { 200: OwnConnectionsReply },
        },
      },
      async (request) => {
        const caller = callerOf(request)
        const sql = request.readSql()
        const nowMs = clock.now()
        const day = { day: utcDay(nowMs), month: monthOf(nowMs), nowMs }
        const holdings = await selectHoldings(sql, { ...caller, ...day })
        const open = await selectOpenCounts(sql, caller.accountId)
        return presentConnections({ caller, holdings, open, nowMs })
      },
    )

    app.get(
      '/v1/account/keys',
      {
        config,
        schema: {
          operationId: 'listOwnKeys',
          summary: 'Keys of your account',
          tags,
          response: { 200: OwnKeysReply },
        },
      },
      async (request) => {
        const caller = callerOf(request)
        const rows = await selectOwnKeys(request.readSql(), caller.accountId, KEYS_MAX)
        return { keys: rows.map((row) => presentOwnKey(row, caller)), keys_max: caller.plan.keysMax }
      },
    )

    app.post(
      '/v1/account/keys',
      {
        bodyLimit: 16 * 1024,
        config,
        schema: {
          operationId: 'createOwnKey',
          summary: 'Make a key for your account',
          description:
            'As many as the plan allows; a free account has its one key. The key is shown in this answer alone. One that ' +
            'is made with a key that expires, expires with it. At most 20 keys are made or revoked in an hour.',
          tags,
          body: CreateOwnKeyBody,
          response: { 201: CreateOwnKeyReply, ...TOO_MANY_OWN_KEYS },
        },
      },
      async (request, reply) => {
        const caller = callerOf(request)
        const { accountId } = caller
        const name = request.body.name.trim()
        if (name === '') throw badRequest("'name' is empty.")
        await admission.chargeOrRefuse(caller, 'account_keys')
        const nowMs = clock.now()
        // Of the key itself: a session ends before it.
        const { expiresAt = null } = (await selectKeyCard(platform.sql, caller.keyId)) ?? {}
        const { scope } = request.body
        const { id, secret } = await createKey(platform.sql, {
          accountId,
          name,
          scope,
          expiresAtMs: expiresAt?.getTime(),
          plans,
          nowMs,
        })
        log.info({ account: accountId, key: id, by: caller.keyId }, 'key made by its account')
        reply.code(201)
        const key = {
          id,
          name,
          hint: hintOf(secret),
          scope,
          createdAt: new Date(nowMs),
          expiresAt,
          lastUsedAt: null,
        }
        return { ...presentOwnKey(key, caller), api_key: secret }
      },
    )

    app.delete(
      '/v1/account/keys/:id',
      {
        config,
        schema: {
          operationId: 'revokeOwnKey',
          summary: 'Revoke a key of your account for good',
          description:
            'All processes refuse it within a second; its sessions end and its sockets are closed. The key of the ' +
            'request itself may be revoked, also when it is the last one.',
          tags,
          params: OwnKeyParams,
          response: { 204: OwnKeyRevoked, ...NO_OWN_KEY },
        },
      },
      async (request, reply) => {
        const caller = callerOf(request)
        const { accountId } = caller
        const keyId = Number(request.params.id.replace('key_', ''))
        await admission.chargeOrRefuse(caller, 'account_keys')
        const revokedAt = await revokeKey(platform.sql, { keyId, accountId, nowMs: clock.now() })
        if (revokedAt === undefined) throw notFound(`Your account has no key ${showKey(keyId)}.`)
        log.info({ account: accountId, key: keyId, by: caller.keyId }, 'key revoked by its account')
        // At once in this process, and within a second in the others.
        await keyChanges.announce()
        return reply.code(204).send(null)
      },
    )

    app.get(
      '/v1/account/usage',
      {
        config,
        schema: {
          operationId: 'getOwnUsage',
          summary: 'What your account used, by day and by operation',
          description: `Counts are written every 2 seconds. What the month includes is at \`/v1/usage\`.`,
          tags,
          querystring: OwnUsageQuery,
          response: { 200: OwnUsageReply },
        },
      },
      async (request) => {
        const { accountId } = callerOf(request)
        const { days: count, operation } = request.query
        const sql = request.readSql()
        const nowMs = clock.now()
        const range = { accountId, fromDay: utcDay(nowMs - (count - 1) * DAY_MS), operation }
        const days = await selectUsageByDay(sql, range, count)
        const operations = await selectUsageByOperation(sql, range, OPERATIONS_MAX)
        return presentOwnUsage({ days, operations, count, nowMs })
      },
    )
  }
