import type { EventDraft } from '../bus/event.js'
import type { TapeBlock } from '../chain/attribute/tape.js'
import { toDecimal } from '../core/money.js'
import { toKeys } from './keys.js'

/** What a block held of ours. */
type BlockContents = {
  transactions: number
  settlements: number
  /** Counted once for each match. */
  volume: bigint
}

/** Follows everything else in its block. */
export function blockEvent(
  block: TapeBlock,
  { transactions, settlements, volume }: BlockContents,
): EventDraft {
  return {
    type: 'block',
    timestampMs: block.timeSec * 1000,
    data: {
      event_type: 'block',
      block_number: block.number,
      block_hash: block.hash,
      timestamp: block.timeSec * 1000,
      parent_hash: block.parentHash ?? null,
      tx_count: block.txCount ?? null,
      polymarket_tx_count: transactions,
      settlement_count: settlements,
      trade_volume_usd: toDecimal(volume),
    },
    keys: toKeys({}),
  }
}

/**
 * Blocks above `fork_block` were replaced: what was told of them no longer holds, and is told again
 * as far as it is in the blocks that follow.
 */
export function reorgEvent(forkBlock: number, removedBlocks: number, nowMs: number): EventDraft {
  return {
    type: 'reorg',
    timestampMs: nowMs,
    data: { event_type: 'reorg', fork_block: forkBlock, removed_blocks: removedBlocks },
    keys: toKeys({}),
  }
}
