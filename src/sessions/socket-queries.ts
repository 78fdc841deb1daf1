import type { Sql } from '../store/connection.js'
import { rowsAs } from '../store/sql-words.js'

/** What the limits of a plan count. */
export type SessionKind = 'events' | 'orderbook' | 'firehose' | 'replay'

/** How long a process that is cut off from the database keeps its slots. */
const LEASE_SECONDS = 15

/**
 * Prolongs the lease of a process, and names the connection of this query as the sign that the process
 * lives. `true`: it had none.
 */
export async function upsertHolder(control: Sql, holder: string): Promise<boolean> {
  const [row] = await control<{ isNew: boolean }[]>`
    insert into socket_holders (id, expires_at, backend_pid, backend_start)
    select ${holder}, now() + make_interval(secs => ${LEASE_SECONDS}), pid, backend_start
      from pg_stat_activity where pid = pg_backend_pid()
    on conflict (id) do update
       set expires_at = excluded.expires_at,
           backend_pid = excluded.backend_pid,
           backend_start = excluded.backend_start
    returning xmax = 0 as is_new`
  return row?.isNew ?? false
}

/** Keeps the lease of a process until the transaction ends. `false`: it has none. */
export async function lockHolder(tx: Sql, holder: string): Promise<boolean> {
  const rows = await tx`select from socket_holders where id = ${holder} for key share`
  return rows.length > 0
}

/** Releases all slots of a process. */
export async function deleteHolder(sql: Sql, holder: string): Promise<void> {
  await sql`delete from socket_holders where id = ${holder}`
}

/** Deletes processes that ended without releasing their slots, and days that no limit needs. */
export async function deleteOldSessions(sql: Sql, beforeDay: string): Promise<void> {
  await sql`delete from socket_holders where expires_at < now() - interval '1 hour'`
  await sql`delete from socket_times where day < ${beforeDay}`
}

/** Holds the rows of accounts until the transaction ends, so that one process at a time counts for each. */
export async function lockAccounts(tx: Sql, accountIds: readonly number[]): Promise<void> {
  await tx`select id from accounts where id = any(${accountIds}::int[]) order by id for no key update`
}

/** What other processes that live hold of these accounts. Index: socket_counts_pkey. */
export function selectOtherCounts(sql: Sql, holder: string, accountIds: readonly number[]) {
  return sql<{ accountId: number; kind: SessionKind; count: number }[]>`
    select c.account_id, c.kind, sum(c.count)::int as count
      from socket_counts c
      join socket_holders h on h.id = c.holder
     where c.account_id = any(${accountIds}::int[])
       and c.holder <> ${holder}
       and ${isAlive(sql)}
     group by c.account_id, c.kind`
}

/** What an account has open in all processes that live. Index: socket_counts_pkey. */
export function selectOpenCounts(sql: Sql, accountId: number) {
  return sql<{ kind: SessionKind; count: number }[]>`
    select c.kind, sum(c.count)::int as count
      from socket_counts c
      join socket_holders h on h.id = c.holder
     where c.account_id = ${accountId} and ${isAlive(sql)}
     group by c.kind`
}

/** Whether the process of the holder `h` lives. */
const isAlive = (sql: Sql) => sql`
  h.expires_at > now()
  and exists (select from pg_stat_activity a
               where a.pid = h.backend_pid
                 and coalesce(a.backend_start, h.backend_start) = h.backend_start)`

type CountRow = { accountId: number; kind: SessionKind; count: number }

/** Writes how many a process has open. */
export async function upsertCounts(sql: Sql, holder: string, rows: readonly CountRow[]) {
  await sql`
    insert into socket_counts (holder, account_id, kind, count)
    select ${holder}, row.account_id, row.kind, row.count
      from ${rowsAs(sql, 'row', rows, { accountId: 'int', kind: 'text', count: 'int' })}
     order by row.account_id, row.kind
    on conflict (account_id, kind, holder) do update set count = excluded.count`
}

/** How long these accounts were connected on a day. Index: socket_times_pkey. */
export function selectTimes(sql: Sql, accountIds: readonly number[], day: string) {
  return sql<{ accountId: number; kind: SessionKind; usedMs: bigint }[]>`
    select account_id, kind, used_ms from socket_times
     where account_id = any(${accountIds}::int[]) and day = ${day}`
}

type TimeRow = { accountId: number; day: string; kind: SessionKind; ms: number }

export async function addTimes(sql: Sql, rows: readonly TimeRow[]): Promise<void> {
  await sql`
    insert into socket_times as t (account_id, day, kind, used_ms)
    select row.account_id, row.day, row.kind, row.ms
      from ${rowsAs(sql, 'row', rows, { accountId: 'int', day: 'date', kind: 'text', ms: 'bigint' })}
     order by row.account_id, row.day, row.kind
    on conflict (account_id, day, kind) do update set used_ms = t.used_ms + excluded.used_ms`
}
