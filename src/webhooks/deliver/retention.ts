import { utcDay } from '../../accounts/socket-time.js'
import type { Clock } from '../../core/clock.js'
import type { Sql } from '../../store/connection.js'

const DAY_MS = 24 * 60 * 60_000
/** How long the history shows a delivery, and an event is known to have been announced. */
const KEPT_DAYS = 7
const COUNTS_KEPT_DAYS = 40
/** Rows that one statement deletes. */
const BATCH_ROWS = 5_000

type Parts = { readonly sql: Sql; clock: Clock }

/** Deletes what no answer shows any more, a batch at a time. */
export async function deleteOldDeliveries(parts: Parts, signal: AbortSignal): Promise<void> {
  const nowMs = parts.clock.now()
  const before = new Date(nowMs - KEPT_DAYS * DAY_MS)
  for (const deleteBatch of [deleteDeliveries, deleteAttempts]) {
    let count = BATCH_ROWS
    while (count === BATCH_ROWS && !signal.aborted) count = await deleteBatch(parts.sql, before)
  }
  await parts.sql`
    delete from webhook_days where day < ${utcDay(nowMs - COUNTS_KEPT_DAYS * DAY_MS)}`
}

/** Index: webhook_deliveries_finished_at. */
async function deleteDeliveries(sql: Sql, before: Date): Promise<number> {
  const { count } = await sql`
    delete from webhook_deliveries d
     using (select webhook, event_id from webhook_deliveries
             where finished_at < ${before}
             order by finished_at limit ${BATCH_ROWS}
               for update skip locked) old
     where d.webhook = old.webhook and d.event_id = old.event_id`
  return count
}

/** Attempts have the order of their ids. Index: webhook_attempts_pkey. */
async function deleteAttempts(sql: Sql, before: Date): Promise<number> {
  const { count } = await sql`
    delete from webhook_attempts
     where id in (select id from (select id, attempted_at from webhook_attempts
                                   order by id limit ${BATCH_ROWS}) oldest
                   where attempted_at < ${before})`
  return count
}
