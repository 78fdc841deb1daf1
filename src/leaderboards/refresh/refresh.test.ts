import { expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { refreshBoards } from './refresh.js'

test('boards stand at the last booked block', async () => {
  const database = await createTestDatabase()
  const { sql } = database
  await refreshBoards(sql, 0)
  expect(await sql`select block from board_state`).toEqual([{ block: null }])
  await sql`update chain_state set block = 7, block_time = 70`
  await refreshBoards(sql, 0)
  await sql`update chain_state set block = 8, block_time = 80`
  await refreshBoards(sql, 0)
  expect(await sql`select snapshot, block, block_time from board_state`).toEqual([
    { snapshot: 2, block: 8, blockTime: 80 },
  ])
  await database.drop()
})
