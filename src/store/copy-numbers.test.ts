import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.js'
import { copyNumbers, type NumberColumn } from './copy-numbers.js'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase({ isEmpty: true })
  await database.sql`
    create table numbers (id integer primary key, small smallint, wide bigint, place bigint)`
})
afterAll(() => database.drop())

const COLUMNS: readonly NumberColumn[] = [
  { name: 'id', bytes: 4 },
  { name: 'small', bytes: 2 },
  { name: 'wide', bytes: 8 },
  { name: 'place', bytes: 8 },
]
const copy = (rows: Iterable<readonly (number | bigint)[]>) =>
  database.sql.begin((tx) => copyNumbers(tx, 'numbers', COLUMNS, rows))

test('every number arrives as it is', async () => {
  const row = fc.tuple(
    fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
    fc.integer({ min: -(2 ** 15), max: 2 ** 15 - 1 }),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    fc.maxSafeInteger(),
  )
  const rows = fc.uniqueArray(row, { selector: ([id]) => id, maxLength: 50 })
  await fc.assert(
    fc.asyncProperty(rows, async (given) => {
      await database.sql`delete from numbers`
      await copy(given)
      const found = await database.sql<{ id: number; small: number; wide: string; place: string }[]>`
        select id, small, wide::text, place::text from numbers order by id`
      const expected = given.toSorted(([a], [b]) => a - b)
      expect(found.map(({ id, small, wide, place }) => [id, small, BigInt(wide), Number(place)])).toEqual(
        expected,
      )
    }),
    { numRuns: 20 },
  )
})

test('more rows than a chunk holds arrive, each once', async () => {
  await database.sql`delete from numbers`
  function* rows() {
    for (let id = 0; id < 10_000; id++) yield [id, id % 7, BigInt(id) * -1_000n, id * 2 ** 20]
  }
  await copy(rows())
  const [row] = await database.sql`
    select count(*)::int as count, sum(wide)::text as wide from numbers where place = id::bigint << 20`
  expect(row).toEqual({ count: 10_000, wide: String(-49_995_000_000) })
})

test('a key that is there twice is refused, and the connection goes on', async () => {
  await database.sql`delete from numbers`
  await expect(
    copy([
      [1, 1, 1n, 1],
      [1, 2, 2n, 2],
    ]),
  ).rejects.toThrow(/duplicate key/)
  await copy([[7, 1, 1n, 1]])
  expect(await database.sql`select id from numbers`).toEqual([{ id: 7 }])
})
