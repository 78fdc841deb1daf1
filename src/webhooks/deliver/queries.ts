import type { Fragment, Sql } from '../../store/connection.js'
import type { WebhookEventType } from '../event-types.js'
import { WEBHOOK_PAUSED } from './cancel.js'
import type { AttemptResult } from './delivery.js'
import { INTERRUPTED, type NextState, RETRY_MS } from './retry.js'

/** Longer than an attempt and the writing of its result take. */
export const LEASE_MS = 8_000
/** Deliveries of a webhook that is not active which one claim cancels. */
const CANCELLED_MAX = 1_000

// The clock may have been set back since a time was written. What lies further ahead than it could be
// by the clock of now is due.
const LEASE_AHEAD_MS_MAX = 60_000
const DUE_AHEAD_MS_MAX = Math.max(...RETRY_MS) + 5 * 60_000

/**
 * What is being sent of a webhook `w`: ten at most. With an order and a bound that the planner knows, the index
 * is walked, which removes entries of earlier leases from it. A bitmap of them all would be read again and
 * again.
 */
const leasedOf = (sql: Sql, columns: Fragment): Fragment => sql`
  select ${columns} from webhook_deliveries d
   where d.webhook = w.id and d.is_leased
   order by d.due_at limit 10`

const isLeaseOver = (sql: Sql, nowMs: number): Fragment => sql`
  (d.due_at <= ${new Date(nowMs)} or d.due_at > ${new Date(nowMs + LEASE_AHEAD_MS_MAX)})`

/** When the next lane is to be looked at, `undefined`: nothing waits. Index: webhook_lanes_next_at. */
export async function selectNextLook(sql: Sql, nowMs: number): Promise<number | undefined> {
  const [row] = await sql<{ firstAt: Date | null; lastAt: Date | null }[]>`
    select (select min(next_at) from webhook_lanes) as first_at,
           (select max(next_at) from webhook_lanes) as last_at`
  const { firstAt = null, lastAt = null } = row ?? {}
  if (lastAt !== null && lastAt.getTime() > nowMs + DUE_AHEAD_MS_MAX) return nowMs
  return firstAt?.getTime()
}

type LaneLock = {
  /** Webhooks whose results are to be written. */
  webhooks: readonly number[]
  /** How many lanes that are due. */
  limit: number
  /** Lanes whose receivers are slow or fail are passed over. */
  isHealthyOnly: boolean
  nowMs: number
}

/**
 * Locks lanes until the transaction ends, those that are due longest first. None is waited for: one
 * that another transaction holds is left out. Index: webhook_lanes_next_at.
 */
export function lockLanes(tx: Sql, { webhooks, limit, isHealthyOnly, nowMs }: LaneLock) {
  const wanted = isHealthyOnly ? tx`and is_healthy` : tx``
  return tx<{ webhook: number; isOpen: boolean }[]>`
    with given as (
      select webhook from webhook_lanes where webhook = any(${webhooks}::int[])
         for update skip locked
    ), due as (
      select webhook from webhook_lanes
       where next_at <= ${new Date(nowMs)} ${wanted}
       order by next_at limit ${limit}
         for update skip locked
    ), ahead as (
      select webhook from webhook_lanes
       where next_at > ${new Date(nowMs + DUE_AHEAD_MS_MAX)} ${wanted}
       order by next_at limit ${limit}
         for update skip locked
    )
    select lane.webhook, w.active and w.deleted_at is null as is_open
      from (select * from given union select * from due union select * from ahead) lane
      join webhooks w on w.id = lane.webhook`
}

/** Those of these webhooks that are still there. */
export async function selectLanes(sql: Sql, webhooks: readonly number[]): Promise<Set<number>> {
  const rows = await sql<{ webhook: number }[]>`
    select webhook from webhook_lanes where webhook = any(${webhooks}::int[])`
  return new Set(rows.map(({ webhook }) => webhook))
}

export type ClaimedDelivery = {
  webhook: number
  name: string
  url: string
  /** Encrypted. */
  secret: Buffer
  eventId: string
  eventType: WebhookEventType
  body: string
  createdAt: Date
  /** Those that ended before. */
  attempts: number
  leaseEndMs: number
}

/** How many leased deliveries of a webhook this process holds. */
export type LeaseCount = { webhook: number; count: number }

type Claim = {
  lanes: readonly number[]
  limit: number
  /** Webhooks whose receivers answer at once, of which this process may hold more than it sends. */
  quick: readonly LeaseCount[]
  nowMs: number
}

/**
 * Takes deliveries of locked lanes whose time has come, the longest due first, at most ten of a webhook
 * at a time in all processes. A process that holds all leases of a quick receiver may take forty: it
 * sends ten of them at a time, and need not ask for each next one. A lease that ran out belongs to a process that ended during the attempt:
 * the history says so, and the attempt is made again. Indexes: webhook_deliveries_due, _leased.
 */
export async function claimDeliveries(tx: Sql, { lanes, limit, quick, nowMs }: Claim) {
  const leaseEndMs = nowMs + LEASE_MS
  const ready = tx`
    select d.event_id, d.is_leased, d.due_at from webhook_deliveries d
     where d.webhook = w.id and d.state = 'pending' and not d.is_leased`
  const leased = leasedOf(tx, tx`d.event_id, d.is_leased, d.due_at`)
  const rows = await tx<Omit<ClaimedDelivery, 'leaseEndMs'>[]>`
    with taken as (
      select w.id, w.name, w.url, w.secret, due.event_id, due.is_leased, due.due_at
        from webhooks w
        left join unnest(${quick.map(({ webhook }) => webhook)}::int[],
                         ${quick.map(({ count }) => count)}::int[]) as quick (webhook, count)
          on quick.webhook = w.id
       cross join lateral (
             (select * from (${leased}) d where ${isLeaseOver(tx, nowMs)})
             union all
             (select * from (
                (${ready} and d.due_at <= ${new Date(nowMs)} order by d.due_at limit 40)
                union all
                (${ready} and d.due_at > ${new Date(nowMs + DUE_AHEAD_MS_MAX)}
                  order by d.due_at limit 10)) ready
               limit (select greatest(0, case when count(*) = quick.count then 40 else 10 end - count(*))
                        from (${leased}) d))
             ) due
       where w.id = any(${lanes}::int[])
         and w.active and w.deleted_at is null and w.polled_at is null
       limit ${limit}
    ), interrupted as (
      insert into webhook_attempts
             (webhook, event_id, event_type, attempt, success, latency_ms, error, attempted_at)
      select d.webhook, d.event_id, d.event_type, d.attempts + 1, false, 0, ${INTERRUPTED},
             taken.due_at - make_interval(secs => ${LEASE_MS / 1000})
        from taken
        join webhook_deliveries d on d.webhook = taken.id and d.event_id = taken.event_id
       where taken.is_leased)
    update webhook_deliveries d
       set is_leased = true, due_at = ${new Date(leaseEndMs)}
      from taken
     where d.webhook = taken.id and d.event_id = taken.event_id
    returning d.webhook, taken.name, taken.url, taken.secret, d.event_id, d.event_type, d.body,
              d.created_at, d.attempts`
  return rows.map((row) => ({ ...row, leaseEndMs }))
}

/** An attempt that ended, and what becomes of its delivery. */
export type EndedAttempt = {
  delivery: Pick<ClaimedDelivery, 'webhook' | 'eventId' | 'eventType' | 'attempts' | 'leaseEndMs'>
  startedMs: number
  endedMs: number
  /** `undefined`: none was made, and the delivery is given back. */
  result: AttemptResult | undefined
  next: NextState
}

/**
 * Writes the history of attempts, and the states of their deliveries unless another process has taken
 * these over. A success counts in any case.
 */
export async function recordAttempts(tx: Sql, ended: readonly EndedAttempt[]): Promise<void> {
  // The driver takes an array of times or booleans as text only.
  const times = (read: (attempt: EndedAttempt) => number | undefined) =>
    ended.map((attempt) => {
      const ms = read(attempt)
      return ms === undefined ? null : new Date(ms).toISOString()
    })
  const finishedMs = ({ next, endedMs }: EndedAttempt) => (next.state === 'pending' ? undefined : endedMs)
  await tx`
    with ended as (
      select * from unnest(
        ${ended.map(({ delivery }) => delivery.webhook)}::int[],
        ${ended.map(({ delivery }) => delivery.eventId)}::uuid[],
        ${ended.map(({ delivery }) => delivery.eventType)}::text[],
        ${ended.map(({ delivery }) => delivery.attempts + 1)}::smallint[],
        ${ended.map(({ result }) => (result === undefined ? null : String(result.success)))}::boolean[],
        ${ended.map(({ result }) => result?.statusCode ?? null)}::smallint[],
        ${ended.map(({ result }) => result?.latencyMs ?? null)}::int[],
        ${ended.map(({ result }) => result?.error ?? null)}::text[],
        ${times(({ startedMs }) => startedMs)}::timestamptz[],
        ${times(({ delivery }) => delivery.leaseEndMs)}::timestamptz[],
        ${ended.map(({ next }) => next.state)}::text[],
        ${ended.map(({ next }) => next.attempts)}::smallint[],
        ${times(({ next }) => next.dueMs)}::timestamptz[],
        ${times(finishedMs)}::timestamptz[])
        as ended (webhook, event_id, event_type, attempt, success, status_code, latency_ms, error,
                  started_at, lease_end, state, attempts, due_at, finished_at)
    ), moved as (
      update webhook_deliveries d
         set state = ended.state, attempts = ended.attempts, due_at = ended.due_at,
             is_leased = false, finished_at = ended.finished_at
        from ended
       where d.webhook = ended.webhook and d.event_id = ended.event_id
         and d.state = 'pending'
         and (ended.success is true or d.is_leased and d.due_at = ended.lease_end))
    insert into webhook_attempts
           (webhook, event_id, event_type, attempt, success, status_code, latency_ms, error,
            attempted_at)
    select webhook, event_id, event_type, attempt, success, status_code, latency_ms, error, started_at
      from ended
     where success is not null
     order by started_at, attempt`
}

/** Cancels what waits of webhooks that are paused or deleted, a part of it at a time. */
export async function cancelClosed(tx: Sql, webhooks: readonly number[], nowMs: number) {
  const now = new Date(nowMs)
  await tx`
    with cancelled as (
      update webhook_deliveries d
         set state = 'cancelled', due_at = null, is_leased = false, finished_at = ${now}
        from webhooks w
       cross join lateral (
             (select event_id from (${leasedOf(tx, tx`d.event_id, d.due_at`)}) d
               where ${isLeaseOver(tx, nowMs)})
             union all
             (select event_id from webhook_deliveries d
               where d.webhook = w.id and d.state = 'pending' and not d.is_leased
               order by d.due_at limit ${CANCELLED_MAX})) waiting
       where w.id = any(${webhooks}::int[])
         and not (w.active and w.deleted_at is null)
         and d.webhook = w.id and d.event_id = waiting.event_id
      returning d.webhook, d.event_id, d.event_type, d.attempts, w.deleted_at)
    insert into webhook_attempts
           (webhook, event_id, event_type, attempt, success, latency_ms, error, attempted_at)
    select webhook, event_id, event_type, attempts + 1, false, 0, ${WEBHOOK_PAUSED}, ${now}
      from cancelled
     where deleted_at is null`
}

/**
 * Notes when locked lanes are to be looked at again: at the first time that a delivery is due, or, while
 * ten are in flight, when the first lease ends. Never later, because nothing else would look.
 */
export async function updateNextLook(tx: Sql, lanes: readonly number[], nowMs: number) {
  const leaseEndMax = new Date(nowMs + LEASE_MS)
  await tx`
    update webhook_lanes lane
       set next_at = case
             when w.polled_at is not null then null
             when not (w.active and w.deleted_at is null)
               then least(leased.end_at, case when due.at is not null then ${new Date(nowMs)}::timestamptz end)
             when leased.count >= 10 then leased.end_at
             else least(leased.end_at, due.at) end
      from webhooks w
     cross join lateral (
           select count(*) as count,
                  case when count(*) > 0 then least(min(d.due_at), ${leaseEndMax}) end as end_at
             from (${leasedOf(tx, tx`d.due_at`)}) d) leased
      left join lateral (
           select d.due_at as at from webhook_deliveries d
            where d.webhook = w.id and d.state = 'pending' and not d.is_leased
            order by d.due_at limit 1) due on true
     where w.id = any(${lanes}::int[])
       and lane.webhook = w.id`
}
