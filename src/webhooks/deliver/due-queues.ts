import type { Sql } from '../../store/connection.js'

/** The lanes of an account whose receivers do well, or those whose receivers are slow or fail. */
export type LaneQueue = { accountId: number; isHealthy: boolean }

/**
 * The slots for deliveries of a process. An account gets another one while it holds fewer than are free: alone it
 * gets half of all, two get a third each, and so on. So there is a slot for an account that holds none, however
 * much others have due.
 */
export type DeliveryCapacity = {
  free: number
  /** Of these, those that receivers which are slow or fail may take. */
  freeForSlow: number
  /** How many each account holds. */
  held: ReadonlyMap<number, number>
}

/** Whether an account gets no further slot for lanes of this kind. */
export function isAtShare(
  { free, freeForSlow, held }: DeliveryCapacity,
  { accountId, isHealthy }: LaneQueue,
): boolean {
  return (held.get(accountId) ?? 0) >= (isHealthy ? free : Math.min(free, freeForSlow))
}

/** The lanes that are due longest. Where there are fewer, these are all. */
const FIRST_MAX = 64
/** Queues of one scan. */
const QUEUES_MAX = 128

export type DueQueues = {
  /** Each once. */
  queues: LaneQueue[]
  /** Lanes that are due, with their queues, as far as they are known. */
  lanes: LaneQueue[]
  /** Where the next scan of queues goes on; 0: this one has come to the end. */
  afterAccount: number
}

/**
 * Finds the accounts with lanes that are due. Where many are due, those of one account may be before all others, so
 * the queues are visited by account, a bounded number at a time: how many lanes one has costs nothing.
 */
export async function selectDueQueues(sql: Sql, scan: QueueScan): Promise<DueQueues> {
  const lanes = await selectFirstDue(sql, scan)
  if (lanes.length < FIRST_MAX) return { queues: unique(lanes), lanes, afterAccount: 0 }
  const scanned = await scanQueues(sql, scan)
  const last = scanned.length < QUEUES_MAX ? undefined : scanned.at(-1)
  const queues = unique([...lanes, ...scanned.filter(({ isDue }) => isDue)])
  return { queues, lanes, afterAccount: last === undefined ? 0 : last.accountId - (last.isHealthy ? 0 : 1) }
}

type QueueScan = {
  /** Where the scan before has ended. */
  afterAccount: number
  nowMs: number
}

function unique(queues: readonly LaneQueue[]): LaneQueue[] {
  const byName = new Map<string, LaneQueue>()
  for (const { accountId, isHealthy } of queues) {
    byName.set(`${accountId} ${isHealthy}`, { accountId, isHealthy })
  }
  return [...byName.values()]
}

/** The queues of the lanes that are due longest. Index: webhook_lanes_next_at. */
const selectFirstDue = (sql: Sql, { nowMs }: QueueScan) => sql<LaneQueue[]>`
  select account_id, is_healthy from webhook_lanes
   where next_at <= ${new Date(nowMs)}
   order by next_at limit ${FIRST_MAX}`

/** The next queues in which something waits, by account; a step of the index for each. Index: webhook_lanes_account. */
const scanQueues = (sql: Sql, { afterAccount, nowMs }: QueueScan) => sql<(LaneQueue & { isDue: boolean })[]>`
  with recursive queue as (
    (select account_id, is_healthy, next_at, 1 as nth from webhook_lanes
      where next_at is not null and account_id > ${afterAccount}
      order by account_id, is_healthy, next_at limit 1)
    union all
    select following.*, queue.nth + 1
      from queue
     cross join lateral (
           select account_id, is_healthy, next_at from webhook_lanes
            where next_at is not null and (account_id, is_healthy) > (queue.account_id, queue.is_healthy)
            order by account_id, is_healthy, next_at limit 1) following
     where queue.nth < ${QUEUES_MAX}::int)
  select account_id, is_healthy, next_at <= ${new Date(nowMs)} as is_due from queue order by nth`
