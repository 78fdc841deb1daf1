import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.js'
import { countPositionReads } from '../../../test/position-reads.js'
import { buildReadIndexes } from '../../chain/write/read-indexes.js'
import { CLOSED_SORTS, type ClosedScope, selectClosedPositions } from './queries.js'

const WHALE = 1
const POSITIONS = 6_000
const LIMIT = 50

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
  const { sql } = database
  await sql`
    insert into tokens
    select i, (i + 1) / 2, 1, (i + 1) % 2, 0, decode(lpad(to_hex(i), 64, '0'), 'hex')
      from generate_series(1, ${POSITIONS}::integer) i`
  await sql`
    insert into wallets select i, decode(lpad(to_hex(i), 40, '0'), 'hex'), 0
      from generate_series(1, 50) i`
  // Every tenth position of the whale is closed, and none of the latest ones.
  await sql`
    insert into positions
    select w, t, 1, t, 1, 0, case when w = 1 and t % 10 = 0 and t < 5000 then 0 else 1000000 end, 5, 5,
           (t * 6151) % 2000000 - 1000000, t % 1000 + 1, (t * 31) % 500, 0
      from generate_series(1, 50) w, generate_series(1, ${POSITIONS}::integer) t
     where w = ${WHALE} or (w + t) % 20 = 0`
  await buildReadIndexes(sql)
  await sql`analyze`
})
afterAll(() => database.drop())

const scope = (fields: Partial<ClosedScope>): ClosedScope => ({
  wallet: WHALE,
  sort: 'TIMESTAMP',
  isAscending: false,
  tokens: undefined,
  title: undefined,
  limit: LIMIT,
  offset: 0,
  ...fields,
})

const countReads = (fields: Partial<ClosedScope>): Promise<number> =>
  countPositionReads(database.sql, (tx) => selectClosedPositions(tx, scope(fields)))

test.each<[string, Partial<ClosedScope>]>([
  ['time', { sort: 'TIMESTAMP' }],
  ['time, the first first', { sort: 'TIMESTAMP', isAscending: true }],
  ['profit', { sort: 'REALIZEDPNL' }],
  ['average', { sort: 'AVGPRICE' }],
  ['average, the lowest first', { sort: 'AVGPRICE', isAscending: true }],
])('by %s a page of a whale reads its own rows alone', async (_what, fields) => {
  expect(await countReads(fields)).toBeLessThanOrEqual(LIMIT)
})

test.each(CLOSED_SORTS)('by %s a market reads its tokens alone', async (sort) => {
  expect(await countReads({ sort, tokens: [20, 21, 30] })).toBeLessThanOrEqual(3)
})

test.each(['PRICE', 'TITLE'] as const)('by %s closed positions alone are read', async (sort) => {
  expect(await countReads({ sort })).toBe(499)
})
