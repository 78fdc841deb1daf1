import type { BlockRange } from '../../upstreams/polygon/log-range.js'
import type { Batch } from '../read/batch.js'

/** What the follower hands blocks to. The caller awaits each append or revert before the next one. */
export type BlockSink = {
  /** `undefined`: no block is booked yet. */
  readonly cursor: ChainCursor | undefined
  /** The market makers that are known. Absent: the sink wants logs, not facts. */
  readonly pools?: ReadonlySet<string>
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

export type Batches = Iterable<Batch> | AsyncIterable<Batch>

/** Committed blocks, with the number of their logs. */
export type BookedRange = BlockRange & { logs: number; refused: number }
