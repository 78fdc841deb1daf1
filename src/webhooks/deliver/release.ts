import type { Sql } from '../../store/connection.js'
import type { WebhookEventType } from '../event-types.js'
import { WEBHOOK_PAUSED } from './cancel.js'
import { wakeLanes } from './lanes.js'

/**
 * Has deliveries sent that waited for this head of the chain. Those of a webhook that was paused since
 * they were made are cancelled, also when it is active again: it sees what is behind its `from_seq`,
 * which the clocks of two processes could not tell. Index: webhook_deliveries_held.
 */
export async function releaseHeld(tx: Sql, headBlock: number, nowMs: number): Promise<void> {
  const now = new Date(nowMs)
  const rows = await tx<{ webhook: number }[]>`
    with released as (
      update webhook_deliveries d
         set state = case when held.is_wanted then 'pending' else 'cancelled' end,
             due_at = case when held.is_wanted then ${now}::timestamptz end,
             finished_at = case when held.is_wanted then null else ${now}::timestamptz end
        from (select h.webhook, h.event_id, w.polled_at is null as is_sent,
                     w.deleted_at is not null as is_deleted,
                     w.active and w.deleted_at is null
                       and h.block > w.from_seq >> 20 as is_wanted
                from webhook_deliveries h
                join webhooks w on w.id = h.webhook
               where h.state = 'held' and h.release_block <= ${headBlock}) held
       where d.webhook = held.webhook and d.event_id = held.event_id
      returning d.webhook, d.event_id, d.event_type, held.is_sent, held.is_wanted, held.is_deleted
    ), cancelled as (
      insert into webhook_attempts
             (webhook, event_id, event_type, attempt, success, latency_ms, error, attempted_at)
      select webhook, event_id, event_type, 1, false, 0, ${WEBHOOK_PAUSED}, ${now}
        from released
       where not is_wanted and not is_deleted)
    select distinct webhook from released where is_wanted and is_sent`
  await wakeLanes(
    tx,
    rows.map(({ webhook }) => webhook),
    nowMs,
  )
}

export type CancelledDelivery = { webhook: number; eventType: WebhookEventType; body: string }

/**
 * Deletes held deliveries about blocks above this one, which a reorganisation has taken back, and
 * returns them. The accounts may use their places of the day again. Index: webhook_deliveries_held.
 */
export function cancelHeldAbove(tx: Sql, block: number): Promise<CancelledDelivery[]> {
  return tx<CancelledDelivery[]>`
    with cancelled as (
      delete from webhook_deliveries
       where state = 'held' and release_block > ${block} and block > ${block}
      returning webhook, event_type, body, created_at
    ), days as (
      update webhook_days day
         set deliveries = day.deliveries - given.deliveries
        from (select w.account_id, (c.created_at at time zone 'UTC')::date as day, count(*) as deliveries
                from cancelled c
                join webhooks w on w.id = c.webhook
               group by 1, 2) given
       where day.account_id = given.account_id and day.day = given.day)
    select webhook, event_type, body from cancelled`
}
