import type { Caller } from '../../accounts/key-ring.js'
import type { KeyScope } from '../../accounts/queries.js'
import type { OperationUsage } from '../../accounts/usage-queries.js'
import type { Sql } from '../../store/connection.js'

export type OwnAccount = { name: string; createdAt: Date }

/** Index: accounts_pkey. */
export async function selectOwnAccount(sql: Sql, accountId: number): Promise<OwnAccount | undefined> {
  const [row] = await sql<OwnAccount[]>`select name, created_at from accounts where id = ${accountId}`
  return row
}

export type Holdings = {
  keys: number
  webhooks: number
  deliveries: number
  poolWallets: number
  social: number
  eventsMs: number
  orderbookMs: number
}

type HoldingsQuery = Pick<Caller, 'accountId' | 'keyId'> & { day: string; month: string; nowMs: number }

/** What an account has of everything that its plan counts and that is no window of time. By keys alone. */
export async function selectHoldings(sql: Sql, query: HoldingsQuery): Promise<Holdings> {
  const { accountId, keyId, day, month, nowMs } = query
  const socketMs = (kind: string) => sql`
    coalesce((select used_ms from socket_times
               where account_id = ${accountId} and day = ${day} and kind = ${kind}), 0)::float8`
  const [row] = await sql<Holdings[]>`
    select (select count(*) from api_keys
             where account_id = ${accountId} and revoked_at is null
               and (expires_at is null or expires_at > ${new Date(nowMs)}))::int as keys,
           (select count(*) from webhooks
             where account_id = ${accountId} and deleted_at is null and polled_at is null)::int as webhooks,
           coalesce((select deliveries from webhook_days
                      where account_id = ${accountId} and day = ${day}), 0)::float8 as deliveries,
           (select count(*) from copy_pools where key_id = ${keyId})::int as pool_wallets,
           coalesce((select used from usage
                      where account_id = ${accountId} and month = ${month} and meter = 'social'), 0)::float8
             as social,
           ${socketMs('events')} as events_ms,
           ${socketMs('orderbook')} as orderbook_ms`
  if (row === undefined) throw new Error('a select without a table returned no row')
  return row
}

export type OwnKey = {
  id: number
  name: string
  hint: string
  scope: KeyScope
  createdAt: Date
  expiresAt: Date | null
  lastUsedAt: Date | null
}

/** Keys of an account that were not revoked, in the order of their creation. Index: api_keys_account. */
export const selectOwnKeys = (sql: Sql, accountId: number, limit: number) => sql<OwnKey[]>`
  select id, name, hint, scope, created_at, expires_at, last_used_at
    from api_keys
   where account_id = ${accountId} and revoked_at is null
   order by id
   limit ${limit}`

type UsageRange = { accountId: number; fromDay: string; operation: string | undefined }

const usageSums = (sql: Sql) => sql`
  sum(requests)::float8 as requests, sum(bytes)::float8 as bytes,
  sum(refused)::float8 as refused, sum(failed)::float8 as failed`

const inRange = (sql: Sql, { accountId, fromDay, operation }: UsageRange) => sql`
  account_id = ${accountId} and day >= ${fromDay}
  ${operation === undefined ? sql`` : sql`and operation = ${operation}`}`

/** Days with usage, the oldest first. Index: usage_operations_pkey. */
export const selectUsageByDay = (sql: Sql, range: UsageRange, limit: number) => sql<
  ({ day: string } & OperationUsage)[]
>`
  select day::text, ${usageSums(sql)}
    from usage_operations
   where ${inRange(sql, range)}
   group by day
   order by day
   limit ${limit}`

/** Operations with usage, those with the most requests first. Index: usage_operations_pkey. */
export const selectUsageByOperation = (sql: Sql, range: UsageRange, limit: number) => sql<
  ({ operation: string } & OperationUsage)[]
>`
  select operation, ${usageSums(sql)}
    from usage_operations
   where ${inRange(sql, range)}
   group by operation
   order by sum(requests) desc, sum(bytes) desc, operation
   limit ${limit}`
