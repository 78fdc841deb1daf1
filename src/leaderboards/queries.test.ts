import { expect, test } from 'vitest'
import { selectAllTimeBoard } from './queries.js'
import { refreshBoards } from './refresh/refresh.js'
import { BoardWorld } from './refresh/test-board-world.js'

test('no wallet is shown with what another did whose id it got after a reorganisation', async () => {
  const world = await BoardWorld.open(3)
  const { sql } = world
  for (let block = 0; block < 16; block++) await world.addBlock()
  await refreshBoards(sql, 0)
  const read = async (limit = 100) => {
    const page = { offset: 0, limit, after: undefined }
    const rows = await selectAllTimeBoard(sql, { scope: 0, column: 'bought' }, page)
    return rows.map(({ address, bought }) => `${address} ${bought}`)
  }
  const before = await read()
  await world.facts.revertTo(world.facts.head - 5)
  const left = await read()
  expect(left.length).toBeLessThan(before.length)
  for (let block = 0; block < 6; block++) await world.addBlock()
  expect(await read()).toEqual(left)
  expect(left).toEqual(before.filter((row) => left.includes(row)))
  // A wallet that left the board leaves no gap in a page.
  expect(await read(left.length)).toHaveLength(left.length)
})
