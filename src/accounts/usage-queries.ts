import type { Sql } from '../store/connection.js'
import type { Meter } from './plans.js'

/** One account's meters of one month, `YYYY-MM-01`. Index: usage_pkey. */
export function selectUsage(sql: Sql, accountId: number, month: string) {
  return sql<{ meter: Meter; used: bigint }[]>`
    select meter, used from usage where account_id = ${accountId} and month = ${month}`
}

/** How long usage by day and key is kept, today included. */
export const USAGE_DAYS_KEPT = 92
/** How long usage by day and operation is kept: a year and a month to compare it with. */
export const OPERATION_DAYS_KEPT = 400

export type UsageBatch = {
  writer: string
  batch: number
  nowMs: number
  months: { accountId: number; month: string; meter: string; amount: number }[]
  days: UsageDay[]
  operations: ({ accountId: number; day: string; operation: string } & OperationUsage)[]
}

/** `bytes`: of answers and over sockets. Refused and failed requests are not in `requests`. */
export type OperationUsage = { requests: number; bytes: number; refused: number; failed: number }

export const NOTHING_USED: OperationUsage = { requests: 0, bytes: 0, refused: 0, failed: 0 }

export const addOperationUsage = (sum: OperationUsage, used: OperationUsage): OperationUsage => ({
  requests: sum.requests + used.requests,
  bytes: sum.bytes + used.bytes,
  refused: sum.refused + used.refused,
  failed: sum.failed + used.failed,
})

/** What a key used on a UTC day, `YYYY-MM-DD`, of a family of routes or sockets. */
export type UsageDay = {
  accountId: number
  keyId: number
  day: string
  family: string
  requests: number
  bytes: number
}

/** Adds a batch of counts once, however often it is sent: `batch` counts up for each writer. */
export async function addUsage(sql: Sql, { writer, batch, nowMs, months, days, operations }: UsageBatch) {
  await sql`
    with claimed as (
      insert into usage_writers as w (writer, batch, written_at)
      values (${writer}, ${batch}, ${new Date(nowMs)})
      on conflict (writer) do update set batch = excluded.batch, written_at = excluded.written_at
       where w.batch < excluded.batch
      returning 1
    ), months as (
      insert into usage as u (account_id, month, meter, used)
      select row.account_id, row.month, row.meter, sum(row.used)
        from unnest(${months.map((row) => row.accountId)}::int[],
                    ${months.map((row) => row.month)}::date[],
                    ${months.map((row) => row.meter)}::text[],
                    ${months.map((row) => row.amount)}::bigint[])
             as row (account_id, month, meter, used)
        join accounts a on a.id = row.account_id
       where exists (select from claimed)
       group by row.account_id, row.month, row.meter
       order by row.account_id, row.month, row.meter
      on conflict (account_id, month, meter) do update set used = u.used + excluded.used
    ), operations as (
      insert into usage_operations as u (account_id, day, operation, requests, bytes, refused, failed)
      select row.account_id, row.day, row.operation, row.requests, row.bytes, row.refused, row.failed
        from unnest(${operations.map((row) => row.accountId)}::int[],
                    ${operations.map((row) => row.day)}::date[],
                    ${operations.map((row) => row.operation)}::text[],
                    ${operations.map((row) => row.requests)}::bigint[],
                    ${operations.map((row) => row.bytes)}::bigint[],
                    ${operations.map((row) => row.refused)}::bigint[],
                    ${operations.map((row) => row.failed)}::bigint[])
             as row (account_id, day, operation, requests, bytes, refused, failed)
        join accounts a on a.id = row.account_id
       where exists (select from claimed)
       order by row.account_id, row.day, row.operation
      on conflict (account_id, day, operation)
         do update set requests = u.requests + excluded.requests, bytes = u.bytes + excluded.bytes,
                       refused = u.refused + excluded.refused, failed = u.failed + excluded.failed
    )
    insert into usage_days as u (account_id, day, key_id, family, requests, bytes)
    select row.account_id, row.day, row.key_id, row.family, row.requests, row.bytes
      from unnest(${days.map((row) => row.accountId)}::int[],
                  ${days.map((row) => row.day)}::date[],
                  ${days.map((row) => row.keyId)}::int[],
                  ${days.map((row) => row.family)}::text[],
                  ${days.map((row) => row.requests)}::bigint[],
                  ${days.map((row) => row.bytes)}::bigint[])
           as row (account_id, day, key_id, family, requests, bytes)
      join accounts a on a.id = row.account_id
     where exists (select from claimed)
     order by row.account_id, row.day, row.key_id, row.family
    on conflict (account_id, day, key_id, family)
       do update set requests = u.requests + excluded.requests, bytes = u.bytes + excluded.bytes`
}

/** Notes when keys were last used, to the minute: a busy key is one write a minute. */
export async function noteKeyUse(sql: Sql, keyIds: readonly number[], usedMs: number) {
  const usedAt = new Date(usedMs)
  // Locked in the order of their numbers: two processes note the same keys at the same time.
  await sql`
    with noted as (
      select id from api_keys
       where id = any(${keyIds}::int[])
         and (last_used_at is null or last_used_at <= ${new Date(usedMs - 60_000)})
       order by id
         for no key update)
    update api_keys k set last_used_at = ${usedAt} from noted where k.id = noted.id`
}

/** Forgets days before this one. Index: usage_days_day. */
export async function deleteUsageDays(sql: Sql, beforeDay: string): Promise<void> {
  await sql`delete from usage_days where day < ${beforeDay}`
}

/** Forgets operations of days before this one. Index: usage_operations_day. */
export async function deleteUsageOperations(sql: Sql, beforeDay: string): Promise<void> {
  await sql`delete from usage_operations where day < ${beforeDay}`
}

/** Forgets writers that are long gone. */
export async function deleteUsageWriters(sql: Sql, beforeMs: number): Promise<void> {
  await sql`delete from usage_writers where written_at < ${new Date(beforeMs)}`
}
