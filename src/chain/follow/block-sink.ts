import type { ChainLog } from '../../upstreams/polygon/log.js'
import type { BlockRange } from '../../upstreams/polygon/log-range.js'
import type { BatchBlock } from '../facts/block.js'

/** What the follower hands blocks to. The caller awaits each append or revert before the next one. */
export type BlockSink = {
  /** `undefined`: no block is booked yet. */
  readonly cursor: ChainCursor | undefined
  /**
   * The first batch starts at the block after the cursor (any block when there is no cursor), and
   * each batch continues the one before it. The sink may commit several batches in one transaction,
   * but never a part of one, and calls `onBooked` after the commit. When the iteration throws, the
   * sink books the batches that it already received and throws the error afterwards.
   */
  append(batches: Batches, onBooked?: (booked: BookedRange) => void): Promise<void>
  /** Reverts every block above `toBlock`, which must be booked. */
  revert(toBlock: number): Promise<void>
  /** Hash of a booked block near the head; `undefined` when the block is older or not booked. */
  hashOf(block: number): Promise<string | undefined>
  /** Booked blocks that a node of the same chain with this head has too, the highest first. */
  findAnchors(headBlock: number): Promise<readonly BlockId[]>
}

/** The last booked block. */
export type ChainCursor = BlockId & { timeSec: number }

export type BlockId = { block: number; hash: string }

/** All watched logs of a range of blocks. */
export type Batch = BlockRange & {
  logs: readonly ChainLog[]
  /** Logs that the node returned although the receipts lack them: they go into quarantine. */
  refused?: readonly ChainLog[] | undefined
  /** The headers that were read, ascending; the last one is that of `toBlock`. */
  blocks: readonly BatchBlock[]
  /** A reorganisation may still reach the batch: it has every header, and its changes are journalled. */
  isNearHead: boolean
}

export type Batches = Iterable<Batch> | AsyncIterable<Batch>

/** Committed blocks, with the number of their logs. */
export type BookedRange = BlockRange & { logs: number; refused: number }
