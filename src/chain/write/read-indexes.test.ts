import { expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { buildReadIndexes } from './read-indexes.js'

test('are built once, also when two processes build them', async () => {
  const { sql, drop } = await createTestDatabase()
  const count = async () => {
    const rows = await sql`
      select from pg_index where indrelid = 'positions'::regclass and indpred is not null`
    return rows.length
  }
  expect(await count()).toBe(0)
  await Promise.all([buildReadIndexes(sql), buildReadIndexes(sql)])
  const built = await count()
  expect(built).toBeGreaterThan(10)
  await buildReadIndexes(sql)
  expect(await count()).toBe(built)
  await drop()
})
