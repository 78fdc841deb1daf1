import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.js'
import { chooseBlocks } from './choose-blocks.js'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
  const { sql } = database
  await sql`insert into coverage values (100, 1099), (5000, 5099)`
  await sql`insert into blocks select number, 0, '\\x00' from generate_series(100, 5099, 10) as number`
})
afterAll(() => database.drop())

test('a seed chooses the same different blocks again, and another seed others', async () => {
  const blocks = await chooseBlocks(database.sql, 100, 7)
  expect(blocks).toEqual([...new Set(blocks)].sort((a, b) => a - b))
  expect(blocks).toHaveLength(100)
  expect(await chooseBlocks(database.sql, 100, 7)).toEqual(blocks)
  expect(await chooseBlocks(database.sql, 100, 8)).not.toEqual(blocks)
})

test('most of them have facts, some have none, and all are covered', async () => {
  const blocks = await chooseBlocks(database.sql, 40, 3)
  const isCovered = (block: number) => block <= 1099 || block >= 5000
  expect(blocks.filter((block) => !isCovered(block))).toEqual([])
  const withFacts = blocks.filter((block) => block % 10 === 0).length
  expect(withFacts).toBeGreaterThan(20)
  expect(withFacts).toBeLessThan(40)
})

test('all blocks when there are not more', async () => {
  expect(await chooseBlocks(database.sql, 2_000, 1)).toHaveLength(1_100)
})

test('none of those that the retention has dropped', async () => {
  const { sql } = database
  await sql`update chain_state set kept_from = 5050`
  expect(await chooseBlocks(sql, 2_000, 1)).toEqual(Array.from({ length: 50 }, (_, index) => 5_050 + index))
  await sql`update chain_state set kept_from = 1000`
  expect(Math.min(...(await chooseBlocks(sql, 50, 1)))).toBeGreaterThanOrEqual(1_000)
})
