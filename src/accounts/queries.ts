import type { Sql } from '../store/connection.js'

/** `read`: the key may not change anything. */
export const KEY_SCOPES = ['full', 'read'] as const
export type KeyScope = (typeof KEY_SCOPES)[number]

export type KeyOwner = {
  keyId: number
  accountId: number
  plan: string
  scope: KeyScope
  expiresAt: Date | null
  /** Of the session that was looked up; absent: the key itself was. */
  sessionExpiresAt?: Date
  isSuspended: boolean
  suspendedReason: string | null
}

/** Who owns the key with this hash, unless it was revoked. Index: api_keys_secret_sha256_key. */
export async function selectKeyOwner(sql: Sql, secretHash: Buffer) {
  const [row] = await sql<KeyOwner[]>`
    select k.id as key_id, k.account_id, a.plan, k.scope, k.expires_at,
           a.suspended_at is not null as is_suspended, a.suspended_reason
      from api_keys k
      join accounts a on a.id = k.account_id
     where k.secret_sha256 = ${secretHash}
       and k.revoked_at is null
       and a.deleted_at is null`
  return row
}

/** A key as its owner knows it. */
export type KeyCard = { name: string; hint: string; accountName: string; expiresAt: Date | null }

/** Index: api_keys_pkey. */
export async function selectKeyCard(sql: Sql, keyId: number): Promise<KeyCard | undefined> {
  const [row] = await sql<KeyCard[]>`
    select k.name, k.hint, a.name as account_name, k.expires_at
      from api_keys k
      join accounts a on a.id = k.account_id
     where k.id = ${keyId}`
  return row
}

/** `revision` moves when keys and accounts change, `sessionsRevision` when sessions end. */
export async function selectRevisions(sql: Sql): Promise<{ revision: bigint; sessionsRevision: bigint }> {
  const [row] = await sql<{ revision: bigint; sessionsRevision: bigint }[]>`
    select revision, sessions_revision from accounts_revision`
  return row ?? { revision: 0n, sessionsRevision: 0n }
}

export async function insertAccount(
  sql: Sql,
  account: { name: string; plan: string; nowMs: number },
): Promise<number> {
  const [row] = await sql<{ id: number }[]>`
    insert into accounts (name, plan, created_at)
    values (${account.name}, ${account.plan}, ${new Date(account.nowMs)})
    returning id`
  if (row === undefined) throw new Error('insert returned no row')
  return row.id
}

export type AccountRow = {
  id: number
  name: string
  plan: string
  createdAt: Date
  suspendedAt: Date | null
  suspendedReason: string | null
  activeKeys: number
}

type AccountsQuery = {
  accountId?: number | undefined
  afterId?: number
  limit: number
  nowMs: number
}

/** Accounts in the order of their creation, with the number of keys that work; deleted ones are left out. */
export function selectAccounts(sql: Sql, { accountId, afterId = 0, limit, nowMs }: AccountsQuery) {
  return sql<AccountRow[]>`
    select a.id, a.name, a.plan, a.created_at, a.suspended_at, a.suspended_reason,
           (select count(*)::int from api_keys k
             where k.account_id = a.id and ${isActive(sql, nowMs)}) as active_keys
      from accounts a
     where a.deleted_at is null and a.id > ${afterId}
       ${accountId === undefined ? sql`` : sql`and a.id = ${accountId}`}
     order by a.id
     limit ${limit}`
}

/** Whether the key `k` works, as far as its row says. */
const isActive = (sql: Sql, nowMs: number) =>
  sql`k.revoked_at is null and (k.expires_at is null or k.expires_at > ${new Date(nowMs)})`

/** Holds the account's row until the transaction ends, so that its keys are counted by one at a time. */
export async function lockAccount(tx: Sql, accountId: number, nowMs: number) {
  const [row] = await tx<{ plan: string }[]>`
    select plan from accounts where id = ${accountId} and deleted_at is null for update`
  if (row === undefined) return undefined
  const [keys] = await tx<{ active: number }[]>`
    select count(*)::int as active
      from api_keys k where k.account_id = ${accountId} and ${isActive(tx, nowMs)}`
  return { plan: row.plan, activeKeys: keys?.active ?? 0 }
}

/**
 * Holds the row of an account against changes of its state until the transaction ends. `false`: it is
 * suspended or deleted, and may not make anything new.
 */
export async function lockActiveAccount(tx: Sql, accountId: number): Promise<boolean> {
  const rows = await tx`
    select from accounts
     where id = ${accountId} and suspended_at is null and deleted_at is null
       for no key update`
  return rows.length > 0
}

/** `undefined`: the account is not suspended any more. `false`: there is no such account. */
export async function updateSuspension(
  sql: Sql,
  accountId: number,
  suspension: { suspendedAt: Date; reason: string | null } | undefined,
): Promise<boolean> {
  const { suspendedAt = null, reason = null } = suspension ?? {}
  const { count } = await sql`
    update accounts
       set suspended_at = case when ${suspendedAt}::timestamptz is null then null
                               else coalesce(suspended_at, ${suspendedAt}) end,
           suspended_reason = ${reason}
     where id = ${accountId} and deleted_at is null`
  return count > 0
}

/** Takes the names and the keys of an account away. The job that tidies pools follows the revoked keys. */
export async function anonymiseAccount(tx: Sql, accountId: number, nowMs: number): Promise<boolean> {
  const now = new Date(nowMs)
  const { count } = await tx`
    update accounts set name = '', suspended_reason = null, deleted_at = ${now}
     where id = ${accountId} and deleted_at is null`
  // No secret has a random hash.
  await tx`
    update api_keys
       set name = '', hint = '', secret_sha256 = sha256(gen_random_uuid()::text::bytea),
           revoked_at = coalesce(revoked_at, ${now})
     where account_id = ${accountId}`
  return count > 0
}

/** Whether there is an account that was not deleted. */
export async function hasAccounts(sql: Sql): Promise<boolean> {
  const rows = await sql`select from accounts where deleted_at is null limit 1`
  return rows.length > 0
}

/** Accounts of this name, in the order of their creation. */
export const selectAccountIds = (sql: Sql, name: string, limit: number) => sql<{ id: number }[]>`
  select id from accounts where name = ${name} and deleted_at is null order by id limit ${limit}`

/** The key that stands for an account when it signs in: the oldest that works and may change things, else the oldest. */
export async function selectSignInKey(sql: Sql, accountId: number, nowMs: number) {
  const [row] = await sql<{ id: number }[]>`
    select k.id from api_keys k
     where k.account_id = ${accountId} and ${isActive(sql, nowMs)}
     order by k.scope = 'full' desc, k.id
     limit 1`
  return row?.id
}

/** The plans that accounts are on. */
export async function selectPlansInUse(sql: Sql): Promise<string[]> {
  const rows = await sql<{ plan: string }[]>`
    select distinct plan from accounts where deleted_at is null order by plan`
  return rows.map(({ plan }) => plan)
}

export async function updatePlan(sql: Sql, accountId: number, plan: string): Promise<void> {
  await sql`update accounts set plan = ${plan} where id = ${accountId}`
}

type KeyInsert = {
  accountId: number
  name: string
  scope: KeyScope
  expiresAt: Date | null
  secretHash: Buffer
  hint: string
  nowMs: number
}

export async function insertKey(sql: Sql, key: KeyInsert): Promise<number> {
  const [row] = await sql<{ id: number }[]>`
    insert into api_keys (account_id, name, scope, expires_at, secret_sha256, hint, created_at)
    values (${key.accountId}, ${key.name}, ${key.scope}, ${key.expiresAt}, ${key.secretHash},
            ${key.hint}, ${new Date(key.nowMs)})
    returning id`
  if (row === undefined) throw new Error('insert returned no row')
  return row.id
}

export type KeyRow = {
  id: number
  accountId: number
  name: string
  hint: string
  scope: KeyScope
  createdAt: Date
  expiresAt: Date | null
  revokedAt: Date | null
  lastUsedAt: Date | null
}

/** Keys in the order of their creation, of one account or of all; those of deleted accounts are left out. */
export function selectKeys(sql: Sql, accountId: number | undefined, limit: number) {
  return sql<KeyRow[]>`
    select k.id, k.account_id, k.name, k.hint, k.scope, k.created_at, k.expires_at, k.revoked_at,
           k.last_used_at
      from api_keys k
      join accounts a on a.id = k.account_id and a.deleted_at is null
     ${accountId === undefined ? sql`` : sql`where k.account_id = ${accountId}`}
     order by k.id
     limit ${limit}`
}

/** When the key was revoked: now, or earlier. `undefined`: there is no such key, or it is of another account. */
export async function revokeKey(
  sql: Sql,
  { keyId, accountId, nowMs }: { keyId: number; accountId?: number | undefined; nowMs: number },
): Promise<Date | undefined> {
  const [row] = await sql<{ revokedAt: Date }[]>`
    update api_keys set revoked_at = coalesce(revoked_at, ${new Date(nowMs)})
     where id = ${keyId}
       ${accountId === undefined ? sql`` : sql`and account_id = ${accountId}`}
    returning revoked_at`
  return row?.revokedAt
}

/**
 * Gives the network of this address its one key of a period, or says when the last was given. One
 * statement, so that of two requests at once only one is granted.
 */
export async function claimGrant(sql: Sql, address: string, nowMs: number, periodMs: number) {
  const now = new Date(nowMs)
  const network = sql`
    (case family(${address}::inet)
       when 6 then network(set_masklen(${address}::inet, 64))
       else network(${address}::inet) end)`
  const [row] = await sql<{ grantedAt: Date }[]>`
    insert into key_grants as g (network, granted_at) values (${network}, ${now})
    on conflict (network) do update set granted_at = excluded.granted_at
     where g.granted_at <= ${new Date(nowMs - periodMs)}
    returning granted_at`
  if (row !== undefined) return { granted: true, grantedAt: row.grantedAt }
  const [last] = await sql<{ grantedAt: Date }[]>`
    select granted_at from key_grants where network = ${network}`
  return { granted: false, grantedAt: last?.grantedAt ?? now }
}

/** Forgets grants that no longer count. Index: key_grants_granted_at. */
export async function deleteGrants(sql: Sql, beforeMs: number): Promise<void> {
  await sql`delete from key_grants where granted_at <= ${new Date(beforeMs)}`
}
