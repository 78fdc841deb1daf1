import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type FollowWorld, openWorld } from '../src/chain/follow/test-follow.js'
import { counts } from './counts.js'
import { createTestDatabase } from './database.js'
import { auditAll, hashUndisturbed, untilBooked } from './ingest.js'
import { startIngester } from './ingest-processes.js'
import { hashTables } from './table-hashes.js'

const TAKE_OVER_MS_MAX = 5_000
const BLOCK_MS = 100
const TAKE_OVERS = counts({ short: 1, long: 2 })

let world: FollowWorld
beforeAll(async () => {
  world = await openWorld({ seed: 51 })
})
afterAll(() => world.close())

test('the standby books within 5 s of the kill of the active one, nothing twice and nothing not', async () => {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  let active = startIngester(world, database)
  await active.until('leading')
  await untilBooked(world, database)
  const living = setInterval(world.makeBlock, BLOCK_MS)
  onTestFinished(() => clearInterval(living))

  for (let count = 0; count < TAKE_OVERS; count++) {
    const standby = startIngester(world, database)
    await standby.until('standby')
    await active.kill()
    const killedMs = performance.now()
    await standby.until('booked')
    expect(performance.now() - killedMs).toBeLessThan(TAKE_OVER_MS_MAX + BLOCK_MS)
    expect(await auditAll(database)).toEqual([])
    active = standby
  }

  clearInterval(living)
  await untilBooked(world, database)
  await active.kill()
  expect(await hashTables(database.sql)).toEqual(await hashUndisturbed(world))
})
