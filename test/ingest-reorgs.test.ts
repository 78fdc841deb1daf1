import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { REORG_DEPTH_MAX } from '../sim/universe/universe.js'
import { type FollowWorld, openWorld } from '../src/chain/follow/test-follow.js'
import { counts } from './counts.js'
import { createTestDatabase } from './database.js'
import { auditAll, hashUndisturbed, ingest } from './ingest.js'
import { randomFrom } from './random.js'
import { hashTables } from './table-hashes.js'

const REORGS = counts({ short: 10, long: 200 })
/** The deepest take the longest; `ingest-faults.test.ts` has one of them. */
const DEPTH_MAX = counts({ short: REORG_DEPTH_MAX / 2, long: REORG_DEPTH_MAX })

let world: FollowWorld
beforeAll(async () => {
  world = await openWorld({ seed: 31, historyMs: 5 * 60_000 })
})
afterAll(() => world.close())

test(
  `${REORGS} reorganisations leave what the last chain alone would have left`,
  async () => {
    const database = await createTestDatabase()
    onTestFinished(() => database.drop())
    const { arrive, stop, metric } = await ingest(world, database)
    await arrive()
    const below = randomFrom(4)
    for (let count = 0; count < REORGS; count++) {
      world.universe.reorg(1 + below(DEPTH_MAX))
      for (let blocks = below(4); blocks > 0; blocks--) world.makeBlock()
      await arrive()
    }
    expect(await metric('auspex_chain_reorgs_total')).toBeGreaterThanOrEqual(REORGS)
    await stop()
    expect(await hashTables(database.sql)).toEqual(await hashUndisturbed(world))
    expect(await auditAll(database)).toEqual([])
  },
  counts({ short: 60_000, long: 600_000 }),
)
