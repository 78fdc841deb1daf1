import type { Sql } from '../store/connection.js'

export type EventLogRow = {
  firstSeq: number
  lastSeq: number
  session: number
  publishedMs: number
  events: Buffer
}

/** Of the numbers and the contents of a row of the log. */
export const EVENT_ROW_CHECKSUM =
  'hash_record(row(last_seq, first_seq, session, published_ms, previous_seq, events))'

/** Adds a row after the newest one, which it names: one process writes at a time. */
export async function insertEventRow(sql: Sql, row: EventLogRow): Promise<void> {
  const { lastSeq, firstSeq, session, publishedMs, events } = row
  await sql`
    insert into event_log
           (last_seq, first_seq, session, published_ms, previous_seq, events, checksum)
    select *, ${sql.unsafe(EVENT_ROW_CHECKSUM)}
      from (select ${lastSeq}::bigint as last_seq, ${firstSeq}::bigint as first_seq,
                   ${session}::bigint as session, ${publishedMs}::bigint as published_ms,
                   (select last_seq from event_log_end) as previous_seq,
                   ${events}::bytea as events) as given`
  await sql`update event_log_end set last_seq = ${lastSeq}`
}

/** The log begins with this number: clients that have seen less cannot go on. */
export const beginEventLog = (sql: Sql, firstSeq: number) => sql`
  update event_log_end set deleted_seq = greatest(deleted_seq, ${firstSeq - 1}::bigint)`

/** Rows with events after `afterSeq`, oldest first. Index: event_log_pkey. */
export async function selectEventRows(sql: Sql, afterSeq: number, limit: number) {
  return await sql<{ events: Buffer }[]>`
    select events from event_log where last_seq > ${afterSeq} order by last_seq limit ${limit}`
}

/** The number after which all events are younger than that time. Index: event_log_published_ms. */
export async function selectSeqBefore(sql: Sql, publishedMs: number): Promise<number> {
  const [row] = await sql<{ seq: bigint | null }[]>`
    select min(first_seq) - 1 as seq from event_log where published_ms >= ${publishedMs}`
  return Number(row?.seq ?? Number.MAX_SAFE_INTEGER)
}

/** The number before the row that a time is in; `undefined`: nothing was published since. Index: event_log_published_ms. */
export async function selectSeqAt(sql: Sql, publishedMs: number): Promise<number | undefined> {
  const [row] = await sql<{ seq: bigint }[]>`
    select first_seq - 1 as seq from event_log
     where published_ms >= ${publishedMs} order by published_ms, last_seq limit 1`
  return row && Number(row.seq)
}

/** Newest row, and up to which number events were deleted. `undefined`: the log is empty. */
export async function selectLogEnds(sql: Sql) {
  const [row] = await sql<{ lastSeq: bigint | null; session: bigint | null; deletedSeq: bigint }[]>`
    select newest.last_seq, newest.session, deleted_seq
      from event_log_end
      left join (select last_seq, session from event_log order by last_seq desc limit 1) newest on true`
  const { lastSeq, session, deletedSeq = 0n } = row ?? {}
  return {
    lastSeq: Number(lastSeq ?? 0),
    session: Number(session ?? 0),
    deletedSeq: Number(deletedSeq),
  }
}

export async function hasEventRow(sql: Sql, lastSeq: number): Promise<boolean> {
  const rows = await sql`select from event_log where last_seq = ${lastSeq}`
  return rows.length > 0
}

/** When the row with the first event after this one was published; `undefined`: there is none. Index: event_log_pkey. */
export async function selectPublishedAfter(sql: Sql, seq: number): Promise<number | undefined> {
  const [row] = await sql<{ publishedMs: bigint }[]>`
    select published_ms from event_log where last_seq > ${seq} order by last_seq limit 1`
  return row && Number(row.publishedMs)
}

/** Deletes rows that are older than that time. Index: event_log_published_ms. */
export async function deleteEventRows(sql: Sql, beforeMs: number): Promise<void> {
  await sql`
    with deleted as (
      delete from event_log where published_ms < ${beforeMs} returning last_seq
    )
    update event_log_end set deleted_seq = greatest(deleted_seq, (select max(last_seq) from deleted))
     where exists (select from deleted)`
}

export type StoredResult = { condition: string; payouts: readonly bigint[] }
export type StoredLegs = { condition: string; legs: readonly string[] }

/** The newest results, oldest first. Index: resolutions_pkey. */
export async function selectNewestResults(sql: Sql, limit: number): Promise<StoredResult[]> {
  const rows = await sql<{ condition: string; payouts: string[] }[]>`
    select '0x' || encode(c.condition, 'hex') as condition, r.payouts::text[] as payouts
      from (select * from resolutions order by seq desc limit ${limit}) r
      join conditions c on c.id = r.condition
     order by r.seq`
  return rows.map(({ condition, payouts }) => ({ condition, payouts: payouts.map(BigInt) }))
}

/** The newest combos, oldest first. Index: combos_pkey. */
export async function selectNewestLegs(sql: Sql, limit: number): Promise<StoredLegs[]> {
  const rows = await sql<{ condition: string; legs: string }[]>`
    select '0x' || encode(c.condition, 'hex') as condition, encode(p.legs, 'hex') as legs
      from (select * from combos order by seq desc limit ${limit}) p
      join conditions c on c.id = p.condition
     order by p.seq`
  return rows.map(({ condition, legs }) => ({
    condition,
    legs: (legs.match(/.{64}/g) ?? []).map((leg) => `0x${leg}`),
  }))
}
