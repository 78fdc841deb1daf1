import type { Clock } from '../../core/clock.js'
import { utcDay } from '../../core/unix-time.js'
import type { Sql } from '../../store/connection.js'

const DAY_MS = 24 * 60 * 60_000
/** How long the history shows a delivery, and an event is known to have been announced. */
const KEPT_DAYS = 7
const COUNTS_KEPT_DAYS = 40
/** Rows that one statement deletes. */
const BATCH_ROWS = 5_000

const NEVER_SENT = 'not sent within seven days'
/** Of one webhook. */
const BATCH_OF_WEBHOOK = 500

type Parts = { readonly sql: Sql; clock: Clock }

/**
 * Deletes what no answer shows any more, a batch at a time, and gives up what has waited as long: a
 * receiver that is slower than its events come, or a listener that never confirms one, would let the
 * queue grow for ever.
 */
export async function deleteOldDeliveries(parts: Parts, signal: AbortSignal): Promise<void> {
  const nowMs = parts.clock.now()
  const before = new Date(nowMs - KEPT_DAYS * DAY_MS)
  let given = BATCH_ROWS
  while (given > 0 && !signal.aborted) given = await giveUpWaiting(parts.sql, before, nowMs)
  for (const deleteBatch of [deleteDeliveries, deleteAttempts]) {
    let count = BATCH_ROWS
    while (count === BATCH_ROWS && !signal.aborted) {
      count = await deleteBatch(parts.sql, before, nowMs)
    }
  }
  await parts.sql`
    delete from webhook_days where day < ${utcDay(nowMs - COUNTS_KEPT_DAYS * DAY_MS)}`
}

/** Index: webhook_deliveries_due, once for each webhook. */
async function giveUpWaiting(sql: Sql, before: Date, nowMs: number): Promise<number> {
  const now = new Date(nowMs)
  const { count } = await sql`
    with waiting as (
      select late.webhook, late.event_id
        from webhooks w
       cross join lateral (
             select webhook, event_id from webhook_deliveries
              where webhook = w.id and state = 'pending' and not is_leased and due_at < ${before}
              order by due_at limit ${BATCH_OF_WEBHOOK}
                for update skip locked) late
       where w.deleted_at is null
       limit ${BATCH_ROWS}
    ), ended as (
      update webhook_deliveries d
         set state = 'failed', due_at = null, finished_at = ${now}
        from waiting
       where d.webhook = waiting.webhook and d.event_id = waiting.event_id
      returning d.webhook, d.event_id, d.event_type, d.attempts)
    insert into webhook_attempts
           (webhook, event_id, event_type, attempt, success, latency_ms, error, attempted_at)
    select webhook, event_id, event_type, attempts + 1, false, 0, ${NEVER_SENT}, ${now} from ended`
  return count
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

/**
 * Attempts have the order of their ids. Those of a clock that was far ahead go too, which would stand in
 * the way of all others. Index: webhook_attempts_pkey.
 */
async function deleteAttempts(sql: Sql, before: Date, nowMs: number): Promise<number> {
  const { count } = await sql`
    delete from webhook_attempts
     where id in (select id from (select id, attempted_at from webhook_attempts
                                   order by id limit ${BATCH_ROWS}) oldest
                   where attempted_at < ${before} or attempted_at > ${new Date(nowMs + DAY_MS)})`
  return count
}
