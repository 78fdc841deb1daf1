import type { Sql } from '../store/connection.js'
import type { Meter, PlanId } from './plans.js'

/** Who owns the active key with this hash. Index: api_keys_secret_sha256_key. */
export async function selectKeyOwner(sql: Sql, secretHash: Buffer) {
  const [row] = await sql<{ keyId: number; accountId: number; plan: PlanId }[]>`
    select k.id as key_id, k.account_id, a.plan
      from api_keys k
      join accounts a on a.id = k.account_id
     where k.secret_sha256 = ${secretHash}
       and k.revoked_at is null`
  return row
}

export async function selectRevision(sql: Sql): Promise<bigint> {
  const [row] = await sql<{ revision: bigint }[]>`select revision from accounts_revision`
  return row?.revision ?? 0n
}

export async function insertAccount(
  sql: Sql,
  account: { name: string; plan: PlanId; nowMs: number },
): Promise<number> {
  const [row] = await sql<{ id: number }[]>`
    insert into accounts (name, plan, created_at)
    values (${account.name}, ${account.plan}, ${new Date(account.nowMs)})
    returning id`
  if (row === undefined) throw new Error('insert returned no row')
  return row.id
}

/** Accounts in the order of their creation, with the number of keys that work. */
export function selectAccounts(sql: Sql, limit: number) {
  type Row = { id: number; name: string; plan: PlanId; createdAt: Date; activeKeys: number }
  return sql<Row[]>`
    select a.id, a.name, a.plan, a.created_at,
           (select count(*)::int from api_keys k
             where k.account_id = a.id and k.revoked_at is null) as active_keys
      from accounts a
     order by a.id
     limit ${limit}`
}

/** Holds the account's row until the transaction ends, so that its keys are counted by one at a time. */
export async function lockAccount(tx: Sql, accountId: number) {
  const [row] = await tx<{ plan: PlanId }[]>`
    select plan from accounts where id = ${accountId} for update`
  if (row === undefined) return undefined
  const [keys] = await tx<{ active: number }[]>`
    select count(*)::int as active
      from api_keys where account_id = ${accountId} and revoked_at is null`
  return { plan: row.plan, activeKeys: keys?.active ?? 0 }
}

export async function updatePlan(sql: Sql, accountId: number, plan: PlanId): Promise<void> {
  await sql`update accounts set plan = ${plan} where id = ${accountId}`
}

export async function insertKey(
  sql: Sql,
  key: { accountId: number; name: string; secretHash: Buffer; hint: string; nowMs: number },
): Promise<number> {
  const [row] = await sql<{ id: number }[]>`
    insert into api_keys (account_id, name, secret_sha256, hint, created_at)
    values (${key.accountId}, ${key.name}, ${key.secretHash}, ${key.hint}, ${new Date(key.nowMs)})
    returning id`
  if (row === undefined) throw new Error('insert returned no row')
  return row.id
}

/** Keys in the order of their creation, of one account or of all. */
export function selectKeys(sql: Sql, accountId: number | undefined, limit: number) {
  type Row = { id: number; accountId: number; name: string; hint: string; createdAt: Date }
  return sql<(Row & { revokedAt: Date | null })[]>`
    select id, account_id, name, hint, created_at, revoked_at
      from api_keys
     ${accountId === undefined ? sql`` : sql`where account_id = ${accountId}`}
     order by id
     limit ${limit}`
}

/** When the key was revoked: now, or earlier. `undefined`: there is no such key. */
export async function revokeKey(sql: Sql, keyId: number, nowMs: number): Promise<Date | undefined> {
  const [row] = await sql<{ revokedAt: Date }[]>`
    update api_keys set revoked_at = coalesce(revoked_at, ${new Date(nowMs)})
     where id = ${keyId}
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

/** One account's meters of one month, `YYYY-MM-01`. Index: usage_pkey. */
export function selectUsage(sql: Sql, accountId: number, month: string) {
  return sql<{ meter: Meter; used: bigint }[]>`
    select meter, used from usage where account_id = ${accountId} and month = ${month}`
}

export type UsageBatch = {
  writer: string
  batch: number
  nowMs: number
  rows: { accountId: number; month: string; meter: string; amount: number }[]
}

/** Adds a batch of counts once, however often it is sent: `batch` counts up for each writer. */
export async function addUsage(sql: Sql, { writer, batch, nowMs, rows }: UsageBatch) {
  await sql`
    with claimed as (
      insert into usage_writers as w (writer, batch, written_at)
      values (${writer}, ${batch}, ${new Date(nowMs)})
      on conflict (writer) do update set batch = excluded.batch, written_at = excluded.written_at
       where w.batch < excluded.batch
      returning 1
    )
    insert into usage as u (account_id, month, meter, used)
    select row.account_id, row.month, row.meter, row.used
      from unnest(${rows.map((row) => row.accountId)}::int[],
                  ${rows.map((row) => row.month)}::date[],
                  ${rows.map((row) => row.meter)}::text[],
                  ${rows.map((row) => row.amount)}::bigint[])
           as row (account_id, month, meter, used)
      join accounts a on a.id = row.account_id
     where exists (select from claimed)
     order by row.account_id, row.month, row.meter
    on conflict (account_id, month, meter) do update set used = u.used + excluded.used`
}

/** Forgets writers that are long gone. */
export async function deleteUsageWriters(sql: Sql, beforeMs: number): Promise<void> {
  await sql`delete from usage_writers where written_at < ${new Date(beforeMs)}`
}
