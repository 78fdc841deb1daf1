import { isOverTime } from '../core/database-fault.js'
import type { SeqRange } from '../lookups/seq-range.js'
import type { Sql } from '../store/connection.js'
import { type ScanRange, selectFactSums, selectScanRange } from './fact-queries.js'
import { addFacts, type FactSums, NO_FACTS } from './score.js'

/** Facts that one query sums. Many enough that planning does not count, few enough to be over in moments. */
const PAGE_FACTS = 25_000
/** The end of a range without facts. */
const NO_SEQ = -1

export type ScanOrder = {
  address: string
  /** Unix seconds at which the windows begin, the longest window first. */
  fromSecs: readonly number[]
  /** Their common end, included. */
  toSec: number
  slippageBp: number
}

type ScanLimits = {
  /** Whether the time is used up; called between queries. */
  isOver: () => boolean
  signal?: AbortSignal | undefined
  pageFacts?: number | undefined
}

/**
 * What was found in a window, and its range of `seq`. `isPartial`: the time was over before all of it was summed.
 * `rewind`: the last reorganisation before the scan; facts that later ones reverted may be among the sums.
 */
type ScannedWindow = { range: SeqRange; rewind: bigint; facts: FactSums; isPartial: boolean }

/**
 * Sums up what a wallet did in several windows with the same end, in one scan from the newest fact to
 * the oldest: when the time is over, the shorter windows are whole. A query that takes too long
 * ends the scan likewise; the first one throws.
 */
export async function scanWallet(sql: Sql, order: ScanOrder, limits: ScanLimits): Promise<ScannedWindow[]> {
  const { range, rewind } = await selectScanRange(sql, order)
  const slices = order.fromSecs.map(() => NO_FACTS)
  const rest = range === undefined ? undefined : await scanRange(sql, order, range, limits, slices)
  const until = range?.until ?? NO_SEQ
  let facts = NO_FACTS
  const windows = slices.map((slice, index) => ({ slice, min: range?.starts[index] ?? 0 }))
  return windows
    .reverse()
    .map(({ slice, min }) => {
      facts = addFacts(facts, slice)
      return { range: { min, until }, rewind, facts, isPartial: rest !== undefined && min <= rest }
    })
    .reverse()
}

/** Adds to the slices. Returns the last `seq` of what is left; `undefined`: nothing is. */
async function scanRange(
  sql: Sql,
  { address, slippageBp }: ScanOrder,
  range: ScanRange,
  { isOver, signal, pageFacts = PAGE_FACTS }: ScanLimits,
  slices: FactSums[],
): Promise<number | undefined> {
  let rest: number | undefined = range.until
  for (let page = 0; rest !== undefined; page++) {
    signal?.throwIfAborted()
    if (page > 0 && isOver()) break
    const left: ScanRange = { starts: range.starts, until: rest }
    try {
      const found = await selectFactSums(sql, address, left, { slippageBp, limit: pageFacts })
      for (const { slice, facts } of found.slices) {
        slices[slice] = addFacts(slices[slice] ?? NO_FACTS, facts)
      }
      rest = found.rest
    } catch (error) {
      if (page === 0 || !isOverTime(error)) throw error
      break
    }
  }
  return rest
}
