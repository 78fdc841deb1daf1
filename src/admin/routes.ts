import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  createKey,
  noAccount,
  openAccount,
  retireKey,
  setPlan,
  showAccount,
  showKey,
} from '../accounts/accounts.js'
import type { Accounts } from '../accounts/domain.js'
import { selectAccounts, selectKeys } from '../accounts/queries.js'
import { badRequest } from '../core/errors.js'
import type { Platform } from '../platform.js'
import { deleteAccount, resumeAccount, suspendAccount } from './account-state.js'
import { presentAccount, presentAccountLimits, presentKey, presentUsageSum } from './present.js'
import {
  AccountKeysReply,
  AccountParams,
  AccountsQuery,
  AccountsReply,
  AdminAccount,
  AdminUsageQuery,
  AdminUsageReply,
  CreateAccountBody,
  CreateAccountKeyBody,
  CreateAccountKeyReply,
  DeletedAccountParams,
  DeletedReply,
  KeyParams,
  NO_ACCOUNT,
  NO_KEY,
  RevokedReply,
  SetPlanBody,
  SuspendBody,
  TOO_MANY_KEYS,
} from './schemas.js'
import { readDimensions, selectUsageSums, USAGE_DIMENSIONS } from './usage.js'

/** Far more than an account has: revoked keys stay in the list. */
const KEYS_MAX = 10_000

const config = { access: 'operator' } as const
const tags = ['admin']

/** `acc_7`, `key_7` or `7`, as the schema has checked. */
const readNumber = (id: string): number => Number(id.replace(/^[a-z]+_/, ''))

/** What an operator may do with accounts, as `auspex accounts` and `auspex keys` do it. */
export const adminRoutes =
  (
    platform: Platform,
    { plans, keyChanges }: Pick<Accounts, 'plans' | 'keyChanges'>,
  ): FastifyPluginAsyncTypebox =>
  async (app) => {
    const { log, clock } = platform
    const findAccount = async (accountId: number) => {
      const [row] = await selectAccounts(platform.sql, { accountId, limit: 1, nowMs: clock.now() })
      if (row === undefined) throw noAccount(accountId)
      return presentAccountLimits(row, plans)
    }
    const note = (operator: string | undefined, change: string, id: string) =>
      log.info({ operator, change, id }, 'changed by an operator')
    const showChanged = async (operator: string | undefined, change: string, accountId: number) => {
      await keyChanges.announce()
      note(operator, change, showAccount(accountId))
      return await findAccount(accountId)
    }

    app.get(
      '/v1/admin/accounts',
      {
        config,
        schema: {
          tags,
          operationId: 'listAccounts',
          summary: 'Accounts',
          description: 'In the order of their creation; `after` goes on behind an account.',
          querystring: AccountsQuery,
          response: { 200: AccountsReply },
        },
      },
      async ({ query: { limit, after } }) => {
        const afterId = after === undefined ? 0 : readNumber(after)
        const rows = await selectAccounts(platform.answerSql, {
          afterId,
          limit: limit + 1,
          nowMs: clock.now(),
        })
        const accounts = rows.slice(0, limit).map(presentAccount)
        return { accounts, next_after: rows.length > limit ? (accounts.at(-1)?.id ?? null) : null }
      },
    )

    app.post(
      '/v1/admin/accounts',
      {
        config,
        schema: {
          tags,
          operationId: 'createAccount',
          summary: 'Make an account',
          description: 'It has no key yet.',
          body: CreateAccountBody,
          response: { 201: AdminAccount },
        },
      },
      async ({ body, operator }, reply) => {
        const name = body.name.trim()
        if (name === '') throw badRequest("'name' is empty.")
        const nowMs = clock.now()
        const id = await openAccount(platform.sql, { name, plan: body.plan, plans, nowMs })
        reply.code(201)
        return await showChanged(operator, 'account created', id)
      },
    )

    app.get(
      '/v1/admin/accounts/:account',
      {
        config,
        schema: {
          tags,
          operationId: 'getAccount',
          summary: 'One account, with its limits',
          params: AccountParams,
          response: { 200: AdminAccount, ...NO_ACCOUNT },
        },
      },
      async ({ params }) => await findAccount(readNumber(params.account)),
    )

    app.put(
      '/v1/admin/accounts/:account/plan',
      {
        config,
        schema: {
          tags,
          operationId: 'setAccountPlan',
          summary: 'Change the plan of an account',
          description:
            'In force in all processes within a second; open sockets are closed with 1012, to connect again. A plan that allows fewer keys than are active is refused.',
          params: AccountParams,
          body: SetPlanBody,
          response: { 200: AdminAccount, ...NO_ACCOUNT, ...TOO_MANY_KEYS },
        },
      },
      async ({ params, body: { plan }, operator }) => {
        const accountId = readNumber(params.account)
        await setPlan(platform.sql, { accountId, plan, plans, nowMs: clock.now() })
        return await showChanged(operator, `plan set to ${plan}`, accountId)
      },
    )

    app.post(
      '/v1/admin/accounts/:account/suspend',
      {
        config,
        schema: {
          tags,
          operationId: 'suspendAccount',
          summary: 'Suspend an account',
          description:
            'Within a second all processes refuse its keys with 403 and the reason; its sockets are closed with 4403 and its webhooks are paused. It keeps everything.',
          params: AccountParams,
          body: SuspendBody,
          response: { 200: AdminAccount, ...NO_ACCOUNT },
        },
      },
      async ({ params, body, operator }) => {
        const accountId = readNumber(params.account)
        const reason = body?.reason?.trim() || null
        await suspendAccount(platform, { accountId, reason, nowMs: clock.now() })
        return await showChanged(operator, 'account suspended', accountId)
      },
    )

    app.post(
      '/v1/admin/accounts/:account/resume',
      {
        config,
        schema: {
          tags,
          operationId: 'resumeAccount',
          summary: 'End the suspension of an account',
          description:
            'Webhooks that the suspension has paused are active again, and see what happens from now on.',
          params: AccountParams,
          response: { 200: AdminAccount, ...NO_ACCOUNT },
        },
      },
      async ({ params, operator }) => {
        const accountId = readNumber(params.account)
        await resumeAccount(platform, { accountId, nowMs: clock.now() })
        return await showChanged(operator, 'account resumed', accountId)
      },
    )

    app.delete(
      '/v1/admin/accounts/:account',
      {
        config,
        schema: {
          tags,
          operationId: 'deleteAccount',
          summary: 'Delete an account for good',
          description:
            'With its keys, webhooks, pools and names. What it used stays, under its number alone.',
          params: DeletedAccountParams,
          response: { 200: DeletedReply, ...NO_ACCOUNT },
        },
      },
      async ({ params, operator }) => {
        const accountId = readNumber(params.account)
        await deleteAccount(platform, { accountId, nowMs: clock.now() })
        await keyChanges.announce()
        note(operator, 'account deleted', showAccount(accountId))
        return { deleted: true as const }
      },
    )

    app.get(
      '/v1/admin/accounts/:account/keys',
      {
        config,
        schema: {
          tags,
          operationId: 'listAccountKeys',
          summary: 'Keys of an account',
          params: AccountParams,
          response: { 200: AccountKeysReply, ...NO_ACCOUNT },
        },
      },
      async ({ params }) => {
        const accountId = readNumber(params.account)
        await findAccount(accountId)
        const rows = await selectKeys(platform.sql, accountId, KEYS_MAX)
        return { keys: rows.map((row) => presentKey(row, clock.now())) }
      },
    )

    app.post(
      '/v1/admin/accounts/:account/keys',
      {
        config,
        schema: {
          tags,
          operationId: 'createAccountKey',
          summary: 'Make a key for an account',
          description: 'As many as its plan allows. The key is shown in this answer alone.',
          params: AccountParams,
          body: CreateAccountKeyBody,
          response: { 201: CreateAccountKeyReply, ...NO_ACCOUNT, ...TOO_MANY_KEYS },
        },
      },
      async ({ params, body: { name, scope, expires_at: expiresAt }, operator }, reply) => {
        const accountId = readNumber(params.account)
        const expiresAtMs = expiresAt ? Date.parse(expiresAt) : undefined
        if (Number.isNaN(expiresAtMs)) throw badRequest("'expires_at' is not a time.")
        const nowMs = clock.now()
        const { id, secret } = await createKey(platform.sql, {
          accountId,
          name,
          scope,
          expiresAtMs,
          plans,
          nowMs,
        })
        note(operator, 'key created', showKey(id))
        reply.code(201)
        return { id: showKey(id), account: showAccount(accountId), api_key: secret }
      },
    )

    app.delete(
      '/v1/admin/keys/:key',
      {
        config,
        schema: {
          tags,
          operationId: 'revokeKey',
          summary: 'Revoke a key for good',
          description: 'All processes refuse it within a second, and its sockets are closed.',
          params: KeyParams,
          response: { 200: RevokedReply, ...NO_KEY },
        },
      },
      async ({ params, operator }) => {
        const keyId = readNumber(params.key)
        const revokedAt = await retireKey(platform.sql, keyId, clock.now())
        await keyChanges.announce()
        note(operator, 'key revoked', showKey(keyId))
        return { id: showKey(keyId), revoked_at: revokedAt.toISOString() }
      },
    )

    app.get(
      '/v1/admin/usage',
      {
        config,
        schema: {
          tags,
          operationId: 'getAccountsUsage',
          summary: 'What accounts used',
          description:
            'By account, key, UTC day and family of routes, or summed by some of these. Days are kept for three months. Counts are written every 2 seconds.',
          querystring: AdminUsageQuery,
          response: { 200: AdminUsageReply },
        },
      },
      async ({ query: { account, key_id: key, family, days, limit, offset, ...query } }) => {
        const by = readDimensions(query.by)
        if (by === undefined) {
          throw badRequest(`Invalid 'by'. Allowed: some of ${USAGE_DIMENSIONS.join(',')}.`)
        }
        const accountId = account === undefined ? undefined : readNumber(account)
        const keyId = key === undefined ? undefined : readNumber(key)
        const nowMs = clock.now()
        const page = { limit: limit + 1, offset }
        const usage = { accountId, keyId, family, days, by, nowMs }
        const rows = await selectUsageSums(platform.answerSql, usage, page)
        const shown = rows.slice(0, limit).map(presentUsageSum)
        return { days, by, rows: shown, has_more: rows.length > limit }
      },
    )
  }
