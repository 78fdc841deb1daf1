import { utcDay } from '../../core/unix-time.js'
import type { Sql } from '../../store/connection.js'
import { insertUnsent } from './queries.js'

const DAY_MS = 24 * 60 * 60_000
/** How long the history shows a delivery, and an event is known to have been announced. */
const KEPT_DAYS = 7
const COUNTS_KEPT_DAYS = 40
/** Rows that one statement deletes. */
const BATCH_ROWS = 5_000

const NEVER_SENT = 'not sent within seven days'
/** Of one webhook. */
const BATCH_OF_WEBHOOK = 500

/**
 * Deletes what no answer shows any more, a batch at a time, and gives up what has waited as long: a
 * receiver that is slower than its events come, or a listener that never confirms one, would let the
 * queue grow for ever.
 */
export async function deleteOldDeliveries(sql: Sql, nowMs: number, signal: AbortSignal): Promise<void> {
  const before = new Date(nowMs - KEPT_DAYS * DAY_MS)
  while (!signal.aborted && (await giveUpWaiting(sql, before, nowMs)) > 0);
  await inBatches(signal, () => deleteDeliveries(sql, before))
  await inBatches(signal, () => deleteAttempts(sql, before, nowMs))
  await sql`
    delete from webhook_days where day < ${utcDay(nowMs - COUNTS_KEPT_DAYS * DAY_MS)}`
}

/** Repeats a statement until it finds less than a batch. */
async function inBatches(signal: AbortSignal, run: () => PromiseLike<{ count: number }>): Promise<void> {
  let count = BATCH_ROWS
  while (count === BATCH_ROWS && !signal.aborted) count = (await run()).count
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
    ${insertUnsent(sql, NEVER_SENT, now)} from ended`
  return count
}

/** Index: webhook_deliveries_finished_at. */
const deleteDeliveries = (sql: Sql, before: Date) => sql`
  delete from webhook_deliveries d
   using (select webhook, event_id from webhook_deliveries
           where finished_at < ${before}
           order by finished_at limit ${BATCH_ROWS}
             for update skip locked) old
   where d.webhook = old.webhook and d.event_id = old.event_id`

/**
 * Attempts have the order of their ids. Those of a clock that was far ahead go too, which would keep all
 * others from being found. Index: webhook_attempts_pkey.
 */
const deleteAttempts = (sql: Sql, before: Date, nowMs: number) => sql`
  delete from webhook_attempts
   where id in (select id from (select id, attempted_at from webhook_attempts
                                 order by id limit ${BATCH_ROWS}) oldest
                 where attempted_at < ${before} or attempted_at > ${new Date(nowMs + DAY_MS)})`

/** Attempts that were running when a webhook was deleted are over after this time. */
const ATTEMPTS_OVER_MS = 60_000
const WEBHOOKS_MAX = 100

/** What a webhook may have much of. The rest goes with its row. */
const TABLES = ['webhook_attempts', 'webhook_deliveries', 'webhook_bases']

/** Deletes the rows of webhooks that were deleted, in batches. Index: webhooks_deleted. */
export async function deleteOldWebhooks(sql: Sql, nowMs: number, signal: AbortSignal): Promise<void> {
  const rows = await sql<{ id: number }[]>`
    select id from webhooks
     where deleted_at is not null and deleted_at < ${new Date(nowMs - ATTEMPTS_OVER_MS)}
     order by id limit ${WEBHOOKS_MAX}`
  for (const { id } of rows) {
    for (const table of TABLES) {
      await inBatches(
        signal,
        () => sql`
          delete from ${sql(table)}
           where ctid = any(array(select ctid from ${sql(table)} where webhook = ${id} limit ${BATCH_ROWS}
                                     for update skip locked))`,
      )
    }
    if (signal.aborted) return
    await sql`delete from webhooks where id = ${id}`
  }
}
