import { Registry } from 'prom-client'
import { onTestFinished } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.js'
import { REORG_BLOCKS_MAX } from '../../core/blocks.js'
import { systemClock } from '../../core/clock.js'
import { createPool } from '../../store/connection.js'
import { PolygonClient } from '../../upstreams/polygon/client.js'
import { createUpstreamMetrics } from '../../upstreams/transport/metrics.js'
import { readBlocks } from '../follow/read-blocks.js'
import { type FollowWorld, fastTiming, followInto, openWorld } from '../follow/test-follow.js'
import { eachBatch } from '../read/batches.js'
import { toBatchBlock } from '../read/headers.js'
import { type BlockListener, BlockWriter } from '../write/block-writer.js'
import { type BackfillOptions, runBackfill } from './backfill.js'

/** Small batches, so that a short history has many. */
export const BATCH_LIMITS = { bytesMax: 400_000, waitMsMax: 60_000 }
export const ROWS_MAX = 250
/** More than can be reverted: the service has booked some blocks for good. */
const LIVE_BLOCKS = 300

/** A chain that is long enough for a ledger without a journal before the blocks with one. */
export const openLongWorld = ({ seed = 5 } = {}): Promise<FollowWorld> =>
  openWorld({ seed, historyMs: 2 * 60_000 })

/** Where a service begins whose history is read later. */
export const middleOf = ({ universe }: FollowWorld): number => universe.chain.head.number - LIVE_BLOCKS

/** A service that books the chain from this block on. */
export async function follow(
  world: FollowWorld,
  { target }: TestDatabase,
  startBlock: number,
  listeners: readonly BlockListener[] = [],
) {
  const pool = createPool(target, 2)
  const line = await BlockWriter.open({ pool, listeners })
  const followed = followInto(world, line, { startBlock, batchLimits: BATCH_LIMITS })
  const end = async () => {
    await followed.stop()
    await pool.end({ timeout: 1 })
  }
  return { ...followed, end }
}

/** A database with the chain from this block on. */
export async function bookFrom(world: { host: { url: string } }, startBlock: number): Promise<TestDatabase> {
  const database = await createTestDatabase()
  await bookInto(database, world, startBlock)
  return database
}

/** Books the chain from this block on. */
export async function bookInto(
  { sql }: TestDatabase,
  world: { host: { url: string } },
  startBlock: number,
): Promise<void> {
  const line = await BlockWriter.open({ pool: sql })
  const { signal } = new AbortController()
  const polygon = openNode(world)
  const announced = await polygon.getBlock('latest')
  if (announced === undefined) throw new Error('the node has no blocks')
  const lastSafe = announced.number - REORG_BLOCKS_MAX
  const old = { fromBlock: startBlock, toBlock: lastSafe, previousHash: undefined }
  await line.append(eachBatch(polygon, old, signal))
  const near = { fromBlock: lastSafe + 1, toBlock: announced.number }
  const blocks = await readBlocks(polygon, near, { announced, onReceipts: () => undefined, signal })
  await line.append([
    {
      ...near,
      logs: blocks.flatMap(({ logs }) => logs),
      blocks: blocks.map(({ head }) => toBatchBlock(head)),
      isNearHead: true,
    },
  ])
  await polygon.close()
}

const openNode = ({ host: { url } }: { host: { url: string } }): PolygonClient =>
  new PolygonClient({
    url,
    clock: systemClock,
    timing: fastTiming,
    metrics: createUpstreamMetrics(new Registry()),
  })

/** A copy, for one test, of a database without connections. */
export async function cloneDatabase({ target }: TestDatabase): Promise<TestDatabase> {
  if (!('socketDir' in target)) throw new Error('test databases are reached by a socket')
  const clone = await createTestDatabase({ template: target.database })
  onTestFinished(clone.drop)
  return clone
}

type Changes = Partial<BackfillOptions> & { signal?: AbortSignal }

/** Reads history into the database of a service. */
export async function backfill(
  world: FollowWorld,
  { target }: TestDatabase,
  { signal = new AbortController().signal, ...changes }: Changes = {},
) {
  const polygon = openNode(world)
  const options: BackfillOptions = {
    target,
    polygon,
    fromBlock: changes.again === true ? undefined : world.universe.chain.firstNumber,
    out: { write: () => undefined },
    batchLimits: BATCH_LIMITS,
    rowsMax: ROWS_MAX,
    timing: fastTiming,
    ...changes,
  }
  try {
    return await runBackfill(options, signal)
  } finally {
    await polygon.close()
  }
}
