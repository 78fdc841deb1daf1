import type { Pool, Sql } from '../../store/connection.js'
import { LOCKS } from '../../store/locks.js'
import { transact } from '../../store/transaction.js'

const DAY_HOURS = 24
const DAY_MS = DAY_HOURS * 3_600_000
/** Readers of blocks queue behind a transaction that waits for its lock: it gives up after this time. */
const LOCK_WAIT_MS = 2_000

const NAME = /^book_blocks_(\d{4})_(\d\d)_(\d\d)$/

const dayOf = (hour: number): number => Math.floor(hour / DAY_HOURS)
const nameOf = (day: number): string =>
  `book_blocks_${new Date(day * DAY_MS).toISOString().slice(0, 10).replaceAll('-', '_')}`

/** Makes the partition that blocks of this hour need. */
export async function ensureBlockPartition(tx: Sql, hour: number): Promise<void> {
  const name = nameOf(dayOf(hour))
  if (await exists(tx, name)) return
  await tx`select pg_advisory_xact_lock(${LOCKS.partitions})`
  if (await exists(tx, name)) return
  const from = dayOf(hour) * DAY_HOURS
  // Attached when it is there: that does not keep readers of the other days waiting.
  await tx.unsafe(`create table ${name} (like book_blocks including all)`)
  await tx.unsafe(
    `alter table book_blocks attach partition ${name} for values from (${from}) to (${from + DAY_HOURS})`,
  )
}

async function exists(sql: Sql, name: string): Promise<boolean> {
  // `to_regclass` may not see yet what was made while this transaction waited for the lock.
  const [row] = await sql`
    select from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'book_blocks'::regclass and c.relname = ${name}`
  return row !== undefined
}

/** Drops the days that were over at this time, and what is known of them; 0 days keep all. */
export async function dropOldBooks(pool: Pool, nowMs: number, days: number): Promise<void> {
  if (days === 0) return
  const beforeMs = (Math.floor(nowMs / DAY_MS) - days) * DAY_MS
  const tables = await pool<{ name: string }[]>`
    select c.relname as name
      from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'book_blocks'::regclass
     order by c.relname`
  const old = tables.filter(({ name }) => {
    const [, year, month, day] = NAME.exec(name) ?? []
    return Date.UTC(Number(year), Number(month) - 1, Number(day)) < beforeMs
  })
  for (const { name } of old) {
    await transact(pool, async (tx) => {
      await tx.unsafe(`set local lock_timeout = ${LOCK_WAIT_MS}`)
      await tx.unsafe(`drop table if exists ${name}`)
    })
  }
  await transact(pool, (tx) => cutSessions(tx, beforeMs))
}

/** Spans that are over are forgotten; one that reaches into the days that are left has lost what came before. */
async function cutSessions(tx: Sql, beforeMs: number): Promise<void> {
  await tx`
    delete from book_sessions s using book_recordings r
     where r.id = s.recording and coalesce(s.to_ms, r.until_ms) <= ${beforeMs}`
  await tx`
    delete from book_recordings r
     where until_ms <= ${beforeMs} and not exists (select from book_sessions s where s.recording = r.id)`
  await tx`
    update book_sessions s
       set kept_from_ms = coalesce(
             (select min(from_ms) from (
               select from_ms from book_blocks b where b.token = s.token and b.recording = s.recording and b.is_whole
               union all
               select from_ms from book_tail t where t.token = s.token and t.recording = s.recording and t.is_whole
             ) wholes),
             ${beforeMs})
     where s.from_ms < ${beforeMs} and s.kept_from_ms < ${beforeMs}`
}
