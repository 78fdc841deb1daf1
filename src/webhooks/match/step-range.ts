import { blockOf, endOfBlock } from '../../core/seq.js'
import type { Sql } from '../../store/connection.js'
import { type MatchState, selectBlockSince, selectFillAfter } from './queries.js'
import type { IndexedWebhook, WebhookIndex } from './webhook-index.js'

/**
 * Up to `liveBlocks` are one step, whatever is in them. More are taken in steps of at most this many
 * blocks and about this many fills, to bound the memory.
 */
export const STEP_LIMITS = { liveBlocks: 16, blocksMax: 2_000, fillsMax: 20_000 }
export type StepLimits = typeof STEP_LIMITS

export type StepRange = { afterSeq: number; toSeq: number; headSeq: number }

/**
 * The facts that the next pass matches, whole blocks. Without webhooks, and when the matcher
 * begins, it skips to the head; so it does with what is older than all webhooks.
 */
export async function chooseStep(
  sql: Sql,
  { seq, headBlock, nowMs }: Pick<MatchState, 'seq' | 'headBlock'> & { nowMs: number },
  index: WebhookIndex,
  limits: StepLimits,
): Promise<StepRange> {
  const headSeq = headBlock === null ? 0 : endOfBlock(headBlock)
  // The head is below the cursor while the ledger is rebuilt: these blocks are matched.
  if (seq === null || index.size === 0) return { afterSeq: headSeq, toSeq: headSeq, headSeq }
  if (headSeq <= seq) return { afterSeq: seq, toSeq: seq, headSeq }
  if (blockOf(headSeq) - blockOf(seq) <= limits.liveBlocks) return { afterSeq: seq, toSeq: headSeq, headSeq }
  const afterSeq = await skipUnseen(sql, { seq, headSeq, nowMs }, index)
  return { afterSeq, toSeq: await endOfStep(sql, { afterSeq, headSeq }, limits), headSeq }
}

/**
 * A webhook does not see what is older than it by more than this: facts that the service reads late,
 * while it catches up, come after the webhook's `from_seq` but happened before it was made.
 */
const OLDER_MS_MAX = 60_000

/**
 * A webhook sees nothing that happened before this. One that was made in the future was made by a clock
 * that was ahead, and would see no event until then.
 */
export const seenSinceMs = ({ activeSinceMs }: IndexedWebhook, nowMs: number): number =>
  Math.min(activeSinceMs, nowMs) - OLDER_MS_MAX

/** The `seq` after which a webhook sees something. */
async function skipUnseen(
  sql: Sql,
  { seq, headSeq, nowMs }: { seq: number; headSeq: number; nowMs: number },
  index: WebhookIndex,
): Promise<number> {
  let fromSeq = Number.POSITIVE_INFINITY
  let sinceMs = Number.POSITIVE_INFINITY
  for (const webhook of index.webhooks()) {
    fromSeq = Math.min(fromSeq, webhook.fromSeq)
    sinceMs = Math.min(sinceMs, seenSinceMs(webhook, nowMs))
  }
  const block = await selectBlockSince(sql, Math.floor(sinceMs / 1000))
  const skipped = Math.max(fromSeq, block === undefined ? headSeq : endOfBlock(block - 1))
  return Math.max(seq, Math.min(skipped, headSeq))
}

async function endOfStep(
  sql: Sql,
  { afterSeq, headSeq }: { afterSeq: number; headSeq: number },
  { blocksMax, fillsMax }: StepLimits,
): Promise<number> {
  const afterBlock = blockOf(afterSeq)
  const toSeq = Math.min(headSeq, endOfBlock(afterBlock + blocksMax))
  const next = await selectFillAfter(sql, { afterSeq, toSeq, fills: fillsMax })
  return next === undefined ? toSeq : endOfBlock(Math.max(blockOf(next) - 1, afterBlock + 1))
}
