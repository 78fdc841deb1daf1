import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.js'
import { PARTITION_BLOCKS } from '../../core/blocks.js'
import { seqOf } from '../../core/seq.js'
import type { Sql } from '../../store/connection.js'
import { ensurePartitions } from '../write/partitions.js'
import {
  addIndexes,
  addPartitions,
  createShadowTables,
  swapShadowTables,
  useShadowTables,
} from './shadow-tables.js'

const BLOCK = 300 * PARTITION_BLOCKS

let database: TestDatabase
let sql: TestDatabase['sql']
beforeAll(async () => {
  database = await createTestDatabase()
  sql = database.sql
  await sql.begin(async (tx) => {
    await ensurePartitions(tx, BLOCK, BLOCK, { bare: false })
    await ensurePartitions(tx, BLOCK + PARTITION_BLOCKS, BLOCK + PARTITION_BLOCKS, { bare: true })
  })
  await sql`create view held as select wallet, held from positions`
  await sql`create view all_held as select sum(held) from held`
})
afterAll(() => database.drop())
beforeEach(async () => {
  await sql`truncate positions, undo, pnl, quarantine, tokens`
})

/** All that can be said of the tables in use, but for their rows. */
async function readSchema(): Promise<string[]> {
  const rows = await sql<{ line: string }[]>`
    select concat_ws(' ', 'table', relname, relkind, reloptions::text,
                     pg_get_expr(relpartbound, oid), pg_get_partkeydef(oid)) as line
      from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'i', 'I')
     union all
    select concat_ws(' ', 'column', attrelid::regclass, attname, atttypid::regtype, attnotnull)
      from pg_attribute join pg_class c on c.oid = attrelid and c.relkind in ('r', 'p')
     where relnamespace = 'public'::regnamespace and attnum > 0
     union all
    select 'index ' || indexdef from pg_indexes where schemaname = 'public'
     union all
    select concat_ws(' ', 'constraint', conrelid::regclass, conname, pg_get_constraintdef(oid))
      from pg_constraint where connamespace = 'public'::regnamespace
     union all
    select concat_ws(' ', 'view', viewname, definition) from pg_views where schemaname = 'public'
     order by 1`
  return rows.map(({ line }) => line)
}

async function swap(fill: (tx: Sql) => Promise<unknown> = async () => undefined): Promise<void> {
  await sql.begin(async (tx) => {
    await createShadowTables(tx)
    await useShadowTables(tx)
    await addPartitions(tx)
    await fill(tx)
    await addIndexes(tx)
    await swapShadowTables(tx)
  })
}

const insertPosition = (tx: Sql, held: number) =>
  tx`insert into positions values (1, 2, 0, 0, 0, 0, 0, ${held}, 0, 0, 0, 0, 0)`

/** A token that this block names first, and whose condition another one states. */
const insertToken = (id: number, block: number, statedIn: number) => sql`
  insert into tokens (id, token, since, condition, stated_in, outcome)
  values (${id}, int4send(${id}), ${seqOf(block, 3)}, 1, ${statedIn}, 0)`

describe('tables that were swapped', () => {
  test('are like the old ones, to the name of each index', async () => {
    const before = await readSchema()
    expect(before.length).toBeGreaterThan(100)
    await swap()
    expect(await readSchema()).toEqual(before)
    const [schema] = await sql`select from pg_namespace where nspname = 'auspex_rebuild'`
    expect(schema).toBeUndefined()
  })

  test('have the rows that were written before, and views read them', async () => {
    await insertPosition(sql, 7)
    await swap(async (tx) => {
      await insertPosition(tx, 5)
      await tx`
        insert into pnl values (${seqOf(BLOCK, 1)}, 1, 1, 2, 0, 0),
                               (${seqOf(BLOCK + PARTITION_BLOCKS, 1)}, 2, 1, 2, 0, 0)`
    })
    expect(await sql`select wallet, held from held`).toEqual([{ wallet: 1, held: 5n }])
    expect(await sql`select * from all_held`).toEqual([{ sum: '5' }])
    expect(await sql`select amount from pnl order by seq`).toEqual([{ amount: 1n }, { amount: 2n }])
  })

  test('have the journal that the tokens need, and of refusals only the new ones', async () => {
    const undo = (tx: Sql, state: string) => tx`insert into undo values (9, ${state}, '{4}', '{-1}')`
    const refuse = (tx: Sql, seq: number, reason: string) =>
      tx`insert into quarantine values (${seq}, ${reason}, '', '', '', '', '')`
    await insertToken(4, 8, 9)
    await insertToken(5, 9, 9)
    await undo(sql, 'supplies')
    await refuse(sql, 1, 'out_of_range')
    await refuse(sql, 2, 'undecodable')
    await swap(async (tx) => {
      await undo(tx, 'reserves')
      await refuse(tx, 3, 'out_of_range')
    })
    expect(await sql`select block, state, key, image from undo order by state`).toEqual([
      { block: 9, state: 'reserves', key: [4n], image: [-1n] },
      { block: 9, state: 'tokens', key: [4n], image: [] },
    ])
    const refused = await sql<{ seq: bigint }[]>`select seq from quarantine order by seq`
    expect(refused.map(({ seq }) => seq)).toEqual([2n, 3n])
  })

  test('keep nothing of the journal up to the block below which no reorganisation can go back', async () => {
    await insertToken(4, 8, 9)
    await insertToken(5, 9, 12)
    await swap(async (tx) => {
      await tx`insert into undo values (10, 'supplies', '{1}', null), (11, 'supplies', '{1}', null)`
      await tx`update undo_floor set block = 10`
    })
    const kept = await sql<{ block: number }[]>`select block from undo order by block`
    expect(kept.map(({ block }) => block)).toEqual([11, 12])
  })
})

test('tables are not swapped while they are read, and no reader fails for it that waits for another of them', async () => {
  // As `select for update`: the mode of readers is also that of what the swap itself reads.
  const lock = (tx: Sql, table: string) => tx.unsafe(`lock table ${table} in row share mode`)
  const untilLocked = (mode: string, tables: string[]) =>
    vi.waitFor(
      async () => {
        const locked = await sql`
          select from pg_locks
           where mode = ${mode} and granted
             and relation in (select table_name::regclass from unnest(${tables}::text[]) as table_name)`
        expect(locked.length).toBe(tables.length)
      },
      { timeout: 30_000, interval: 5 },
    )
  const untilSwapBegins = () => untilLocked('AccessExclusiveLock', ['positions'])
  // Both are locked after `positions`: first the one is waited for, then the other.
  const leaving = sql.begin(async (tx) => {
    await lock(tx, 'hour_candles')
    await untilSwapBegins()
    await tx`select pg_sleep(0.6)`
  })
  const staying = sql.begin(async (tx) => {
    await lock(tx, 'undo_floor')
    await untilSwapBegins()
    return [...(await tx`select held from positions`)]
  })
  const swapping = swap(() => untilLocked('RowShareLock', ['hour_candles', 'undo_floor']))
  await expect(swapping).rejects.toMatchObject({ code: '55P03' })
  expect(await staying).toEqual([])
  await leaving
})
