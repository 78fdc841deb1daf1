import { createHash } from 'node:crypto'
import { blockOf } from '../../core/seq.js'
import { toNanosecondText } from '../../core/unix-time.js'
import type { DeliveryDraft } from '../deliver/delivery.js'
import type { WebhookEventType } from '../event-types.js'
import type { Baselines } from './baselines.js'
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

/**
 * The id of an event: a UUID that is made of what happened, so that it is the same for all webhooks,
 * after a crash, and when the transaction returns in another block. Where each webhook measures changes
 * against a value of its own, the event is its own too: `webhookName` says whose.
 */
function eventIdOf({ type, identity }: Pick<Occurrence, 'type' | 'identity'>, webhookName = ''): string {
  const hash = createHash('sha256').update(`${type}\n${identity}\n${webhookName}`).digest()
  // Version 8 of RFC 9562: bits of our own making.
  hash.writeUInt8((hash.readUInt8(6) & 0x0f) | 0x80, 6)
  hash.writeUInt8((hash.readUInt8(8) & 0x3f) | 0x80, 8)
  const hex = hash.toString('hex', 0, 16)
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

type EventParts = { eventId: string; type: WebhookEventType; nowMs: number; data: object }

/** What is sent, as JSON. */
const serializeEvent = ({ eventId, type, nowMs, data }: EventParts): string =>
  JSON.stringify({ id: `evt_${eventId}`, type, created_at: toNanosecondText(nowMs), data })
