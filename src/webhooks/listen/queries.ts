import type { Sql } from '../../store/connection.js'
import { markDeleted } from '../manage/queries.js'
import type { ForwardResult } from './schemas.js'

type ListenerKey = { accountId: number; publicId: string; nowMs: number }

const isListener = (sql: Sql, { accountId, publicId }: ListenerKey) => sql`
  w.name = ${publicId} and w.account_id = ${accountId} and w.polled_at is not null and w.deleted_at is null`

/** The number of a listener, which lives on from now; `undefined`: the account has no such one. */
export async function touchListener(sql: Sql, key: ListenerKey): Promise<number | undefined> {
  const [row] = await sql<{ id: number }[]>`
    update webhooks w set polled_at = ${new Date(key.nowMs)} where ${isListener(sql, key)} returning id`
  return row?.id
}

export type PendingEvent = { eventId: string; eventType: string; body: string; createdAt: Date }

/**
 * Deliveries that wait, oldest first: at most `limit`, and no more once `bytesMax` are reached.
 * Index: webhook_deliveries_due.
 */
export function selectPending(
  sql: Sql,
  { webhook, limit, bytesMax }: { webhook: number; limit: number; bytesMax: number },
): Promise<PendingEvent[]> {
  return sql<PendingEvent[]>`
    select event_id, event_type, body, created_at
      from (select oldest.*, sum(octet_length(body)) over (order by nth) - octet_length(body) as before
              from (select event_id, event_type, body, created_at,
                           row_number() over (order by due_at) as nth
                      from webhook_deliveries
                     where webhook = ${webhook} and state = 'pending' and not is_leased
                     order by due_at
                     limit ${limit}) oldest) counted
     where before < ${bytesMax}
     order by nth`
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
  const stripped = results.map((result) => ({ ...result, event_id: result.event_id.slice(4) }))
  const rows = await sql`
    with result as (
      select distinct on (event_id) *
        from json_to_recordset(${JSON.stringify(stripped)}::text::json)
             as reported (event_id uuid, success boolean, status_code smallint, latency_ms integer,
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
export const deleteListener = (sql: Sql, key: ListenerKey): Promise<boolean> =>
  markDeleted(sql, isListener(sql, key), key.nowMs)

/** A listener that is not polled this long counts as ended. */
const UNPOLLED_MS_MAX = 2 * 60_000

/** A job: deletes listeners whose command has ended without saying so. Index: webhooks_polled_at. */
export async function deleteUnpolledListeners(sql: Sql, nowMs: number): Promise<void> {
  const isUnpolled = sql`w.polled_at < ${new Date(nowMs - UNPOLLED_MS_MAX)}`
  const rows = await sql<{ id: number }[]>`
    select id from webhooks w where ${isUnpolled} and deleted_at is null`
  // One by one: a statement that changes several holds the revision that others wait for with their row locked.
  for (const { id } of rows) await markDeleted(sql, sql`w.id = ${id} and ${isUnpolled}`, nowMs)
}
