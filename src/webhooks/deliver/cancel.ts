import type { Sql } from '../../store/connection.js'

export const WEBHOOK_PAUSED = 'webhook paused'

/**
 * Cancels what still waits of a webhook that is being paused; attempts that run go on. Held deliveries
 * are cancelled when they are released. Indexes: webhook_deliveries_due.
 */
export async function cancelPending(tx: Sql, webhook: number, nowMs: number): Promise<void> {
  const now = new Date(nowMs)
  // The lane first, as the dispatcher does, which otherwise could wait for this transaction and this one for it.
  await tx`select from webhook_lanes where webhook = ${webhook} for update`
  await tx`
    with cancelled as (
      update webhook_deliveries
         set state = 'cancelled', due_at = null, finished_at = ${now}
       where webhook = ${webhook} and state = 'pending' and not is_leased
      returning webhook, event_id, event_type, attempts)
    insert into webhook_attempts
           (webhook, event_id, event_type, attempt, success, latency_ms, error, attempted_at)
    select webhook, event_id, event_type, attempts + 1, false, 0, ${WEBHOOK_PAUSED}, ${now}
      from cancelled`
}

/** Forgets how the receiver of a webhook did, when the webhook is activated again. */
export async function forgetFailures(tx: Sql, webhook: number): Promise<void> {
  await tx`
    update webhook_lanes
       set consecutive_failures = 0, failing_since = null, is_healthy = true
     where webhook = ${webhook}`
}
