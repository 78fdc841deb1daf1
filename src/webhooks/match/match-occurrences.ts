import { blockOf } from '../../core/seq.js'
import type { DeliveryDraft } from '../deliver/delivery.js'
import type { Baselines } from './baselines.js'
import { eventIdOf, serializeEvent } from './event-envelope.js'
import type { Occurrence, ValueChange } from './occurrence.js'
import type { IndexedWebhook, WebhookIndex } from './webhook-index.js'

/**
 * A webhook does not see what is older than it by more than this: facts that the service reads late,
 * while it catches up, have places behind the webhook's own but happened before it was made.
 */
const OLDER_MS_MAX = 60_000

/**
 * A webhook sees nothing that happened before this. One that was made in the future was made by a clock
 * that was ahead, and would hear of nothing until then.
 */
export const seenSinceMs = ({ activeSinceMs }: IndexedWebhook, nowMs: number): number =>
  Math.min(activeSinceMs, nowMs) - OLDER_MS_MAX

type Matched = { occurrence: Occurrence; webhooks: readonly IndexedWebhook[] }

/** The webhooks that want each occurrence, in the order of `seq`; those that no webhook wants are left out. */
export function matchOccurrences(
  occurrences: readonly Occurrence[],
  index: WebhookIndex,
  nowMs: number,
): Matched[] {
  const matched = occurrences.flatMap((occurrence) => {
    const webhooks = index.match(occurrence).filter((webhook) => sees(webhook, occurrence, nowMs))
    return webhooks.length === 0 ? [] : [{ occurrence, webhooks }]
  })
  return matched.sort((a, b) => a.occurrence.seq - b.occurrence.seq)
}

function sees(webhook: IndexedWebhook, occurrence: Occurrence, nowMs: number): boolean {
  const { fromSeq } = webhook
  const { seq, sinceSeq = seq, isOffChain, timeSec } = occurrence
  if (timeSec * 1000 < seenSinceMs(webhook, nowMs)) return false
  return isOffChain === true || sinceSeq > fromSeq
}

/**
 * What is to be delivered. The text of an event is made once for all webhooks, unless each of them
 * measures it against a value of its own.
 */
export async function draftDeliveries(
  matched: readonly Matched[],
  bases: Baselines,
  nowMs: number,
): Promise<DeliveryDraft[]> {
  const drafts: DeliveryDraft[] = []
  const changes: (Parameters<Baselines['decide']>[0][number] & { owner: IndexedWebhook })[] = []
  for (const { occurrence, webhooks } of matched) {
    if (hasChange(occurrence)) {
      for (const owner of webhooks) {
        changes.push({ webhook: owner.id, filters: owner.filters, occurrence, owner })
      }
      continue
    }
    const eventId = eventIdOf(occurrence)
    const data = occurrence.present(undefined)
    const body = serializeEvent({ eventId, type: occurrence.type, nowMs, data })
    for (const webhook of webhooks) drafts.push(toDraft(webhook, occurrence, { eventId, body }))
  }
  for (const { matched: change, base } of await bases.decide(changes)) {
    const { occurrence, owner } = change
    const eventId = eventIdOf(occurrence, owner.name)
    const data = occurrence.present(base)
    const body = serializeEvent({ eventId, type: occurrence.type, nowMs, data })
    drafts.push(toDraft(owner, occurrence, { eventId, body }))
  }
  return drafts
}

const hasChange = (occurrence: Occurrence): occurrence is Occurrence & { change: ValueChange } =>
  occurrence.change !== undefined

const toDraft = (
  { id, accountId, filters }: IndexedWebhook,
  { type, seq, isOffChain }: Occurrence,
  text: Pick<DeliveryDraft, 'eventId' | 'body'>,
): DeliveryDraft => ({
  webhook: { id, accountId },
  ...text,
  eventType: type,
  block: blockOf(seq),
  confirmations: isOffChain === true ? 0 : (filters.confirmations ?? 0),
})
