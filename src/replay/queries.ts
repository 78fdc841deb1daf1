import type { Sql } from '../store/connection.js'

export type ReplayLogRow = { firstMs: number; lastMs: number; events: Buffer }

export async function insertReplayRow(sql: Sql, { firstMs, lastMs, events }: ReplayLogRow): Promise<void> {
  await sql`insert into replay_log (first_ms, last_ms, events) values (${firstMs}, ${lastMs}, ${events})`
}

/** When the newest event of the rows was published; 0: there is none. Index: replay_log_last_ms. */
export async function selectReplayEnd(sql: Sql): Promise<number> {
  const [row] = await sql<{ lastMs: bigint }[]>`
    select last_ms from replay_log order by last_ms desc limit 1`
  return Number(row?.lastMs ?? 0)
}

/** The number of the first row with events since a time; `undefined`: there is none. Index: replay_log_last_ms. */
export async function selectReplayRowAt(sql: Sql, fromMs: number): Promise<number | undefined> {
  const [row] = await sql<{ id: bigint }[]>`
    select id from replay_log where last_ms >= ${fromMs} order by last_ms, id limit 1`
  return row && Number(row.id)
}

/** Rows after this number, in the order in which they were written. Index: replay_log_pkey. */
export async function selectReplayRows(sql: Sql, afterId: number, limit: number) {
  return await sql<{ id: bigint; firstMs: bigint; events: Buffer }[]>`
    select id, first_ms, events from replay_log where id > ${afterId} order by id limit ${limit}`
}

/** When the oldest row of the two tables was published; `undefined`: there is none. Index: that of each on the time. */
export async function selectRecordStart(sql: Sql): Promise<number | undefined> {
  const [row] = await sql<{ startMs: bigint | null }[]>`
    select least((select published_ms from event_log order by published_ms limit 1),
                 (select first_ms from replay_log order by last_ms limit 1)) as start_ms`
  return row?.startMs == null ? undefined : Number(row.startMs)
}

/** Index: replay_log_last_ms. */
export async function deleteReplayRows(sql: Sql, beforeMs: number): Promise<void> {
  await sql`delete from replay_log where last_ms < ${beforeMs}`
}
