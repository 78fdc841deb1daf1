import { OperatorError } from '../../core/errors.js'
import { withLinked } from '../../lib/abort.js'
import type { Output } from '../../lib/progress.js'
import type { Timing } from '../../lib/timing.js'
import { createPool, type Pool, type Target } from '../../store/connection.js'
import { LOCKS } from '../../store/locks.js'
import type { PolygonClient } from '../../upstreams/polygon/client.js'
import type { BlockRange } from '../../upstreams/polygon/log-range.js'
import type { BatchLimits } from '../follow/batches.js'
import { checkCommandNode } from '../follow/check-node-chain.js'
import { selectState } from '../queries.js'
import { buildIndexes } from '../write/partitions.js'
import { selectHoles } from '../write/state.js'
import { chooseRange, type WantedRange } from './choose-range.js'
import { selectHoleBelow, selectPossibleStart } from './queries.js'
import { HistoryWriter, readHole } from './read-hole.js'
import { Rebuild } from './rebuild.js'
import { type BackfillResult, showReading, showRebuild } from './show.js'

export type BackfillOptions = WantedRange & {
  target: Target
  /** `undefined`: no node is configured. */
  polygon: PolygonClient | undefined
  /** Leaves the ledger as it is. */
  factsOnly?: boolean | undefined
  out: Output
  batchLimits?: BatchLimits | undefined
  rowsMax?: number | undefined
  timing?: Timing | undefined
}

/** Rows are read while others are written. */
const CONNECTIONS = 3
const LOST = 'The database closed the connection. Run the same command again to go on.'

/**
 * Reads older history beside a running service, each block once however often the command is run, and
 * rebuilds the ledger if it can begin earlier then.
 */
export function runBackfill(
  options: BackfillOptions,
  signal: AbortSignal,
): Promise<BackfillResult> {
  return withBackfillLock(options.target, signal, async (locked) => {
    const pool = createPool(options.target, CONNECTIONS)
    try {
      return await backfill(pool, options, locked)
    } finally {
      await pool.end({ timeout: 1 })
    }
  })
}

/**
 * Runs `work` while no other backfill runs on the database. The lock belongs to one connection and
 * ends with it, however the process ends; when it is lost the signal of the work aborts.
 */
function withBackfillLock<T>(
  target: Target,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return withLinked([signal], async (linked) => {
    const lose = () => linked.abort(new OperatorError(LOST))
    const session = createPool(target, 1, lose)
    try {
      const [row] = await session<{ isHeld: boolean }[]>`
        select pg_try_advisory_lock(${LOCKS.backfill}) as is_held`
      if (row?.isHeld !== true) {
        throw new OperatorError('Another backfill is running on this database: one at a time.')
      }
      return await work(linked.signal)
    } catch (error) {
      linked.signal.throwIfAborted()
      throw error
    } finally {
      await session.end({ timeout: 0 })
    }
  })
}

async function backfill(
  pool: Pool,
  options: BackfillOptions,
  signal: AbortSignal,
): Promise<BackfillResult> {
  const state = await selectState(pool)
  const range = chooseRange(state, options)
  const before = state.ledgerFrom ?? range.fromBlock
  const holes = await selectHoles(pool, range)
  const fills = await readHoles(pool, holes, options, signal)
  const possibleFrom = (await selectPossibleStart(pool, await selectState(pool))) ?? before
  const isWanted = possibleFrom < before && options.factsOnly !== true
  if (isWanted) await rebuild(pool, possibleFrom, options, signal)
  return {
    range,
    blocks: sizeOf(holes),
    fills,
    ledgerFrom: { before, now: isWanted ? possibleFrom : before },
    possibleFrom,
    holeBelow: await selectHoleBelow(pool, possibleFrom),
  }
}

/** Returns how many fills were read. */
async function readHoles(
  pool: Pool,
  holes: readonly BlockRange[],
  options: BackfillOptions,
  signal: AbortSignal,
): Promise<number> {
  const { polygon, out, batchLimits: limits, timing } = options
  if (holes.length === 0) return 0
  if (polygon === undefined) {
    throw new OperatorError('No node is configured. Set AUSPEX_POLYGON_URL or --polygon-url.')
  }
  // A node that is unusable from the start is not retried.
  await checkCommandNode(pool, polygon, signal)
  const writer = await HistoryWriter.open(pool)
  const shown = showReading(sizeOf(holes), writer, out)
  try {
    const reading = { pool, polygon, writer, limits, timing, ...shown }
    for (const hole of holes) await readHole(hole, reading, signal)
    // The service builds those of the partition that the head is in.
    const { block } = await selectState(pool)
    await buildIndexes(pool, { beforeBlock: block ?? 0 })
    return writer.fills
  } finally {
    shown.end()
  }
}

async function rebuild(
  pool: Pool,
  fromBlock: number,
  { out, rowsMax, timing }: BackfillOptions,
  signal: AbortSignal,
): Promise<void> {
  const shown = showRebuild(fromBlock, out)
  try {
    await Rebuild.run({ pool, rowsMax, timing, ...shown }, fromBlock, signal)
  } finally {
    shown.end()
  }
}

const sizeOf = (ranges: readonly BlockRange[]): number =>
  ranges.reduce((sum, { fromBlock, toBlock }) => sum + toBlock - fromBlock + 1, 0)
