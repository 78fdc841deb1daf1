import type { Sql } from '../../store/connection.js'

export const WEBHOOK_PAUSED = 'webhook paused'

/** Deliveries that one call cancels, while the matcher may wait for the lane. */
const CANCELLED_MAX = 1_000

/**
 * Cancels what still waits of a webhook that is paused; attempts that run go on. Held deliveries are
 * cancelled when they are released. Returns whether more is left. Index: webhook_deliveries_due.
 */
export async function cancelPending(tx: Sql, webhook: number, nowMs: number): Promise<boolean> {
  const now = new Date(nowMs)
  // The lane first, as the dispatcher does, which otherwise could wait for this transaction and this one for it.
  await tx`select from webhook_lanes where webhook = ${webhook} for update`
  const { count } = await tx`
    with waiting as (
      select event_id from webhook_deliveries
       where webhook = ${webhook} and state = 'pending' and not is_leased
       order by due_at limit ${CANCELLED_MAX}
    ), cancelled as (
      update webhook_deliveries d
         set state = 'cancelled', due_at = null, finished_at = ${now}
        from waiting
       where d.webhook = ${webhook} and d.event_id = waiting.event_id
      returning d.webhook, d.event_id, d.event_type, d.attempts)
    insert into webhook_attempts
           (webhook, event_id, event_type, attempt, success, latency_ms, error, attempted_at)
    select webhook, event_id, event_type, attempts + 1, false, 0, ${WEBHOOK_PAUSED}, ${now}
      from cancelled`
  return count === CANCELLED_MAX
}

/** Forgets how the receiver of a webhook did, when the webhook is activated again. */
export async function forgetFailures(tx: Sql, webhook: number): Promise<void> {
  await tx`
    update webhook_lanes
       set consecutive_failures = 0, failing_since = null, is_healthy = true
     where webhook = ${webhook}`
}
