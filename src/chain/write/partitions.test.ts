import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.js'
import { IdRegistry } from '../ids/id-registry.js'
import { writeFacts } from './fact-writer.js'
import { buildIndexes, dropOldPartitions, ensurePartitions } from './partitions.js'
import { testBatch } from './test-batch.js'

const BLOCKS = 2 ** 18

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())
beforeEach(async () => {
  await dropOldPartitions(database.sql, 1_000 * BLOCKS)
  await database.sql`update chain_state set kept_from = null`
})

const ensure = (fromBlock: number, toBlock: number, bare: boolean) =>
  database.sql.begin((tx) => ensurePartitions(tx, fromBlock, toBlock, { bare }))

const indexesOf = async (table: string): Promise<string[]> => {
  const rows = await database.sql<{ columns: string }[]>`
    select coalesce(
             (select string_agg(attname, ' ' order by array_position(i.indkey::int2[], attnum))
                from pg_attribute
               where attrelid = i.indrelid and attnum = any(i.indkey::int2[])),
             lower(pg_get_indexdef(i.indexrelid, 1, true))) as columns
      from pg_index i
     where i.indrelid = ${table}::regclass`
  return rows.map(({ columns }) => columns).sort()
}
const leaves = async (): Promise<string[]> => {
  const rows = await database.sql<{ name: string }[]>`
    select relid::text as name from pg_partition_tree('fills') where isleaf order by 1`
  return rows.map(({ name }) => name)
}

/** Those of fees and of combos are on the same columns as others. */
const FILL_INDEXES = [
  'builder seq',
  'seq',
  'substring(order_hash from 1 for 6)',
  'taker seq',
  'taker seq',
  'token seq',
  'wallet seq',
  'wallet seq',
  'wallet seq',
  'wallet seq',
  'wallet seq',
]

describe('partitions', () => {
  test('are made for every block of a range, and once', async () => {
    await ensure(331 * BLOCKS - 1, 331 * BLOCKS, true)
    await ensure(331 * BLOCKS, 332 * BLOCKS - 1, true)
    expect(await leaves()).toEqual(['fills_p330', 'fills_p331'])
    await database.sql.begin(async (tx) => {
      const facts = testBatch(331 * BLOCKS - 20, 331 * BLOCKS + 20)
      const ids = new IdRegistry()
      await ids.resolve(tx, facts, { journal: false })
      await writeFacts(tx, facts, ids)
      expect(await tx`select 1 from only fills_p330 limit 1`).toHaveLength(1)
      expect(await tx`select 1 from only fills_p331 limit 1`).toHaveLength(1)
    })
  })

  test('are made by two at once without a conflict', async () => {
    await Promise.all([ensure(0, BLOCKS, true), ensure(0, 2 * BLOCKS, false), ensure(0, 1, true)])
    expect(await leaves()).toEqual(['fills_p0', 'fills_p1', 'fills_p2'])
  })

  test('have their indexes at once, or when they are requested', async () => {
    await ensure(BLOCKS, BLOCKS, false)
    await ensure(0, 0, true)
    expect(await indexesOf('fills_p1')).toEqual(FILL_INDEXES)
    expect(await indexesOf('fills_p0')).toEqual(['seq'])
    expect(await indexesOf('transfers_p0')).toEqual(['seq sub'])
    await Promise.all([buildIndexes(database.sql), buildIndexes(database.sql)])
    await buildIndexes(database.sql)
    expect(await indexesOf('fills_p0')).toEqual(FILL_INDEXES)
    expect(await indexesOf('transfers_p0')).toEqual(['from_wallet seq', 'seq sub', 'to_wallet seq'])
    for (const parent of ['splits', 'redemptions', 'fees', 'pnl'])
      expect(await indexesOf(`${parent}_p0`)).toContain('wallet seq')
  })

  test('that get no more rows have indexes without room for more', async () => {
    await ensure(0, BLOCKS, true)
    await buildIndexes(database.sql)
    const optionsOf = (name: string) => database.sql`
      select reloptions from pg_class where relname = ${name}`
    expect(await optionsOf('fills_p0_wallet')).toEqual([{ reloptions: ['fillfactor=100'] }])
    expect(await optionsOf('fills_p1_wallet')).toEqual([{ reloptions: null }])
  })

  test('of an earlier version get the indexes that they lack', async () => {
    await ensure(0, 0, false)
    await database.sql`drop index fills_p0_wallet_took`
    await database.sql`update partitions set is_indexed = false where parent = 'fills'`
    await buildIndexes(database.sql)
    expect(await indexesOf('fills_p0')).toEqual(FILL_INDEXES)
  })

  test('are indexed only where no row is still to come', async () => {
    await ensure(0, BLOCKS, true)
    await buildIndexes(database.sql, { beforeBlock: 2 * BLOCKS - 1 })
    expect(await indexesOf('fills_p0')).toHaveLength(FILL_INDEXES.length)
    expect(await indexesOf('fills_p1')).toHaveLength(1)
  })

  test('are dropped when they are wholly old, and what is kept is noted', async () => {
    await ensure(0, 3 * BLOCKS, true)
    await dropOldPartitions(database.sql, 3 * BLOCKS - 1)
    expect(await leaves()).toEqual(['fills_p2', 'fills_p3'])
    await dropOldPartitions(database.sql, BLOCKS)
    expect(await database.sql`select kept_from from chain_state`).toEqual([{ keptFrom: 2 * BLOCKS }])
    const [row] = await database.sql`select count(*)::int as count from partitions`
    expect(row).toEqual({ count: 14 })
  })
})
