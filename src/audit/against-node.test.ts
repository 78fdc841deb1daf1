import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.js'
import { ingest } from '../../test/ingest.js'
import { showOnlyFrom } from '../chain/follow/test-faulty-node.js'
import { type FollowWorld, openClient, openWorld } from '../chain/follow/test-follow.js'
import { systemTiming } from '../lib/timing.js'
import { auditAgainstNode } from './against-node.js'

const COMPARED = 20

let world: FollowWorld
let database: TestDatabase
let polygon: ReturnType<typeof openClient>
beforeAll(async () => {
  world = await openWorld({ seed: 31, historyMs: 300_000 })
  polygon = openClient(world.host)
  database = await createTestDatabase()
})
beforeEach(() => bookAll())
afterAll(async () => {
  await polygon.close()
  await database.drop()
  await world.close()
})

const head = () => world.universe.chain.head.number

async function bookAll(): Promise<void> {
  const startBlock = head() - 5 * COMPARED
  const { arrive, stop } = await ingest(world, database, { startBlock })
  await arrive()
  await stop()
}

/** `wait` is called whenever the audit waits for a reorganisation to be booked. */
async function compareUpTo(toBlock: number, wait: () => Promise<void> = async () => {}) {
  const blocks = Array.from({ length: COMPARED }, (_, index) => toBlock - COMPARED + 1 + index)
  const { signal } = new AbortController()
  const timing = { ...systemTiming, sleep: wait }
  const { findings } = await auditAgainstNode({ pool: database.sql, polygon, blocks, signal, timing })
  return Object.fromEntries(
    findings.map(({ check, coverage, differences }) => [check, { coverage, differences }]),
  )
}

test('blocks that are reorganised while they are compared are read again', async () => {
  world.universe.reorg(6)
  let waits = 0
  const findings = await compareUpTo(head(), () => {
    waits++
    return bookAll()
  })
  expect(waits).toBe(1)
  expect(findings).toMatchObject({
    'blocks at the node': { coverage: `${COMPARED} blocks`, differences: 0 },
    'facts at the node': { differences: 0 },
    'ids at the node': { differences: 0 },
  })
})

test('blocks of a reorganisation that is not followed yet are left out, and counted', async () => {
  world.universe.reorg(6)
  let waits = 0
  const findings = await compareUpTo(head(), async () => {
    waits++
  })
  // Three for each of the two chunks in which the blocks are read.
  expect(waits).toBe(6)
  expect(findings['blocks at the node']).toEqual({
    coverage: `${COMPARED - 6} blocks, 6 left out`,
    differences: 0,
  })
  expect(findings['facts at the node']?.differences).toBe(0)
})

test('recent blocks that stay different on the same chain are differences', async () => {
  await database.sql`update recent_blocks set parent_hash = '\\x00' where number = ${head() - 3}`
  const findings = await compareUpTo(head())
  expect(findings['blocks at the node']).toEqual({ coverage: `${COMPARED} blocks`, differences: 1 })
})

test('blocks that the node does not have any more are left out, and counted', async () => {
  const toBlock = head() - 2 * COMPARED
  world.lies.lie = showOnlyFrom(toBlock - 4)
  const findings = await compareUpTo(toBlock)
  world.lies.lie = undefined
  expect(findings['blocks at the node']).toEqual({
    coverage: `5 blocks, ${COMPARED - 5} left out`,
    differences: 0,
  })
})
