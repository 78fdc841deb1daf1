import { showAccount, showKey } from '../accounts/accounts.js'
import type { Plans } from '../accounts/plans.js'
import { presentPlan } from '../accounts/present.js'
import type { AccountRow, KeyRow } from '../accounts/queries.js'
import { utcDay } from '../core/unix-time.js'
import type { UsageSum } from './usage.js'

export const presentAccount = (row: AccountRow) => ({
  id: showAccount(row.id),
  name: row.name,
  plan: row.plan,
  state: row.suspendedAt === null ? ('active' as const) : ('suspended' as const),
  suspended_at: showTime(row.suspendedAt),
  suspended_reason: row.suspendedReason,
  active_keys: row.activeKeys,
  created_at: row.createdAt.toISOString(),
})

/** With what its plan and the agreement with it grant. */
export function presentAccountLimits(row: AccountRow, plans: Plans) {
  const plan = plans.of(row.id, row.plan)
  return { ...presentAccount(row), limits: plan === undefined ? null : presentPlan(plan) }
}

export const presentKey = (row: KeyRow, nowMs: number) => ({
  id: showKey(row.id),
  account: showAccount(row.accountId),
  name: row.name,
  ends: row.hint,
  scope: row.scope,
  state: keyStateOf(row, nowMs),
  created_at: row.createdAt.toISOString(),
  expires_at: showTime(row.expiresAt),
  revoked_at: showTime(row.revokedAt),
  last_used_at: showTime(row.lastUsedAt),
})

type KeyTimes = Pick<KeyRow, 'expiresAt' | 'revokedAt'>

export function keyStateOf({ revokedAt, expiresAt }: KeyTimes, nowMs: number) {
  if (revokedAt !== null) return 'revoked' as const
  return expiresAt !== null && expiresAt.getTime() <= nowMs ? ('expired' as const) : ('active' as const)
}

/** What was not summed by is left out. */
export const presentUsageSum = ({ accountId, keyId, day, family, requests, bytes }: UsageSum) => ({
  ...(accountId !== undefined && { account: showAccount(accountId) }),
  ...(keyId !== undefined && { key: showKey(keyId) }),
  ...(day !== undefined && { day: utcDay(day.getTime()) }),
  ...(family !== undefined && { family }),
  requests,
  bytes,
})

const showTime = (time: Date | null): string | null => time?.toISOString() ?? null
