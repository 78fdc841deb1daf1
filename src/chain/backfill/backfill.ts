import { OperatorError } from '../../core/errors.js'
import { withLinked } from '../../lib/abort.js'
import type { Output } from '../../lib/progress.js'
import type { Timing } from '../../lib/timing.js'
import { createPool, type Pool, type Target } from '../../store/connection.js'
import { LOCKS } from '../../store/locks.js'
import { transact } from '../../store/transaction.js'
import type { PolygonClient } from '../../upstreams/polygon/client.js'
import type { BlockRange } from '../../upstreams/polygon/log-range.js'
import { checkCommandNode } from '../follow/check-node-chain.js'
import { selectState } from '../queries.js'
import type { BatchLimits } from '../read/batches.js'
import { buildIndexes } from '../write/partitions.js'
import { selectHoles } from '../write/state.js'
import { chooseAgainRange, chooseRange, type WantedRange } from './choose-range.js'
import {
  type RepairRow,
  selectFirstBlock,
  selectHoleBelow,
  selectPossibleStart,
  selectRepair,
  startRepair,
} from './queries.js'
import { checkBookedChain, RepairReader } from './read-again.js'
import { HistoryWriter, readHole } from './read-hole.js'
import { Rebuild } from './rebuild.js'
import { dropShadowTables } from './shadow-tables.js'
import { type BackfillResult, showReading, showRebuild } from './show.js'

export type BackfillOptions = WantedRange & {
  target: Target
  /** `undefined`: no node is configured. */
  polygon: PolygonClient | undefined
  /** Leaves the ledger as it is. */
  factsOnly?: boolean | undefined
  /** Reads blocks that are here already, and replaces their facts by what the node has. */
  again?: boolean | undefined
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
 * rebuilds the ledger if it can begin earlier then. With `again` it reads stored blocks instead, replaces
 * what differs from the node, and rebuilds the ledger in any case.
 */
export function runBackfill(options: BackfillOptions, signal: AbortSignal): Promise<BackfillResult> {
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
    const session = createPool(target, 1, { onClose: lose })
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

async function backfill(pool: Pool, options: BackfillOptions, signal: AbortSignal): Promise<BackfillResult> {
  const read = await (options.again === true ? readAgain : readMissing)(pool, options, signal)
  const state = await selectState(pool)
  const before = state.ledgerFrom ?? read.range.fromBlock
  const possibleFrom = (await selectPossibleStart(pool, state)) ?? before
  const repair = await selectRepair(pool)
  const isWanted = possibleFrom < before || (repair !== undefined && possibleFrom === before)
  const isRebuilt = isWanted && options.factsOnly !== true
  if (isRebuilt) await rebuild(pool, possibleFrom, options, signal)
  return {
    ...read,
    isRebuilt,
    ledgerFrom: { before, now: isRebuilt ? possibleFrom : before },
    possibleFrom,
    holeBelow: await selectHoleBelow(pool, possibleFrom),
    unread: repair !== undefined && repair.doneTo < repair.toBlock ? restOf(repair) : undefined,
  }
}

type Read = Pick<BackfillResult, 'range' | 'blocks' | 'fills' | 'replaced'>

async function readMissing(pool: Pool, options: BackfillOptions, signal: AbortSignal): Promise<Read> {
  const range = chooseRange(await selectState(pool), options)
  const holes = await selectHoles(pool, range)
  const fills = await readHoles(pool, holes, options, signal)
  return { range, blocks: sizeOf(holes), fills, replaced: undefined }
}

/** Goes on where an earlier attempt was interrupted, if it was about the same blocks. */
async function readAgain(pool: Pool, options: BackfillOptions, signal: AbortSignal): Promise<Read> {
  const { out, batchLimits: limits, timing, factsOnly = false } = options
  const state = await selectState(pool)
  const firstBlock = (await selectFirstBlock(pool)) ?? 0
  const wanted = chooseAgainRange(state, firstBlock, { ...options, factsOnly })
  const polygon = await openNode(pool, options, signal)
  await checkBookedChain({ pool, polygon, timing }, signal)
  const earlier = await selectRepair(pool)
  const goesOn =
    earlier?.fromBlock === wanted.fromBlock &&
    (options.toBlock === undefined || earlier.toBlock === wanted.toBlock)
  const range = goesOn ? { fromBlock: earlier.fromBlock, toBlock: earlier.toBlock } : wanted
  if (!goesOn) {
    await transact(pool, async (tx) => {
      await startRepair(tx, range)
      await dropShadowTables(tx)
    })
  }
  const rest = goesOn ? restOf(earlier) : range
  const reader = await RepairReader.open(pool)
  const blocks = rest.toBlock - rest.fromBlock + 1
  const shown = showReading('Reading blocks again', blocks, reader, { out, timing })
  try {
    await reader.read(rest, { pool, polygon, limits, timing, ...shown }, signal)
  } finally {
    shown.end()
  }
  return { range, blocks, fills: reader.fills, replaced: reader.replaced }
}

const restOf = ({ doneTo, toBlock }: RepairRow): BlockRange => ({ fromBlock: doneTo + 1, toBlock })

/** Returns how many fills were read. */
async function readHoles(
  pool: Pool,
  holes: readonly BlockRange[],
  options: BackfillOptions,
  signal: AbortSignal,
): Promise<number> {
  const { out, batchLimits: limits, timing } = options
  if (holes.length === 0) return 0
  const polygon = await openNode(pool, options, signal)
  const writer = await HistoryWriter.open(pool)
  const shown = showReading('Reading the chain', sizeOf(holes), writer, { out, timing })
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

/** A node that is unusable from the start is not retried. */
async function openNode(
  pool: Pool,
  { polygon }: BackfillOptions,
  signal: AbortSignal,
): Promise<PolygonClient> {
  if (polygon === undefined) {
    throw new OperatorError('No node is configured. Set AUSPEX_POLYGON_URL or --polygon-url.')
  }
  await checkCommandNode(pool, polygon, signal)
  return polygon
}

async function rebuild(
  pool: Pool,
  fromBlock: number,
  { out, rowsMax, timing }: BackfillOptions,
  signal: AbortSignal,
): Promise<void> {
  const shown = showRebuild(fromBlock, { out, timing })
  try {
    await Rebuild.run({ pool, rowsMax, timing, ...shown }, fromBlock, signal)
  } finally {
    shown.end()
  }
}

const sizeOf = (ranges: readonly BlockRange[]): number =>
  ranges.reduce((sum, { fromBlock, toBlock }) => sum + toBlock - fromBlock + 1, 0)
