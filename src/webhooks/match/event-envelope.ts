import { createHash } from 'node:crypto'
import { toNanosecondText } from '../../core/unix-time.js'
import type { WebhookEventType } from '../event-types.js'
import type { Occurrence } from './occurrence.js'

/**
 * The id of an event: a UUID that is made of what happened, so that it is the same for all webhooks,
 * after a crash, and when the transaction returns in another block. Where each webhook measures changes
 * against a value of its own, the event is its own too: `webhookName` says whose.
 */
export function eventIdOf(
  { type, identity }: Pick<Occurrence, 'type' | 'identity'>,
  webhookName = '',
): string {
  const hash = createHash('sha256').update(`${type}\n${identity}\n${webhookName}`).digest()
  // Version 8 of RFC 9562: bits of our own making.
  hash.writeUInt8((hash.readUInt8(6) & 0x0f) | 0x80, 6)
  hash.writeUInt8((hash.readUInt8(8) & 0x3f) | 0x80, 8)
  const hex = hash.toString('hex', 0, 16)
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

type EventParts = { eventId: string; type: WebhookEventType; nowMs: number; data: object }

/** What is sent, as JSON. */
export const serializeEvent = ({ eventId, type, nowMs, data }: EventParts): string =>
  JSON.stringify({ id: `evt_${eventId}`, type, created_at: toNanosecondText(nowMs), data })
