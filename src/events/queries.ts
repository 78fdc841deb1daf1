import type { Sql } from '../store/connection.js'

export type EventLogRow = {
  firstSeq: number
  lastSeq: number
  session: number
  publishedMs: number
  events: Buffer
}

export async function insertEventRows(sql: Sql, rows: readonly EventLogRow[]): Promise<void> {
  await sql`insert into event_log ${sql(rows as EventLogRow[])}`
}

/** Rows with events behind `afterSeq`, oldest first. Index: event_log_pkey. */
export async function selectEventRows(sql: Sql, afterSeq: number, limit: number) {
  return await sql<{ events: Buffer }[]>`
    select events from event_log where last_seq > ${afterSeq} order by last_seq limit ${limit}`
}

/** The number behind which all events are younger than that time. Index: event_log_published_ms. */
export async function selectSeqBefore(sql: Sql, publishedMs: number): Promise<number> {
  const [row] = await sql<{ seq: bigint | null }[]>`
    select min(first_seq) - 1 as seq from event_log where published_ms >= ${publishedMs}`
  return Number(row?.seq ?? Number.MAX_SAFE_INTEGER)
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

/** Deletes rows that are older than that time. Index: event_log_published_ms. */
export async function deleteEventRows(sql: Sql, beforeMs: number): Promise<void> {
  await sql`
    with deleted as (
      delete from event_log where published_ms < ${beforeMs} returning last_seq
    )
    update event_log_end set deleted_seq = greatest(deleted_seq, (select max(last_seq) from deleted))
     where exists (select from deleted)`
}
