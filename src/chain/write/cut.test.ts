import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.js'
import { hashTables } from '../../../test/table-hashes.js'
import { seqOf } from '../../core/seq.js'
import { Names } from '../ids/names.js'
import { cutFacts } from './cut.js'
import { FIRST_BLOCK, testTape, writeTestTape } from './test-tape.js'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const cut = (fromBlock: number) => database.sql.begin((tx) => cutFacts(tx, seqOf(fromBlock, 0)))

test('takes back exactly what came after, at any depth, and it can come again', async () => {
  const names = new Names()
  const hashes: Record<string, string>[] = []
  const append = async (block: number) => {
    await writeTestTape(database.sql, names, testTape(block, block), true)
    hashes.push(await hashTables(database.sql))
  }
  for (let height = 0; height < 14; height++) await append(FIRST_BLOCK + height)

  for (const depth of [1, 5, 13]) {
    const before = hashes.slice()
    hashes.splice(-depth)
    await cut(FIRST_BLOCK + hashes.length)
    names.forget()
    expect(await hashTables(database.sql)).toEqual(hashes.at(-1))
    while (hashes.length < 14) await append(FIRST_BLOCK + hashes.length)
    expect(hashes).toEqual(before)
  }
})

test('leaves nothing of another fork', async () => {
  await cut(FIRST_BLOCK)
  const names = new Names()
  await writeTestTape(database.sql, names, testTape(FIRST_BLOCK, FIRST_BLOCK + 9), true)
  await writeTestTape(database.sql, names, testTape(FIRST_BLOCK + 10, FIRST_BLOCK + 20), true)
  const straight = await hashTables(database.sql)

  await cut(FIRST_BLOCK + 10)
  names.forget()
  await writeTestTape(database.sql, names, testTape(FIRST_BLOCK + 10, FIRST_BLOCK + 25, 2), true)
  await cut(FIRST_BLOCK + 10)
  names.forget()
  await writeTestTape(database.sql, names, testTape(FIRST_BLOCK + 10, FIRST_BLOCK + 20), true)
  expect(await hashTables(database.sql)).toEqual(straight)
})

test('cuts between blocks only', async () => {
  await expect(database.sql.begin((tx) => cutFacts(tx, seqOf(5, 1)))).rejects.toThrow('start')
})
