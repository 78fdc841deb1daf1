import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.js'
import { countPositionReads } from '../../test/position-reads.js'
import { buildReadIndexes } from '../chain/write/read-indexes.js'
import { seqOf } from '../core/seq.js'
import { type PositionScope, selectPositions } from './queries.js'

const HEAD = 90_000
const PAGE = { limit: 21, offset: 0, after: undefined }

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
  const { sql } = database
  await sql`
    insert into wallets select i, decode(lpad(to_hex(i), 40, '0'), 'hex'), 0
      from generate_series(1, 2000) i`
  await sql`
    insert into tokens
    select i, (i + 1) / 2, 1, (i + 1) % 2, 0, decode(lpad(to_hex(i), 64, '0'), 'hex')
      from generate_series(1, 400) i`
  await sql`
    insert into resolutions select i::bigint << 20, i, array[1, 0], '\\x00'
      from generate_series(1, 200, 2) i`
  // Wallet 1 is in every token, token 1 and 2 are in every wallet.
  await sql`
    insert into positions
    select w, t, 1, (w * 7919 + t * 104729) % 1000000, 1, 0, (w * 31 + t * 17) % 5 * 1000000, 5, 5,
           (w * 7919 + t * 6151) % 2000000 - 1000000, (w * 13 + t) % 1000 + 1, 5, 0
      from generate_series(1, 2000) w, generate_series(1, 400) t
     where w = 1 or t <= 2 or (w + t) % 20 = 0`
  await sql`update undo_floor set block = ${HEAD - 256}`
  await buildReadIndexes(sql)
  await sql`analyze`
})
afterAll(() => database.drop())

function countReads(scope: Partial<PositionScope>): Promise<number> {
  const of = { until: seqOf(HEAD, 0), sort: 'realized', isAscending: false, ...scope } as const
  return countPositionReads(database.sql, (tx) => selectPositions(tx, of, PAGE))
}

/** Rows that are read for each row of a page: one scan for each token, and rows that filters drop. */
test.each<[string, number, Partial<PositionScope>]>([
  ['a wallet by profit', 1, { wallet: 1 }],
  ['a wallet by size', 1, { wallet: 1, sort: 'balance', isAscending: true }],
  ['a wallet by volume', 1, { wallet: 1, sort: 'bought' }],
  ['a wallet by time', 1, { wallet: 1, sort: 'last_sec' }],
  ['a wallet in two tokens', 1, { wallet: 1, tokens: [1, 2] }],
  ['open positions of a wallet', 5, { wallet: 1, status: 'open' }],
  ['all by time', 1, { sort: 'last_sec' }],
  ['all by profit', 1, { isAscending: true }],
  ['all by size, of at least', 1, { sort: 'balance', sizeMin: 3_000_000n }],
  ['all by volume', 1, { sort: 'bought' }],
  ['all that may be redeemed, by time', 5, { sort: 'last_sec', status: 'redeemable' }],
  ['all by id', 1, { sort: 'id' }],
  ['holders of a token by profit', 1, { tokens: [1] }],
  ['holders of a token by volume', 1, { tokens: [1], sort: 'bought' }],
  ['holders of two tokens by size', 2, { tokens: [1, 2], sort: 'balance', isHeld: true }],
])('a page reads no more rows than it needs: %s', async (_case, most, scope) => {
  const reads = await countReads(scope)
  expect(reads).toBeGreaterThan(0)
  expect(reads).toBeLessThanOrEqual(most * PAGE.limit)
})
