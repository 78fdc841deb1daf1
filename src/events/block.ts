import { Type } from 'typebox'
import type { EventDraft } from '../bus/event.js'
import { toDecimal } from '../core/money.js'
import { seqOf } from '../core/seq.js'
import type { BlockFacts, MessageFamily } from './block-facts.js'
import { defineMessage, described, Wire } from './message.js'

const block = defineMessage({
  type: 'block',
  summary: 'What a block had in it, behind all events of the block.',
  examples: { 'A block': {} },
  isRare: true,
  ignoresFilters: true,
  fields: {
    block_number: Wire.Count,
    block_hash: Wire.Hash,
    timestamp: Wire.Ms,
    parent_hash: Type.Union([Wire.Hash, Type.Literal('')], {
      description: 'empty where only logs of the block were read',
    }),
    tx_count: described(
      Wire.Count,
      'all transactions; `polymarket_tx_count` where the node does not count them',
    ),
    polymarket_tx_count: described(Wire.Count, 'transactions with logs of the platform'),
    settlement_count: Wire.Count,
    trade_volume_usd: described(Wire.Amount, 'what the takers traded'),
  },
})

/** The summary of a block. A match counts once, with what its taker traded. */
function blockEvent({ block: head, fills, matches, transactionCount }: BlockFacts): EventDraft {
  const volume = fills.reduce((sum, { isTaker, usd }) => (isTaker ? sum + usd : sum), 0n)
  const timestamp = head.timeSec * 1000
  return block.draft(
    timestamp,
    {
      block_number: head.number,
      block_hash: head.hash,
      timestamp,
      parent_hash: head.parentHash ?? '',
      tx_count: head.txCount ?? transactionCount,
      polymarket_tx_count: transactionCount,
      settlement_count: matches.length,
      trade_volume_usd: toDecimal(volume),
    },
    {},
  )
}

const reorg = defineMessage({
  type: 'reorg',
  summary: 'The node replaced blocks: everything from the named block on was taken back.',
  examples: { 'Three blocks were replaced': {} },
  isRare: true,
  ignoresFilters: true,
  fields: {
    fork_block: described(Wire.Count, 'the last block that stays'),
    first_removed_block: described(
      Wire.Count,
      'from this block on events no longer hold; what the new blocks have of them comes again',
    ),
    removed_blocks: Type.Integer({ minimum: 1, description: 'how many were taken back' }),
  },
})

/**
 * Blocks above `forkBlock` were replaced: events of them no longer hold. What the new blocks have of
 * them too is published again.
 */
export const reorgEvent = (forkBlock: number, removedBlocks: number, nowMs: number): EventDraft =>
  reorg.draft(
    nowMs,
    {
      fork_block: forkBlock,
      first_removed_block: forkBlock + 1,
      removed_blocks: removedBlocks,
    },
    {},
  )

/** The summary comes after the last log of its block. */
export const blockFamily = {
  messages: [block, reorg],
  *fromBlock(facts) {
    yield { seq: seqOf(facts.block.number + 1, 0), event: blockEvent(facts) }
  },
} as const satisfies MessageFamily
