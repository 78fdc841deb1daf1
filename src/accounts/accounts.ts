import { LRUCache } from 'lru-cache'
import { ApiError, badRequest, notFound, tooManyRequests } from '../core/errors.js'
import { limitCount } from '../lib/limit-count.js'
import type { Pool, Sql } from '../store/connection.js'
import { transact } from '../store/transaction.js'
import type { PlanId, Plans } from './plans.js'
import {
  claimGrant,
  insertAccount,
  insertKey,
  type KeyScope,
  lockAccount,
  revokeKey,
  updatePlan,
} from './queries.js'
import { createSecret, hashSecret, hintOf } from './secret.js'

export const NAME_LENGTH_MAX = 100

/**
 * Names are shown in terminals and logs: no control characters, no line separators, and none that turn
 * the direction of the text around them.
 */
export const NAME_PATTERN =
  '^[^\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069\\ufeff]*$'

/** A key that was just made: the only moment at which its secret is known. */
type NewKey = { id: number; accountId: number; name: string; secret: string }

type NewKeyFields = {
  accountId: number
  name: string
  /** Absent: the key may do what its plan allows. */
  scope?: KeyScope | undefined
  /** Absent: it works until it is revoked. */
  expiresAtMs?: number | undefined
  nowMs: number
}

type KeyRequest = NewKeyFields & { plans: Plans }

/** One more key for an account, as far as its plan allows. */
export function createKey(pool: Pool, { plans, ...key }: KeyRequest): Promise<NewKey> {
  const { accountId, expiresAtMs, nowMs } = key
  return transact(pool, async (tx) => {
    const account = await lockExisting(tx, accountId, nowMs)
    const { keysMax } = plans.of(accountId, account.plan) ?? throwUnknownPlan(plans, account.plan)
    if (expiresAtMs !== undefined && expiresAtMs <= nowMs) {
      throw badRequest("'expires_at' is in the past.")
    }
    if (account.activeKeys >= keysMax) {
      throw new ApiError(
        409,
        `Account ${showAccount(accountId)} has ${account.activeKeys} of the ${keysMax} active ` +
          `key(s) that the ${account.plan} plan allows. Revoke one first, or raise the plan.`,
      )
    }
    return await makeKey(tx, key)
  })
}

type PlanChange = { accountId: number; plan: string; plans: Plans; nowMs: number }

/** Changes the plan. A plan that allows fewer keys than are active is refused. */
export function setPlan(pool: Pool, { accountId, plan, plans, nowMs }: PlanChange): Promise<void> {
  return transact(pool, async (tx) => {
    const account = await lockExisting(tx, accountId, nowMs)
    const { keysMax } = plans.of(accountId, plan) ?? throwUnknownPlan(plans, plan)
    if (account.activeKeys > keysMax) {
      throw new ApiError(
        409,
        `Account ${showAccount(accountId)} has ${account.activeKeys} active keys and the ${plan} plan ` +
          `allows ${keysMax}. Revoke ${account.activeKeys - keysMax} first.`,
      )
    }
    await updatePlan(tx, accountId, plan)
  })
}

/** A new account on a plan. */
export async function openAccount(
  sql: Sql,
  { name, plan, plans, nowMs }: { name: string; plan: string; plans: Plans; nowMs: number },
): Promise<number> {
  if (plans.find(plan) === undefined) throwUnknownPlan(plans, plan)
  return await insertAccount(sql, { name, plan, nowMs })
}

/** A new account on a plan, with its first key. For a transaction: both are made, or none. */
export async function openAccountWithKey(
  tx: Sql,
  { name, plan, nowMs }: { name: string; plan: PlanId; nowMs: number },
): Promise<NewKey> {
  const accountId = await insertAccount(tx, { name, plan, nowMs })
  return await makeKey(tx, { accountId, name, nowMs })
}

function throwUnknownPlan(plans: Plans, plan: string): never {
  throw badRequest(`There is no plan '${plan}'. Known: ${plans.ids().join(', ')}.`)
}

/** Revokes a key for good; the time of the first revocation stands. */
export async function retireKey(sql: Sql, keyId: number, nowMs: number): Promise<Date> {
  const revokedAt = await revokeKey(sql, { keyId, nowMs })
  if (revokedAt === undefined) throw notFound(`There is no key ${showKey(keyId)}.`)
  return revokedAt
}

/** Ids as people read and type them. */
export const showAccount = (accountId: number): string => `acc_${accountId}`
export const showKey = (keyId: number): string => `key_${keyId}`

export const noAccount = (accountId: number) =>
  notFound(`There is no account ${showAccount(accountId)}. \`auspex accounts list\` shows all.`)

/** Makes a key; the caller has checked that the plan of the account allows one more. */
async function makeKey(sql: Sql, { expiresAtMs, ...key }: NewKeyFields): Promise<NewKey> {
  const { accountId, name, scope = 'full' } = key
  const secret = createSecret()
  const expiresAt = expiresAtMs === undefined ? null : new Date(expiresAtMs)
  const row = { ...key, scope, expiresAt, secretHash: hashSecret(secret), hint: hintOf(secret) }
  return { id: await insertKey(sql, row), accountId, name, secret }
}

async function lockExisting(tx: Sql, accountId: number, nowMs: number) {
  const account = await lockAccount(tx, accountId, nowMs)
  if (account !== undefined) return account
  throw noAccount(accountId)
}

export const FREE_KEY_PERIOD_MS = 24 * 60 * 60 * 1000

/** Gives anonymous clients a free account with its one key: one per network and rolling day. */
export class FreeKeys {
  readonly #store: { readonly sql: Pool }
  // Addresses that must wait, and until when: asking again costs the database nothing.
  readonly #refused = new LRUCache<string, number>(limitCount(10_000))

  constructor(store: { readonly sql: Pool }) {
    this.#store = store
  }

  async issue(request: { name: string; address: string; nowMs: number }): Promise<NewKey> {
    const { name, address, nowMs } = request
    const waitUntilMs = this.#refused.get(address) ?? 0
    if (nowMs < waitUntilMs) throw freeKeyRefused(waitUntilMs, nowMs)
    return await transact(this.#store.sql, async (tx) => {
      const periodMs = FREE_KEY_PERIOD_MS
      const { granted, grantedAt } = await claimGrant(tx, address, nowMs, periodMs)
      if (!granted) {
        const nextAtMs = grantedAt.getTime() + periodMs
        this.#refused.set(address, nextAtMs)
        throw freeKeyRefused(nextAtMs, nowMs)
      }
      return await openAccountWithKey(tx, { name, plan: 'free', nowMs })
    })
  }
}

function freeKeyRefused(nextAtMs: number, nowMs: number): ApiError {
  const nextAt = Math.ceil(nextAtMs / 1000)
  return tooManyRequests(
    `At most 1 key per IP address and day. The next one can be made after ${nextAt}.`,
    nextAtMs - nowMs,
  )
}
