import type { EventDraft } from '../bus/event.js'
import type { BatchBlock } from '../chain/facts/block.js'
import type { BatchFacts } from '../chain/facts/registry.js'
import { blockFamily } from './block.js'
import { type Confirm, factsOfBlock, type MessageFamily } from './block-facts.js'
import { comboApprovalFamily } from './combo-approval.js'
import { comboLifecycleFamily } from './combo-lifecycle.js'
import { comboMatchFamily } from './combo-match.js'
import type { Enricher } from './enrichment.js'
import { matchFamily } from './match-events.js'
import type { Message } from './message.js'
import { oracleFamily } from './oracle.js'
import { positionFamily } from './position-events.js'
import { priceFeedFamily } from './price-feed.js'
import { redemptionFamily } from './redemption.js'
import { scoreUpdateFamily } from './score-update.js'

/** All messages of the live stream. Events of the same log are published in this order. */
export const MESSAGE_FAMILIES = [
  matchFamily,
  comboMatchFamily,
  positionFamily,
  redemptionFamily,
  oracleFamily,
  comboLifecycleFamily,
  comboApprovalFamily,
  blockFamily,
  priceFeedFamily,
  scoreUpdateFamily,
] as const satisfies readonly MessageFamily[]

export type EventType = (typeof MESSAGE_FAMILIES)[number]['messages'][number]['type']

/** The schema of each message, by event type. */
export const MESSAGES: ReadonlyMap<string, Message<EventType>> = new Map(
  MESSAGE_FAMILIES.flatMap(({ messages }): readonly Message<EventType>[] => messages).map((message) => [
    message.type,
    message,
  ]),
)

/**
 * All events of one block of a batch, in the order of their logs. A match stands behind its last fill,
 * the summary of the block at the end.
 */
export function blockEvents(
  batch: BatchFacts,
  block: BatchBlock,
  enricher: Enricher,
  confirm: Confirm,
): EventDraft[] {
  const facts = factsOfBlock(batch, block, confirm)
  const families: readonly MessageFamily[] = MESSAGE_FAMILIES
  return families
    .flatMap(({ fromBlock }) => [...(fromBlock?.(facts, enricher) ?? [])])
    .sort((a, b) => a.seq - b.seq)
    .flatMap(({ event }) => event ?? [])
}
