import { lockActiveAccount } from '../../accounts/queries.js'
import { inactiveAccount } from '../../core/errors.js'
import type { Sql } from '../../store/connection.js'
import type { ForwardResult } from './schemas.js'

/** Keeps the account from making listeners in other transactions, and counts those that it has. */
export async function countListeners(tx: Sql, accountId: number): Promise<number> {
  if (!(await lockActiveAccount(tx, accountId))) throw inactiveAccount()
  const [row] = await tx<{ count: number }[]>`
    select count(*)::int as count from webhooks
     where account_id = ${accountId} and deleted_at is null and polled_at is not null`
  return row?.count ?? 0
}

/** The number of a listener, which lives on from now; `undefined`: the account has no such one. */
export async function touchListener(
  sql: Sql,
  { accountId, name, nowMs }: { accountId: number; name: string; nowMs: number },
): Promise<number | undefined> {
  const [row] = await sql<{ id: number }[]>`
    update webhooks set polled_at = ${new Date(nowMs)}
     where name = ${name} and account_id = ${accountId}
       and polled_at is not null and deleted_at is null
    returning id`
  return row?.id
}

type EventRow = { eventId: string; eventType: string; body: string; createdAt: Date }

/**
 * Deliveries that wait, oldest first: at most `limit`, and no more once `bytesMax` are reached.
 * Index: webhook_deliveries_due.
 */
export function selectPending(
  sql: Sql,
  { webhook, limit, bytesMax }: { webhook: number; limit: number; bytesMax: number },
): Promise<EventRow[]> {
  return sql<EventRow[]>`
    select event_id, event_type, body, created_at
      from (select oldest.*, sum(octet_length(body)) over (order by place) - octet_length(body) as before
              from (select event_id, event_type, body, created_at,
                           row_number() over (order by due_at) as place
                      from webhook_deliveries
                     where webhook = ${webhook} and state = 'pending' and not is_leased
                     order by due_at
                     limit ${limit}) oldest) counted
     where before < ${bytesMax}
     order by place`
}

/**
 * Ends deliveries that wait, and writes each into the history. Returns how many there were: results of
 * other events, or that come a second time, change nothing.
 */
export async function recordResults(
  sql: Sql,
  webhook: number,
  results: readonly ForwardResult[],
  nowMs: number,
): Promise<number> {
  const now = new Date(nowMs)
  const given = results.map((result) => ({ ...result, event_id: result.event_id.slice(4) }))
  const rows = await sql`
    with result as (
      select distinct on (event_id) *
        from json_to_recordset(${JSON.stringify(given)}::text::json)
             as given (event_id uuid, success boolean, status_code smallint, latency_ms integer,
                       error text)
    ), ended as (
      update webhook_deliveries d
         set state = case when result.success then 'delivered' else 'failed' end,
             attempts = 1, due_at = null, is_leased = false, finished_at = ${now}
        from result
       where d.webhook = ${webhook} and d.event_id = result.event_id and d.state = 'pending'
      returning d.event_id, d.event_type, result.success, result.status_code, result.latency_ms,
                result.error
    )
    insert into webhook_attempts
           (webhook, event_id, event_type, attempt, success, status_code, latency_ms, error, attempted_at)
    select ${webhook}::integer, event_id, event_type, 1, success, status_code, latency_ms, error, ${now}
      from ended`
  return rows.count
}

/** `false`: the account has no such listener. */
export async function deleteListener(
  sql: Sql,
  { accountId, name, nowMs }: { accountId: number; name: string; nowMs: number },
): Promise<boolean> {
  const { count } = await sql`
    update webhooks set active = false, deleted_at = ${new Date(nowMs)}, secret = ''
     where name = ${name} and account_id = ${accountId}
       and polled_at is not null and deleted_at is null`
  return count > 0
}

/** Deletes listeners that were last asked for before this time. Index: webhooks_polled_at. */
export async function deleteIdleListeners(
  sql: Sql,
  { beforeMs, nowMs }: { beforeMs: number; nowMs: number },
): Promise<void> {
  // One by one: who changes several holds the revision that others wait for with their row locked.
  const rows = await sql<{ id: number }[]>`
    select id from webhooks where polled_at < ${new Date(beforeMs)} and deleted_at is null`
  for (const { id } of rows) {
    await sql`
      update webhooks set active = false, deleted_at = ${new Date(nowMs)}, secret = ''
       where id = ${id} and polled_at < ${new Date(beforeMs)} and deleted_at is null`
  }
}
