import type { WebhookEventType } from '../event-types.js'

/** An event that a webhook wants. */
export type DeliveryDraft = {
  webhook: { id: number; accountId: number }
  /** A UUID, without `evt_`. */
  eventId: string
  eventType: WebhookEventType
  /** The envelope as JSON: what is sent. */
  body: string
  block: number
  /** Held until this many blocks are on top of its own. */
  confirmations: number
}

/** What came of an attempt. */
export type AttemptResult = {
  success: boolean
  /** `undefined`: no HTTP answer. */
  statusCode: number | undefined
  latencyMs: number
  /** `undefined`: success. */
  error: string | undefined
}
