import { expect, test } from 'vitest'
import { createTestDatabase } from '../../test/database.js'
import { sinceNamed } from './seq-range.js'

test('a range begins where the wallet and one of the tokens are named first', async () => {
  const { sql, drop } = await createTestDatabase()
  await sql`insert into wallets (id, address, since) values (7, '\\x07', 500)`
  await sql`
    insert into tokens (id, token, since) values (1, '\\x01', 300), (2, '\\x02', 800), (3, '\\x03', 900)`
  const range = { min: 100, until: 1_000 }
  const since = async (named: Parameters<typeof sinceNamed>[2], from = range) =>
    (await sinceNamed(sql, from, named)).min
  expect(await since({ wallet: 7 })).toBe(500)
  expect(await since({ tokens: [3, 2] })).toBe(800)
  expect(await since({ wallet: 7, tokens: [1] })).toBe(500)
  expect(await since({ wallet: 7, tokens: [2, 3] })).toBe(800)
  expect(await since({ wallet: 7 }, { ...range, min: 600 })).toBe(600)
  expect(await sinceNamed(sql, range, {})).toBe(range)
  expect(await since({ wallet: 99, tokens: [98] })).toBe(100)
  await drop()
})
