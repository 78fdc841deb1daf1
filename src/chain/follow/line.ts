import type { ChainLog } from '../../upstreams/polygon/log.js'
import type { BlockRange } from '../../upstreams/polygon/log-range.js'
import type { TapeBlock } from '../attribute/tape.js'

/** The last block that is booked. */
export type Cursor = { block: number; hash: string; timeSec: number }

/** All logs of some blocks. */
export type Batch = BlockRange & {
  logs: readonly ChainLog[]
  /** Logs that the node gave but that their blocks do not have: kept apart, never booked. */
  refused?: readonly ChainLog[] | undefined
  /** The headers that were read, ascending; the last one is of `toBlock`. */
  blocks: readonly TapeBlock[]
  /** A reorganisation may still take it back: every header is there and what changes is journalled. */
  isNearHead: boolean
}

export type Batches = Iterable<Batch> | AsyncIterable<Batch>

/** Blocks that were booked whole and for good. */
export type Booked = BlockRange & { logs: number; refused: number }

/** What the follower fills. One append or rewind at a time. */
export type Line = {
  /** `undefined`: nothing is booked yet. */
  readonly cursor: Cursor | undefined
  /**
   * The first block of each batch is the one after the cursor, or any block at the very start.
   * Batches may be booked together, each of them whole or not at all; whoever wants to know when is
   * told. When there is no next batch because of an error, those before it are booked first.
   */
  append(batches: Batches, onBooked?: (booked: Booked) => void): Promise<void>
  /** Takes back every block above this one, which was booked. */
  rewind(toBlock: number): Promise<void>
  /** Of a booked block near the head; `undefined` for one that was forgotten or never there. */
  hashOf(block: number): Promise<string | undefined>
}
