import type { Fragment, Sql } from '../../store/connection.js'
import type { WebhookEventType } from '../event-types.js'
import type { DeliveryCapacity, LaneQueue } from './due-queues.js'
import type { AttemptResult } from './sender.js'

/** How long after the first, second, third and fourth failure the next attempt is due. */
export const RETRY_MS = [10_000, 60_000, 5 * 60_000, 60 * 60_000] as const

export const INTERRUPTED = 'interrupted: the service stopped during the attempt'

/** What becomes of a delivery after an attempt. */
export type NextState = {
  state: 'delivered' | 'pending' | 'failed'
  /** Attempts that count. */
  attempts: number
  /** When the next attempt is due; `undefined`: there is none. */
  dueMs: number | undefined
}

/** `attempt` is the number of the one that ended now, from 1. */
export function nextState(attempt: number, { success }: AttemptResult, nowMs: number): NextState {
  if (success) return { state: 'delivered', attempts: attempt, dueMs: undefined }
  const delayMs = RETRY_MS[attempt - 1]
  if (delayMs === undefined) return { state: 'failed', attempts: attempt, dueMs: undefined }
  return { state: 'pending', attempts: attempt, dueMs: nowMs + delayMs }
}

/** Longer than an attempt and the writing of its result take. */
export const LEASE_MS = 8_000
/** Deliveries of a webhook that is not active which one transaction cancels, while the matcher may wait for the lane. */
const CANCELLED_MAX = 1_000
export const WEBHOOK_PAUSED = 'webhook paused'

// The clock may have been set back since a time was written. What lies further ahead than it could be
// by the clock of now is due.
const LEASE_AHEAD_MS_MAX = 60_000
const DUE_AHEAD_MS_MAX = Math.max(...RETRY_MS) + 5 * 60_000

/**
 * What is being sent of a webhook `w`: ten at most. With an order and a bound that the planner knows, the index
 * is scanned, which removes entries of earlier leases from it. A bitmap of them all would be read again and
 * again.
 */
const leasedOf = (sql: Sql, columns: Fragment): Fragment => sql`
  select ${columns} from webhook_deliveries d
   where d.webhook = w.id and d.is_leased
   order by d.due_at limit 10`

const isLeaseOver = (sql: Sql, nowMs: number): Fragment => sql`
  (d.due_at <= ${new Date(nowMs)} or d.due_at > ${new Date(nowMs + LEASE_AHEAD_MS_MAX)})`

/**
 * Begins a statement that writes into the history that deliveries ended without an answer. The caller adds
 * `from` and the rows; `attempt` is the number that the history shows.
 */
export const insertUnsent = (sql: Sql, error: string, at: Date, attempt = sql`attempts + 1`): Fragment => sql`
  insert into webhook_attempts
         (webhook, event_id, event_type, attempt, success, latency_ms, error, attempted_at)
  select webhook, event_id, event_type, ${attempt}, false, 0, ${error}, ${at}`

/** When the next lane is due, `undefined`: nothing waits. Index: webhook_lanes_next_at. */
export async function selectNextDue(sql: Sql, nowMs: number): Promise<number | undefined> {
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
  /** The queues in which lanes that are due are searched. */
  queues: readonly LaneQueue[]
  /** How many lanes that are due, of all queues together; each has at least one. */
  limit: number
  nowMs: number
}

/**
 * Locks lanes until the transaction ends, of each queue those that are due longest. None is waited for: one
 * that another transaction holds is left out. Indexes: webhook_lanes_account, webhook_lanes_next_at.
 */
export function lockLanes(tx: Sql, { webhooks, queues, limit, nowMs }: LaneLock) {
  const limitOfQueue = Math.max(1, Math.floor(limit / Math.max(1, queues.length)))
  return tx<{ webhook: number; isOpen: boolean }[]>`
    with recorded as (
      select webhook from webhook_lanes where webhook = any(${webhooks}::int[])
         for update skip locked
    ), due as (
      select lane.webhook
        from unnest(${queues.map(({ accountId }) => accountId)}::int[],
                    ${queues.map(({ isHealthy }) => String(isHealthy))}::boolean[])
             as queue (account_id, is_healthy)
       cross join lateral (
             select webhook from webhook_lanes
              where account_id = queue.account_id and is_healthy = queue.is_healthy
                and next_at <= ${new Date(nowMs)}
              order by next_at limit ${limitOfQueue}
                for update skip locked) lane
    ), ahead as (
      select webhook from webhook_lanes
       where next_at > ${new Date(nowMs + DUE_AHEAD_MS_MAX)}
       order by next_at limit ${limit}
         for update skip locked
    )
    select lane.webhook, w.active and w.deleted_at is null as is_open
      from (select * from recorded union select * from due union select * from ahead) lane
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
  accountId: number
  publicId: string
  url: string
  /** Encrypted. */
  secret: Buffer
  eventId: string
  eventType: WebhookEventType
  body: string
  createdAt: Date
  /** Those that ended before. */
  attempts: number
  /** Whether the last attempt of its webhook succeeded in good time. */
  isHealthy: boolean
  /** How many of its webhook may be under way at a time. */
  places: number
  leaseEndMs: number
}

/** How many leased deliveries of a webhook this process holds. */
export type LeaseCount = { webhook: number; count: number }

type Claim = {
  lanes: readonly number[]
  capacity: DeliveryCapacity
  /** Webhooks whose receivers answer at once, of which this process may hold more than it sends. */
  quick: readonly LeaseCount[]
  nowMs: number
}

/**
 * Takes deliveries of locked lanes whose time has come. At most `places` of a webhook are under way at a time in all
 * processes. A process that holds all leases of a quick receiver may take four times as many: it sends `places` of them
 * at a time, and needs no query for each next one. A lease that ran out belongs to a process that ended during the
 * attempt: the history says so, and the attempt is made again.
 *
 * Which accounts get the free slots: `nth` is how many an account would hold with this delivery. Deliveries are sorted
 * by it, so that each next slot goes to the account that holds the fewest, and only while that one holds fewer than
 * are free (see `DeliveryCapacity`): before the delivery with the ordinal `turn`, `free - turn + 1` slots are. Of an
 * account, the longest due go first. Deliveries to receivers that are slow or fail pass the same rule before, with
 * the slots for them.
 * Indexes: webhook_deliveries_due, _leased.
 */
export async function claimDeliveries(tx: Sql, { lanes, capacity, quick, nowMs }: Claim) {
  const { free, freeForSlow, held } = capacity
  const leaseEndMs = nowMs + LEASE_MS
  const ready = tx`
    select d.event_id, d.is_leased, d.due_at from webhook_deliveries d
     where d.webhook = w.id and d.state = 'pending' and not d.is_leased`
  const leased = leasedOf(tx, tx`d.event_id, d.is_leased, d.due_at`)
  const rows = await tx<Omit<ClaimedDelivery, 'leaseEndMs'>[]>`
    with due as (
      select w.id, w.account_id, w.name as public_id, w.url, w.secret, lane.is_healthy, lane.places,
             due.event_id, due.is_leased, due.due_at, coalesce(held.count, 0) as held,
             row_number() over (partition by w.account_id, lane.is_healthy order by due.due_at)
               + coalesce(held.count, 0) as nth
        from webhooks w
        join webhook_lanes lane on lane.webhook = w.id
        left join unnest(${quick.map(({ webhook }) => webhook)}::int[],
                         ${quick.map(({ count }) => count)}::int[]) as quick (webhook, count)
          on quick.webhook = w.id
        left join unnest(${[...held.keys()]}::int[], ${[...held.values()]}::int[]) as held (account_id, count)
          on held.account_id = w.account_id
       cross join lateral (
             (select * from (${leased}) d where ${isLeaseOver(tx, nowMs)})
             union all
             (select * from (
                (${ready} and d.due_at <= ${new Date(nowMs)} order by d.due_at limit 40)
                union all
                (${ready} and d.due_at > ${new Date(nowMs + DUE_AHEAD_MS_MAX)}
                  order by d.due_at limit 10)) ready
               limit (select greatest(0, lane.places * case when count(*) = quick.count then 4 else 1 end - count(*))
                        from (${leased}) d))
             ) due
       where w.id = any(${lanes}::int[])
         and w.active and w.deleted_at is null and w.polled_at is null
    ), healthy_or_slow as (
      select due.*, row_number() over (partition by is_healthy order by nth, due_at) as turn from due
    ), allowed as (
      select *, row_number() over (partition by account_id order by due_at) + held as nth_of_all
        from healthy_or_slow
       where is_healthy or nth + turn <= ${freeForSlow}::int + 1
    ), in_turn as (
      select *, row_number() over (order by nth_of_all, due_at) as turn_of_all from allowed
    ), taken as (
      select * from in_turn where nth_of_all + turn_of_all <= ${free}::int + 1
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
    returning d.webhook, taken.account_id, taken.public_id, taken.url, taken.secret, d.event_id, d.event_type,
              d.body, d.created_at, d.attempts, taken.is_healthy, taken.places`
  return rows.map((row) => ({ ...row, leaseEndMs }))
}

/** An attempt that ended, and what becomes of its delivery. */
export type EndedAttempt = {
  delivery: Pick<ClaimedDelivery, 'webhook' | 'eventId' | 'eventType' | 'attempts' | 'leaseEndMs'>
  startedMs: number
  endedMs: number
  /** `undefined`: none was made, and the lease is returned. */
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
    ${insertUnsent(tx, WEBHOOK_PAUSED, now)} from cancelled where deleted_at is null`
}

/**
 * Notes when locked lanes are due again: at the first time that a delivery is due, or, while
 * all slots are taken, when the first lease ends. Never later, because nothing else would find them.
 */
export async function updateNextDue(tx: Sql, lanes: readonly number[], nowMs: number) {
  const leaseEndMax = new Date(nowMs + LEASE_MS)
  await tx`
    update webhook_lanes lane
       set next_at = case
             when w.polled_at is not null then null
             when not (w.active and w.deleted_at is null)
               then least(leased.end_at, case when due.at is not null then ${new Date(nowMs)}::timestamptz end)
             when leased.count >= lane.places then leased.end_at
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

/** Makes lanes due now. Their lanes are locked until the transaction ends. */
export async function wakeLanes(tx: Sql, webhooks: readonly number[], nowMs: number) {
  if (webhooks.length === 0) return
  await tx`
    insert into webhook_lanes as lane (webhook, account_id, next_at)
    select w.id, w.account_id, ${new Date(nowMs)}
      from webhooks w
     where w.id = any(${webhooks}::int[])
     order by w.id
    on conflict (webhook) do update set next_at = least(lane.next_at, excluded.next_at)`
}

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
    ${insertUnsent(tx, WEBHOOK_PAUSED, now)} from cancelled`
  return count === CANCELLED_MAX
}

/** Resets the health of a webhook that is activated again: its receiver has one slot and earns the others. */
export async function forgetFailures(tx: Sql, webhook: number): Promise<void> {
  await tx`
    update webhook_lanes
       set consecutive_failures = 0, failing_since = null, is_healthy = true, places = 1
     where webhook = ${webhook}`
}
