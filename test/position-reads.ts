import { expect } from 'vitest'
import type { Pool, Sql } from '../src/store/connection.js'

/** Rows of positions that a query reads, with the plan that knows no parameters. It must find some. */
export function countPositionReads(
  pool: Pool,
  select: (tx: Sql) => Promise<readonly object[]>,
): Promise<number> {
  return pool.begin(async (tx) => {
    await tx`set local plan_cache_mode = force_generic_plan`
    const before = await selectReads(tx)
    expect(await select(tx)).not.toEqual([])
    return (await selectReads(tx)) - before
  })
}

async function selectReads(tx: Sql): Promise<number> {
  const [row] = await tx<{ reads: number }[]>`
    select (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::integer as reads
      from pg_stat_xact_user_tables where relname = 'positions'`
  return row?.reads ?? 0
}
