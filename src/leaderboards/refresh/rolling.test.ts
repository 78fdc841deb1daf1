import { expect, test } from 'vitest'
import { counts } from '../../../test/counts.js'
import type { Sql } from '../../store/connection.js'
import { refreshBoards } from './refresh.js'
import { BoardWorld, expectedRolling, storedRolling } from './test-board-world.js'

const SEEDS = counts({ short: [1, 2], long: Array.from({ length: 60 }, (_, seed) => seed) })
const ACTS = 90

/** What is the same however the boards were made. Ids of scopes are given for good. */
const readTables = async (sql: Sql) => ({
  ...(await storedRolling(sql)),
  windows: await sql`select * from rolling_windows order by days`,
  tokens: await sql`select token, scopes from board_tokens order by token`,
})

const ACTIONS = [
  ...Array(8).fill('block'),
  'rewind',
  'catalogue',
  'catalogue',
  'refresh',
  'refresh',
  'refresh',
] as ('block' | 'rewind' | 'catalogue' | 'refresh')[]

test.each(SEEDS)('rolling boards are sums over the P&L of their window, seed %i', async (seed) => {
  const world = await BoardWorld.open(seed)
  const { sql } = world
  let rows = 0
  for (let act = 0; act < ACTS; act++) {
    const action = ACTIONS[world.random(ACTIONS.length)]
    if (action === 'block') await world.addBlock()
    else if (action === 'rewind') await world.rewind()
    else if (action === 'catalogue') await world.changeCatalogue()
    else {
      await refreshBoards(sql, 0)
      const stored = await storedRolling(sql)
      expect(stored).toEqual(await expectedRolling(sql))
      rows = Math.max(rows, stored.boards.length)
    }
  }
  expect(rows).toBeGreaterThan(20)
  await refreshBoards(sql, 0)
  const kept = await readTables(sql)
  expect(kept).toMatchObject(await expectedRolling(sql))
  await sql`update board_state set block = null`
  await refreshBoards(sql, 0)
  expect(await readTables(sql)).toEqual(kept)
})
