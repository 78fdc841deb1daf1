import type { Sql } from '../store/connection.js'
import { rowsAs } from '../store/sql-words.js'

export type WindowCharge = {
  bucket: string
  subject: number
  limit: number
  windowMs: number
  nowMs: number
}

/**
 * Counts a request in its window unless the window is full: one statement, so that of two processes
 * that want the last unit only one gets it. Times that are further ahead than the window do not count: a
 * clock was set back. Index: rate_windows_pkey.
 */
export async function takeFromWindow(sql: Sql, charge: WindowCharge) {
  const { bucket, subject, limit, windowMs, nowMs } = charge
  const [row] = await sql<{ isGranted: boolean; used: number; oldestMs: number }[]>`
    insert into rate_windows as w (bucket, subject, times, is_granted)
    values (${bucket}, ${subject}, array[${nowMs}::bigint], true)
    on conflict (bucket, subject) do update
      set (times, is_granted) = (
        select case when count(*) < ${limit} then array_append(array_agg(t order by t), ${nowMs}::bigint)
                    else array_agg(t order by t) end,
               count(*) < ${limit}
          from unnest(w.times) as t
         where t > ${nowMs - windowMs}::bigint and t <= ${nowMs + windowMs}::bigint)
    returning is_granted, cardinality(times) as used, times[1]::float8 as oldest_ms`
  if (row === undefined) throw new Error('a window was neither made nor changed')
  return row
}

type Window = { bucket: string; subject: number; windowMs: number }

/** How many requests count in these windows, and the oldest of them; empty ones are left out. Index: rate_windows_pkey. */
export function selectRateWindows(sql: Sql, windows: readonly Window[], nowMs: number) {
  return sql<{ bucket: string; used: number; oldestMs: number }[]>`
    select bucket, count(*)::int as used, min(t)::float8 as oldest_ms
      from ${rowsAs(sql, 'asked', windows, { bucket: 'text', subject: 'int', windowMs: 'bigint' })}
      join rate_windows w using (bucket, subject),
           unnest(w.times) as t
     where t > ${nowMs}::bigint - window_ms and t <= ${nowMs}::bigint + window_ms
     group by bucket`
}

/** Forgets windows without requests of late. There is one for each key and bucket at most. */
export async function deleteOldWindows(sql: Sql, beforeMs: number): Promise<void> {
  await sql`delete from rate_windows where times[cardinality(times)] < ${beforeMs}::bigint`
}

export type QuotaMonth = { accountId: number; month: string }

/**
 * Takes a unit of an account's month for as long as the lease lasts, unless all are used or taken.
 * `undefined`: they are. The counter and the leases are in one row, so that of two processes at the last
 * unit only one gets it. Index: usage_pkey.
 */
export async function leaseUnit(
  sql: Sql,
  { accountId, month }: QuotaMonth,
  { limit, nowMs, untilMs }: { limit: number; nowMs: number; untilMs: number },
): Promise<{ used: number } | undefined> {
  // Other processes may have read their clocks later. A lease that ends much later is of a clock that was set back.
  const latestMs = untilMs + (untilMs - nowMs)
  const live = sql`
    array(select lease from unnest(u.leases) as lease
           where lease > ${nowMs}::bigint and lease <= ${latestMs}::bigint)`
  const [row] = await sql<{ used: number }[]>`
    insert into usage as u (account_id, month, meter, used, leases)
    select ${accountId}, ${month}::date, 'social', 0, array[${untilMs}::bigint]
     where ${limit}::int > 0
    on conflict (account_id, month, meter) do update
      set leases = ${live} || ${untilMs}::bigint
     where u.used + cardinality(${live}) < ${limit}::int
    returning u.used::int`
  return row
}

/** Ends one lease of this time; leases of the same time are equal. Counts the unit when it was used. */
export async function endLease(
  sql: Sql,
  { accountId, month }: QuotaMonth,
  { untilMs, isUsed }: { untilMs: number; isUsed: boolean },
): Promise<number> {
  const [row] = await sql<{ used: number }[]>`
    update usage
       set used = used + ${isUsed ? 1 : 0}::int,
           leases = array(
             select lease from unnest(leases) with ordinality as l (lease, place)
              where place is distinct from array_position(leases, ${untilMs}::bigint)
              order by place)
     where account_id = ${accountId} and month = ${month}::date and meter = 'social'
    returning used::int`
  if (row === undefined) throw new Error('the month of a lease has no row')
  return row.used
}
