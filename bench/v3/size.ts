import { PARTITION_BLOCKS } from '../../src/core/blocks.js'

/** How large a history is. */
export type HistorySize = {
  fills: number
  /** Partitions that the fills are spread over evenly. */
  partitions: number
  /** Unix time of the last block. */
  endSec: number
}

/** Fills of a match: those of three makers, then that of the taker. */
export const FILLS_PER_MATCH = 4
/** A wallet with many fills in a few thousand tokens; all others are small. */
export const WHALE = 10
export const EXCHANGE = 1
export const ORACLE = 2
export const BUILDERS = 20
/** Conditions that are traded from the first to the last block; the others live for a while. */
export const LASTING_CONDITIONS = 50

const WHALE_FILLS = 300_000
const WHALE_TOKENS = 3_000
const FILLS_PER_TOKEN = 300
const FILLS_PER_WALLET = 25
const FIRST_PARTITION = 290
const BLOCK_SEC = 2
/** Blocks after the last fill, for results and redemptions. */
const TAIL_BLOCKS = 4_096

export type HistoryShape = ReturnType<typeof shapeOf>

/** The numbers that the queries of the builder need. */
export function shapeOf({ fills, partitions, endSec }: HistorySize) {
  const firstBlock = FIRST_PARTITION * PARTITION_BLOCKS
  const lastBlock = firstBlock + partitions * PARTITION_BLOCKS - 1
  const matches = Math.floor(fills / FILLS_PER_MATCH)
  const tokens = Math.max(20, Math.round(fills / FILLS_PER_TOKEN))
  const whaleEvery = Math.max(1, Math.round(tokens / WHALE_TOKENS))
  return {
    fills: matches * FILLS_PER_MATCH,
    matches,
    firstBlock,
    lastBlock,
    /** Blocks that have fills are among this many. */
    spanBlocks: lastBlock - firstBlock - TAIL_BLOCKS,
    /** Time of block 0. */
    zeroSec: endSec - lastBlock * BLOCK_SEC,
    blockSec: BLOCK_SEC,
    passingConditions: Math.ceil(tokens / 2),
    wallets: Math.max(100, Math.round(fills / FILLS_PER_WALLET)),
    /** The whale trades every so manieth token, in this many of a thousand fills of its makers. */
    whaleEvery,
    whaleParts: Math.round((1_000 * Math.min(WHALE_FILLS, fills * 0.3)) / (matches / whaleEvery)),
  }
}
