import { messageOf, OperatorError } from '../../core/errors.js'
import type { Output } from '../../lib/progress.js'
import type { Timing } from '../../lib/timing.js'
import { createPool, type Pool, type Target } from '../../store/connection.js'
import type { PolygonClient } from '../../upstreams/polygon/client.js'
import type { BlockRange } from '../../upstreams/polygon/log-range.js'
import type { BatchLimits } from '../follow/batches.js'
import { selectState } from '../queries.js'
import { buildIndexes } from '../write/partitions.js'
import { selectHoles } from '../write/state.js'
import { chooseRange, type WantedRange } from './choose-range.js'
import { FactLine } from './fact-line.js'
import { withBackfillLock } from './lock.js'
import { selectHoleBelow, selectPossibleStart } from './queries.js'
import { readHole } from './read-hole.js'
import { Rebuild } from './rebuild.js'
import { showReading, showRebuild } from './show.js'

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

export type BackfillResult = {
  range: BlockRange
  blocks: number
  fills: number
  /** Where the ledger began before, and begins now. */
  ledgerFrom: { before: number; now: number }
  /** With the facts that are here it could begin with this block. */
  possibleFrom: number
  /** What keeps it from beginning earlier; `undefined`: nothing older is here. */
  holeBelow: BlockRange | undefined
}

/** One reads rows while another writes. */
const CONNECTIONS = 3

/**
 * Reads older history beside a running service, each block once however often it is begun, and makes
 * the ledger anew when it can begin earlier then.
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
  await checkNode(polygon, signal)
  const line = await FactLine.open(pool)
  const shown = showReading(sizeOf(holes), line, out)
  try {
    const reading = { pool, polygon, line, limits, timing, ...shown }
    for (const hole of holes) await readHole(hole, reading, signal)
    // The line at the head builds those of the partition that it is in.
    const { block } = await selectState(pool)
    await buildIndexes(pool, { beforeBlock: block ?? 0 })
    return line.fills
  } finally {
    shown.end()
  }
}

/** What is wrong from the start is not waited for. */
async function checkNode(polygon: PolygonClient, signal: AbortSignal): Promise<void> {
  try {
    await polygon.checkChain(signal)
  } catch (error) {
    signal.throwIfAborted()
    throw new OperatorError(`The node cannot be used: ${messageOf(error)}.`)
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
