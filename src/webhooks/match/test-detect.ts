import { endOfBlock } from '../../core/seq.js'
import type { Pool } from '../../store/connection.js'
import { transact } from '../../store/transaction.js'
import type { Detector, Occurrence } from './detector.js'
import { openSlice, type SliceRange } from './fact-slice.js'

type Options = Partial<Pick<SliceRange, 'isWatched' | 'nowMs'>> & {
  /** Blocks after which a slice ends. */
  cuts?: readonly number[]
  /** What is above it is not read. */
  toBlock?: number
}

/** Lets a detector see the facts after a block, in parts, and what it stores. */
export async function detectAll(
  sql: Pool,
  detector: Detector,
  afterBlock: number,
  { cuts = [], toBlock, isWatched = () => true, nowMs = 0 }: Options = {},
): Promise<Occurrence[]> {
  const [state] = await sql<{ block: number; blockTime: number }[]>`
    select block, block_time from chain_state`
  if (state === undefined) throw new Error('the chain has no state')
  const occurrences: Occurrence[] = []
  let from = afterBlock
  for (const to of [...cuts, toBlock ?? state.block]) {
    const range = { afterSeq: endOfBlock(from), toSeq: endOfBlock(to), headSeq: endOfBlock(state.block) }
    const rest = { headTimeSec: state.blockTime, nowMs, isWatched, asksFor: () => true }
    const found = await transact(sql, (tx) => detector.detect(openSlice(tx, { ...range, ...rest })))
    occurrences.push(...found.occurrences)
    await transact(sql, async (tx) => found.store?.(tx))
    from = to
  }
  return occurrences
}

/** What can be compared. */
export const presented = (occurrences: readonly Occurrence[]) =>
  occurrences.map(({ present, ...occurrence }) => ({ ...occurrence, data: present(undefined) }))
