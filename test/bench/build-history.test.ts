import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildHistory } from '../../bench/v3/build-history.js'
import { WHALE } from '../../bench/v3/size.js'
import { audit } from '../../src/audit/audit.js'
import { EVERYTHING } from '../../src/audit/scope.js'
import { createPool } from '../../src/store/connection.js'
import { createTestDatabase, type TestDatabase } from '../database.js'

const SIZE = { fills: 4_000, partitions: 3, endSec: 1_795_000_000 }

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
  const pool = createPool(database.target, 1)
  await buildHistory(pool, SIZE, () => undefined)
  await pool.end()
})
afterAll(() => database.drop())

test('a history that is made for benches is what ingest would have written', async () => {
  const findings = await audit(database.sql, { wallets: { kind: 'all' }, span: EVERYTHING })
  // The sides of its matches do not fit each other, and its ids are no hashes of what they stand for.
  const isClaimed = (check: string) => !['matches', 'fees', 'transactions', 'derived ids'].includes(check)
  const differences = findings.filter(({ check }) => isClaimed(check))
  expect(differences.flatMap(({ check, examples }) => examples.map((text) => `${check}: ${text}`))).toEqual(
    [],
  )
  expect(findings.find(({ check }) => check === 'combo totals')?.coverage).not.toMatch(/^0 /)
})

test('it has a whale, partitions with indexes, redemptions and a catalogue', async () => {
  const [row] = await database.sql`
    select (select count(*)::integer from fills) as fills,
           (select fills from wallet_totals where wallet = ${WHALE}) as whale,
           (select count(*)::integer from partitions where parent = 'fills' and is_indexed) as partitions,
           (select count(*)::integer > 0 from redemptions) as redeems,
           (select count(*)::integer > 0 from markets) as markets`
  expect(row).toMatchObject({ fills: SIZE.fills, partitions: SIZE.partitions })
  expect(row?.whale).toBeGreaterThan(SIZE.fills / 5)
  expect(row).toMatchObject({ redeems: true, markets: true })
})
