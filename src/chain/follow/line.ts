import type { ChainLog } from '../../upstreams/polygon/log.js'
import type { TapeBlock } from '../tape/tape.js'

/** The last block that is booked. */
export type Cursor = { block: number; hash: string; timeSec: number }

/** All logs of the blocks from one to another, both included. */
export type Batch = {
  fromBlock: number
  toBlock: number
  logs: readonly ChainLog[]
  /** Logs that the node gave but that their blocks do not have: kept apart, never booked. */
  refused?: readonly ChainLog[] | undefined
  /** The headers that were read, ascending; the last one is of `toBlock`. */
  blocks: readonly TapeBlock[]
  /** A reorganisation may still take it back: every header is there and what changes is journalled. */
  isNearHead: boolean
}

/** What the follower fills. One append or rewind at a time, each of them whole or not at all. */
export type Line = {
  /** `undefined`: nothing is booked yet. */
  readonly cursor: Cursor | undefined
  /** `batch.fromBlock` is the block after the cursor, or any block at the very start. */
  append(batch: Batch): Promise<void>
  /** Takes back every block above this one, which was booked. */
  rewind(toBlock: number): Promise<void>
  /** Of a booked block near the head; `undefined` for one that was forgotten or never there. */
  hashOf(block: number): Promise<string | undefined>
}

/** So many blocks below the head can be taken back. */
export const REORG_BLOCKS_MAX = 256

/** Facts are kept in partitions of so many blocks, counted from block 0. No batch reaches into two. */
export const PARTITION_BLOCKS = 2 ** 18

/** The last block of the partition that this one is in. */
export const partitionEnd = (block: number): number =>
  block - (block % PARTITION_BLOCKS) + PARTITION_BLOCKS - 1
