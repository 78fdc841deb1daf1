import type { Sql } from '../../store/connection.js'
import type { AttemptResult } from '../deliver/delivery.js'
import type { WebhookEventType } from '../event-types.js'

/** An attempt as the history shows it. */
export type AttemptRow = {
  eventId: string
  isTest: boolean
  eventType: string
  attempt: number
  success: boolean
  statusCode: number | null
  latencyMs: number
  error: string | null
  attemptedAt: Date
}

/** The attempts of a webhook, newest first. Index: webhook_attempts_webhook. */
export const selectHistory = (
  sql: Sql,
  webhook: number,
  { limit, offset }: { limit: number; offset: number },
): Promise<AttemptRow[]> => sql<AttemptRow[]>`
  select event_id, is_test, event_type, attempt, success, status_code, latency_ms, error, attempted_at
    from webhook_attempts
   where webhook = ${webhook}
   order by id desc
   limit ${limit} offset ${offset}`

type TestAttempt = {
  webhook: number
  eventId: string
  eventType: WebhookEventType
  result: AttemptResult
  nowMs: number
}

/** Nothing is written when the webhook was deleted meanwhile. */
export async function insertTestAttempt(sql: Sql, attempt: TestAttempt): Promise<void> {
  const { webhook, eventId, eventType, result, nowMs } = attempt
  const { success, statusCode = null, latencyMs, error = null } = result
  await sql`
    insert into webhook_attempts
           (webhook, event_id, is_test, event_type, attempt, success, status_code, latency_ms, error,
            attempted_at)
    select id, ${eventId}::uuid, true, ${eventType}, 1, ${success}, ${statusCode}, ${latencyMs}, ${error},
           ${new Date(nowMs)}
      from webhooks
     where id = ${webhook} and deleted_at is null`
}

const dueAgain = (tx: Sql, nowMs: number) =>
  tx`set state = 'pending', attempts = 0, due_at = ${new Date(nowMs)}, is_leased = false, finished_at = null`

/**
 * Has a finished delivery sent again. Returns the state of one that is not finished; `undefined`: there is
 * no such delivery. One that is held is not locked: the matcher changes these with allowances locked.
 */
export async function renewDelivery(
  tx: Sql,
  { webhook, eventId, nowMs }: { webhook: number; eventId: string; nowMs: number },
): Promise<'renewed' | 'pending' | 'held' | undefined> {
  const isIt = tx`webhook = ${webhook} and event_id = ${eventId}::uuid`
  const { count } = await tx`
    update webhook_deliveries ${dueAgain(tx, nowMs)}
     where ${isIt} and state in ('delivered', 'failed', 'cancelled')`
  if (count > 0) return 'renewed'
  const [row] = await tx<{ state: string }[]>`select state from webhook_deliveries where ${isIt}`
  return row && (row.state === 'held' ? 'held' : 'pending')
}

/** Has what failed since a time sent again, the oldest first. Index: webhook_deliveries_failed. */
export async function renewFailed(
  tx: Sql,
  { webhook, sinceSec, rowsMax, nowMs }: RenewFailed,
): Promise<number> {
  const { count } = await tx`
    with chosen as (
      select event_id from webhook_deliveries
       where webhook = ${webhook} and state = 'failed' and finished_at >= ${new Date(sinceSec * 1_000)}
       order by finished_at
       limit ${rowsMax}
       for update)
    update webhook_deliveries d ${dueAgain(tx, nowMs)}
      from chosen
     where d.webhook = ${webhook} and d.event_id = chosen.event_id`
  return count
}

type RenewFailed = { webhook: number; sinceSec: number; rowsMax: number; nowMs: number }

/** Whether something failed since a time and was not sent again. Index: webhook_deliveries_failed. */
export async function hasFailed(
  sql: Sql,
  { webhook, sinceSec }: Pick<RenewFailed, 'webhook' | 'sinceSec'>,
): Promise<boolean> {
  const rows = await sql`
    select from webhook_deliveries
     where webhook = ${webhook} and state = 'failed' and finished_at >= ${new Date(sinceSec * 1_000)}
     limit 1`
  return rows.length > 0
}
