import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import type { Sql } from '../../store/connection.js'
import type { FollowWorld } from '../follow/test-follow.js'
import type { BlockListener } from '../write/block-writer.js'
import { compareContents, readContents } from './test-contents.js'
import { corruptFacts } from './test-corruption.js'
import { backfill, bookFrom, follow, middleOf, openLongWorld } from './test-world.js'

let world: FollowWorld
beforeAll(async () => {
  world = await openLongWorld()
})
afterAll(() => world.close())

test('history that is read beside a service leaves what one run from the start leaves', async () => {
  const { universe } = world
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  const live = await follow(world, database, middleOf(world))
  onTestFinished(() => live.end())
  await live.arrive()

  let isDone = false
  const reading = backfill(world, database).finally(() => {
    isDone = true
  })
  reading.catch(() => undefined)
  for (let round = 1; !isDone; round++) {
    if (round % 5 === 0) universe.reorg(3)
    world.makeBlock()
    await live.arrive()
  }
  const { ledgerFrom } = await reading
  expect(ledgerFrom.now).toBe(universe.chain.firstNumber)
  // Reverts blocks that the old ledger had booked, with the journal that the new one made.
  universe.reorg(60)
  for (let added = 0; added < 3; added++) world.makeBlock()
  await live.arrive()
  await live.end()

  const whole = await bookFrom(world, universe.chain.firstNumber)
  onTestFinished(() => whole.drop())
  const found = await readContents(database.sql)
  expect(compareContents(found, await readContents(whole.sql))).toEqual({})
  expect(found.positions?.length).toBeGreaterThan(500)
  expect(found.undo?.length).toBeGreaterThan(100)
  expect(await sumDifferences(database.sql)).toBe(0)
})

test('blocks that are read again beside a service leave what one run from the start leaves', async () => {
  const { universe } = world
  const { firstNumber } = universe.chain
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  /** Blocks that the service has announced; a block may come again only after it was reverted. */
  const announced = new Set<number>()
  let quarantined = -1
  const listener: BlockListener = {
    onBooked:
      ({ blocks }) =>
      () => {
        for (const { number } of blocks) {
          if (announced.has(number)) throw new Error(`block ${number} is announced twice`)
          announced.add(number)
        }
      },
    onReverted: (toBlock) => {
      for (const number of announced) if (number > toBlock) announced.delete(number)
    },
    onRebuilt: (count) => {
      quarantined = count
    },
  }
  const live = await follow(world, database, firstNumber, [listener])
  onTestFinished(() => live.end())
  await live.arrive()
  const { sql } = database
  await corruptFacts(sql)
  await sql`update wallets set address = '\\x11' where id = 40`
  await sql`insert into quarantine values (${(firstNumber + 5) * 2 ** 20}, 'x', '', '', '', '', '')`

  let isDone = false
  const reading = backfill(world, database, { again: true }).finally(() => {
    isDone = true
  })
  reading.catch(() => undefined)
  for (let round = 1; !isDone; round++) {
    if (round % 5 === 0) universe.reorg(3)
    world.makeBlock()
    await live.arrive()
  }
  const { replaced } = await reading
  expect(replaced?.get('fills')).toBeGreaterThan(5)
  universe.reorg(60)
  for (let added = 0; added < 3; added++) world.makeBlock()
  await live.arrive()
  await live.end()
  expect(quarantined).toBe(0)

  const whole = await bookFrom(world, firstNumber)
  onTestFinished(() => whole.drop())
  const found = await readContents(sql)
  expect(compareContents(found, await readContents(whole.sql))).toEqual({})
  expect(found.undo?.length).toBeGreaterThan(100)
})

/** Tokens whose holders do not hold what was made and not destroyed. */
async function sumDifferences(sql: Sql): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer as count
      from (select token, sum(balance) filter (where wallet <> 0) as held,
                   sum(balance) filter (where wallet = 0) as zero_address
              from positions
             group by token) as sums
      full join supplies using (token)
     where coalesce(held, 0) <> coalesce(minted - burned, 0)
        or coalesce(held, 0) <> -coalesce(zero_address, 0)`
  return row?.count ?? 0
}
