import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { REORG_DEPTH_MAX } from '../sim/universe/universe.js'
import { type FollowWorld, openWorld } from '../src/chain/follow/test-follow.js'
import { REORG_BLOCKS_MAX } from '../src/core/blocks.js'
import { counts } from './counts.js'
import { createTestDatabase } from './database.js'
import { auditAll, hashUndisturbed, untilBooked } from './ingest.js'
import { startIngester } from './ingest-processes.js'
import { randomFrom } from './random.js'
import { hashTables } from './table-hashes.js'

const CRASHES = counts({ short: 4, long: 50 })
/** The deepest take the longest; `ingest-faults.test.ts` has one of them. */
const DEPTH_MAX = counts({ short: REORG_DEPTH_MAX / 2, long: REORG_DEPTH_MAX })
/** A process dies this long after it has booked this many batches, which take about as long. */
const LIFE_MS_MAX = 60
const BATCHES_MAX = 4
/** Every this many crashes the chain is so far ahead that history has to be read again. */
const CRASHES_PER_PAUSE = counts({ short: 3, long: 15 })
const PAUSE_BLOCKS = REORG_BLOCKS_MAX + 60
const BATCH_LIMITS = { bytesMax: 100_000, waitMsMax: 20 }

let world: FollowWorld
beforeAll(async () => {
  world = await openWorld({ seed: 41 })
})
afterAll(() => world.close())

test(
  `${CRASHES} times killed at any instant: right after each, and in the end as if undisturbed`,
  async () => {
    const database = await createTestDatabase()
    onTestFinished(() => database.drop())
    const below = randomFrom(7)
    let isAlive = true
    /** The chain goes on as the line does, so that a slow machine is no further behind. */
    const onBooked = () => {
      if (!isAlive) return
      world.makeBlock()
      if (below(3) === 0) world.universe.reorg(1 + below(DEPTH_MAX))
    }
    const start = () => startIngester(world, database, { pollMs: 20, batchLimits: BATCH_LIMITS, onBooked })

    let next = start()
    for (let crash = 1; crash <= CRASHES; crash++) {
      const ingester = next
      await ingester.until('leading')
      // The process before may have booked all there was and died before it could report it.
      world.makeBlock()
      // The one after it is up and waits when this one dies.
      next = start()
      if (crash % CRASHES_PER_PAUSE === 0)
        for (let count = 0; count < PAUSE_BLOCKS; count++) world.makeBlock()
      await ingester.until('booked', below(BATCHES_MAX + 1))
      await sleep(below(LIFE_MS_MAX))
      await ingester.kill()
      expect(await auditAll(database)).toEqual([])
    }

    isAlive = false
    await untilBooked(world, database)
    await next.kill()
    expect(world.universe.reorgs.length).toBeGreaterThan(CRASHES / 5)
    expect(await auditAll(database)).toEqual([])
    expect(await hashTables(database.sql)).toEqual(await hashUndisturbed(world))
  },
  counts({ short: 90_000, long: 600_000 }),
)
