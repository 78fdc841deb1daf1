import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.js'
import { selectTagIds } from './tag-filter.js'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
  await database.sql`
    insert into tags values
      (1, 'up-or-down', 'Up or Down'), (2, 'crypto', 'Crypto'), (3, 'crypto-2', 'CRYPTO'),
      (4, null, null)`
})
afterAll(() => database.drop())

test.each([
  ['up-or-down', [1]],
  ['Up or Down', [1]],
  ['UP-OR DOWN', [1]],
  ['crypto', [2, 3]],
  ['crypto-2', [3]],
  ['cryp', []],
  ['%', []],
  ['', []],
])('%j names the tags %j', async (text, ids) => {
  expect(await selectTagIds(database.sql, text)).toEqual(ids)
})
