import type { ChainLog } from '../../upstreams/polygon/log.js'
import type { BlockRange } from '../../upstreams/polygon/log-range.js'
import type { BatchBlock } from '../facts/block.js'

/** All watched logs of a range of blocks. */
export type Batch = BlockRange & {
  logs: readonly ChainLog[]
  /** Logs that the node returned although the receipts lack them: they go into quarantine. */
  refused?: readonly ChainLog[] | undefined
  /** What another thread made of the logs; `logs` is empty then. */
  attributed?: AttributedLogs | undefined
  /** The headers that were read, ascending; the last one is that of `toBlock`. */
  blocks: readonly BatchBlock[]
  /** A reorganisation may still reach the batch: it has every header, and its changes are journalled. */
  isNearHead: boolean
}

/** `facts`: packed, page by page (`unpackFacts`). */
export type AttributedLogs = { logs: number; facts: readonly ArrayBuffer[] }
