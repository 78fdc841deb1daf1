import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.js'
import { hashTables } from '../../../test/table-hashes.js'
import { IdRegistry } from '../ids/id-registry.js'
import { deleteFactsFrom } from './fact-writer.js'
import { FIRST_BLOCK, testBatch, writeTestBatch } from './test-batch.js'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const deleteFrom = (fromBlock: number) => database.sql.begin((tx) => deleteFactsFrom(tx, fromBlock))

test('removes exactly what came after, at any depth, and it can be written again', async () => {
  const names = new IdRegistry()
  const hashes: Record<string, string>[] = []
  const append = async (block: number) => {
    await writeTestBatch(database.sql, names, testBatch(block, block), true)
    hashes.push(await hashTables(database.sql))
  }
  for (let height = 0; height < 14; height++) await append(FIRST_BLOCK + height)

  for (const depth of [1, 5, 13]) {
    const before = hashes.slice()
    hashes.splice(-depth)
    await deleteFrom(FIRST_BLOCK + hashes.length)
    names.forget()
    expect(await hashTables(database.sql)).toEqual(hashes.at(-1))
    while (hashes.length < 14) await append(FIRST_BLOCK + hashes.length)
    expect(hashes).toEqual(before)
  }
})

test('leaves nothing of another fork', async () => {
  await deleteFrom(FIRST_BLOCK)
  const names = new IdRegistry()
  await writeTestBatch(database.sql, names, testBatch(FIRST_BLOCK, FIRST_BLOCK + 9), true)
  await writeTestBatch(database.sql, names, testBatch(FIRST_BLOCK + 10, FIRST_BLOCK + 20), true)
  const straight = await hashTables(database.sql)

  await deleteFrom(FIRST_BLOCK + 10)
  names.forget()
  await writeTestBatch(database.sql, names, testBatch(FIRST_BLOCK + 10, FIRST_BLOCK + 25, 2), true)
  await deleteFrom(FIRST_BLOCK + 10)
  names.forget()
  await writeTestBatch(database.sql, names, testBatch(FIRST_BLOCK + 10, FIRST_BLOCK + 20), true)
  expect(await hashTables(database.sql)).toEqual(straight)
})
