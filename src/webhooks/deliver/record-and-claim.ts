import { groupBy } from '../../lib/group-by.js'
import type { Pool, Sql } from '../../store/connection.js'
import { transact } from '../../store/transaction.js'
import { type DeliveryCapacity, type DueQueues, isAtShare, selectDueQueues } from './due-queues.js'
import {
  type ClaimedDelivery,
  cancelClosed,
  claimDeliveries,
  type EndedAttempt,
  INTERRUPTED,
  type LeaseCount,
  lockLanes,
  recordAttempts,
  selectLanes,
  updateNextDue,
  wakeLanes,
} from './queries.js'
import type { AttemptResult } from './sender.js'

/** Lanes that one claim looks at because they are due. */
const LANES_MAX = 64

type ClaimRequest = {
  /** Attempts to be written. */
  ended: readonly EndedAttempt[]
  /** For the deliveries to take. */
  capacity: DeliveryCapacity
  /** See `claimDeliveries`. */
  quick?: readonly LeaseCount[]
  /** What the claim before returned. */
  afterAccount?: number
  nowMs: number
}

type ClaimResult = {
  claimed: ClaimedDelivery[]
  /** The attempts that are written, or whose webhook is gone. The caller passes the rest again. */
  settled: ReadonlySet<EndedAttempt>
  /** Webhooks that have failed for too long. */
  failing: number[]
  /** How many of the due lanes that were read were left out, because their accounts hold their share. */
  passedOver: number
  /** See `DueQueues`. */
  afterAccount: number
}

const NOTHING_DUE: DueQueues = { queues: [], lanes: [], afterAccount: 0 }

/**
 * Writes attempts that ended and takes deliveries that are due, in one transaction, because the end of
 * an attempt lets its webhook have another one. The lock on a lane orders all changes of the webhook's
 * deliveries. It is never waited for, so that no two transactions can wait for each other, and the
 * statements after it see what the one before has committed.
 */
export async function recordAndClaim(pool: Pool, request: ClaimRequest): Promise<ClaimResult> {
  const { ended, capacity, quick = [], afterAccount = 0, nowMs } = request
  const due = capacity.free > 0 ? await selectDueQueues(pool, { afterAccount, nowMs }) : NOTHING_DUE
  const queues = due.queues.filter((queue) => !isAtShare(capacity, queue))
  const passedOver = due.lanes.filter((lane) => isAtShare(capacity, lane)).length
  const webhooks = [...new Set(ended.map(({ delivery }) => delivery.webhook))]
  return await transact(pool, async (tx): Promise<ClaimResult> => {
    const limit = Math.min(capacity.free, LANES_MAX)
    const locked = await lockLanes(tx, { webhooks, queues, limit, nowMs })
    const lanes = locked.map(({ webhook }) => webhook)
    const closed = locked.filter(({ isOpen }) => !isOpen).map(({ webhook }) => webhook)
    const isLocked = new Set(lanes)
    const written = ended.filter(({ delivery }) => isLocked.has(delivery.webhook))
    const left = webhooks.filter((webhook) => !isLocked.has(webhook))

    // Sent without waiting for the answers in between; the database works on them one by one.
    const [, failing, , claimed, , existing] = await Promise.all([
      written.length > 0 ? recordAttempts(tx, written) : undefined,
      written.length > 0 ? updateHealth(tx, receiverHealth(written), nowMs) : [],
      closed.length > 0 ? cancelClosed(tx, closed, nowMs) : undefined,
      lanes.length > 0 && capacity.free > 0 ? claimDeliveries(tx, { lanes, capacity, quick, nowMs }) : [],
      lanes.length > 0 ? updateNextDue(tx, lanes, nowMs) : undefined,
      left.length > 0 ? selectLanes(tx, left) : new Set<number>(),
    ])
    const settled = ended.filter(({ delivery: { webhook } }) => {
      return isLocked.has(webhook) || !existing.has(webhook)
    })
    return { claimed, settled: new Set(settled), failing, passedOver, afterAccount: due.afterAccount }
  })
}

// A webhook is disabled after this many events in a row that were given up, or after a day of failures
// alone with fewer of them or with many that wait: a receiver that lets every attempt take its whole time
// has fewer attempts than events, so that none of these comes to its last one. A success resets all counts.
const EXHAUSTED_MAX = 50
const FAILING_MS_MAX = 24 * 60 * 60_000
const EXHAUSTED_IN_A_DAY_MAX = 10
const WAITING_MAX = 10_000
/** An attempt that takes longer halves the slots of its webhook, and makes it wait for others when this process is busy. */
const QUICK_MS_MAX = 1_000
/** Deliveries of a webhook that are under way at a time, when its receiver has earned it. */
const SLOTS_MAX = 10

/** Whether the receiver took the delivery in good time. */
export const isGood = ({ success, latencyMs }: AttemptResult): boolean => success && latencyMs <= QUICK_MS_MAX

/** What the attempts of one webhook, in the order of their ends, say about its receiver. */
type ReceiverHealth = {
  webhook: number
  hasSuccess: boolean
  /** Events given up since the last success. */
  exhausted: number
  /** The first failure since the last success. */
  failedMs: number | undefined
  isHealthy: boolean
}

export function receiverHealth(ended: readonly EndedAttempt[]): ReceiverHealth[] {
  const completed = ended.flatMap(({ delivery, endedMs, next, result }) =>
    result === undefined || result.error === INTERRUPTED ? [] : [{ delivery, endedMs, next, result }],
  )
  const byWebhook = groupBy(completed, ({ delivery }) => delivery.webhook)
  return [...byWebhook].map(([webhook, attempts]) => {
    const lastSuccess = attempts.findLastIndex(({ result }) => result.success)
    const failures = attempts.slice(lastSuccess + 1)
    const last = attempts.at(-1)?.result
    return {
      webhook,
      hasSuccess: lastSuccess >= 0,
      exhausted: failures.filter(({ next }) => next.state === 'failed').length,
      failedMs: failures[0]?.endedMs,
      isHealthy: last !== undefined && isGood(last),
    }
  })
}

/**
 * Counts failures of locked lanes, and returns the webhooks that are to be disabled. A receiver that does well has twice
 * as many slots as before (`places` of its lane), another one half.
 */
export async function updateHealth(tx: Sql, health: readonly ReceiverHealth[], nowMs: number) {
  const times = health.map(({ failedMs }) =>
    failedMs === undefined ? null : new Date(failedMs).toISOString(),
  )
  const rows = await tx<{ webhook: number }[]>`
    with completed as (
      select * from unnest(
        ${health.map(({ webhook }) => webhook)}::int[],
        ${health.map(({ hasSuccess }) => String(hasSuccess))}::boolean[],
        ${health.map(({ exhausted }) => exhausted)}::int[],
        ${times}::timestamptz[],
        ${health.map(({ isHealthy }) => String(isHealthy))}::boolean[])
        as completed (webhook, has_success, exhausted, failed_at, is_healthy)
    ), counted as (
      update webhook_lanes lane
         set consecutive_failures =
               completed.exhausted + case when completed.has_success then 0 else lane.consecutive_failures end,
             failing_since =
               case when completed.has_success then completed.failed_at
                    else coalesce(lane.failing_since, completed.failed_at) end,
             is_healthy = completed.is_healthy,
             places = case when completed.is_healthy then least(lane.places * 2, ${SLOTS_MAX}::int)
                           else greatest(lane.places / 2, 1) end
        from completed
       where lane.webhook = completed.webhook
      returning lane.webhook, completed.exhausted, lane.consecutive_failures, lane.failing_since)
    select webhook from counted
     where case when failing_since <= ${new Date(nowMs - FAILING_MS_MAX)}
                then exhausted > 0 and consecutive_failures >= ${EXHAUSTED_IN_A_DAY_MAX}
                  or ${WAITING_MAX} = (select count(*) from (
                       select from webhook_deliveries d
                        where d.webhook = counted.webhook and d.state = 'pending' and not d.is_leased
                        limit ${WAITING_MAX}) waiting)
                else exhausted > 0 and consecutive_failures >= ${EXHAUSTED_MAX} end`
  return rows.map(({ webhook }) => webhook)
}

/** Pauses webhooks whose receivers do not answer. The dispatcher cancels what waits of them. */
export async function disableWebhooks(
  pool: Pool,
  webhooks: readonly number[],
  nowMs: number,
): Promise<string[]> {
  const disabled: string[] = []
  // Each by itself: who changes several holds the revision that others wait for with their webhook locked.
  for (const webhook of webhooks) {
    const publicId = await transact(pool, (tx) => disableWebhook(tx, webhook, nowMs))
    if (publicId !== undefined) disabled.push(publicId)
  }
  return disabled
}

/** `undefined`: it is not active any more, or was activated again since it failed. */
async function disableWebhook(tx: Sql, webhook: number, nowMs: number): Promise<string | undefined> {
  const now = new Date(nowMs)
  // In the order of all changes: the webhook, its lane, the revision.
  const [row] = await tx<{ publicId: string }[]>`
    select name as public_id from webhooks where id = ${webhook} and active for no key update`
  if (row === undefined) return undefined
  await wakeLanes(tx, [webhook], nowMs)
  const { count } = await tx`
    update webhooks w
       set active = false, disabled_reason = 'delivery_failures', disabled_at = ${now},
           updated_at = ${now}
      from webhook_lanes lane
     where w.id = ${webhook} and lane.webhook = w.id
       and (lane.consecutive_failures >= ${EXHAUSTED_MAX}
            or lane.failing_since <= ${new Date(nowMs - FAILING_MS_MAX)})`
  return count === 0 ? undefined : row.publicId
}
