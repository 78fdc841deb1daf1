import { expect, test, vi } from 'vitest'
import { AMOUNT_MAX } from '../../core/money.js'
import { writeRows } from '../../ledger/rows/queries.js'
import { LEDGER_TABLES } from '../../ledger/rows/tables.js'
import { createPool } from '../../store/connection.js'
import { transact } from '../../store/transaction.js'
import { refreshBoards } from './refresh.js'
import { BoardWorld, expectedRolling, storedRolling } from './test-board-world.js'

test('a refresh that dies in the middle leaves the boards as they were, and the next one is right', async () => {
  const world = await BoardWorld.open(7)
  const { sql } = world
  for (let block = 0; block < 12; block++) await world.addBlock()
  await refreshBoards(sql, 0)
  const read = async () => ({
    ...(await storedRolling(sql)),
    state: await sql`select * from board_state`,
    windows: await sql`select * from rolling_windows order by days`,
  })
  const before = await read()
  expect(before.boards.length).toBeGreaterThan(0)

  await world.rewind()
  for (let block = 0; block < 6; block++) await world.addBlock()
  await world.tagEvent()
  const pool = createPool(world.facts.database.target, 1, { onClose: () => undefined })
  const [{ pid } = { pid: 0 }] = await pool<{ pid: number }[]>`select pg_backend_pid() as pid`
  await sql.begin(async (tx) => {
    // The last table that a refresh writes.
    await tx`lock table rewound_positions in share mode`
    const dying = expect(refreshBoards(pool, 0)).rejects.toThrow()
    await vi.waitFor(async () =>
      expect(await sql`select from pg_locks where pid = ${pid} and not granted`).toHaveLength(1),
    )
    expect(await read()).toEqual(before)
    await sql`select pg_terminate_backend(${pid})`
    await dying
  })
  await pool.end({ timeout: 1 })
  expect(await read()).toEqual(before)

  await refreshBoards(sql, 0)
  expect(await storedRolling(sql)).toEqual(await expectedRolling(sql))
})

test('every refresh of a new block is a new snapshot', async () => {
  const world = await BoardWorld.open(1)
  const { sql } = world
  const snapshot = async () => {
    await refreshBoards(sql, 0)
    const [state] = await sql<{ snapshot: number }[]>`select snapshot from board_state`
    return state?.snapshot
  }
  expect(await snapshot()).toBe(1)
  expect(await snapshot()).toBe(1)
  await world.facts.append()
  expect(await snapshot()).toBe(2)
})

test('the absurd price of a fill does not keep the boards from being refreshed', async () => {
  const world = await BoardWorld.open(3)
  const { sql } = world
  for (let block = 0; block < 6; block++) await world.addBlock()
  await sql`update last_prices set usd = ${AMOUNT_MAX}, shares = 1`
  await refreshBoards(sql, 0)
  const [most] = await sql<{ unrealized: bigint }[]>`
    select max(unrealized) as unrealized from board_positions`
  expect(most?.unrealized).toBe(AMOUNT_MAX)
})

test('a session in which the block writer wrote many rows can refresh the boards', async () => {
  const world = await BoardWorld.open(5)
  for (let block = 0; block < 4; block++) await world.addBlock()
  const pool = createPool(world.facts.database.target, 1)
  const table = LEDGER_TABLES.positions
  const rows = Array.from({ length: 501 }, (_, token) => table.make(0, token))
  await transact(pool, (tx) => writeRows(tx, [{ table, isNew: false, rows }]))
  await refreshBoards(pool, 0)
  await pool.end({ timeout: 1 })
  expect(await storedRolling(world.sql)).toEqual(await expectedRolling(world.sql))
})
