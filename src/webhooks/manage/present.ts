import { toNanosecondText } from '../../core/unix-time.js'
import { eventTypeRow, WEBHOOK_EVENT_TYPE_NAMES } from '../event-types.js'
import type { AttemptRow, WebhookRow } from './queries.js'

const presentTime = (time: Date): string => toNanosecondText(time.getTime())

export function presentWebhook(row: WebhookRow) {
  return {
    id: row.publicId,
    url: row.url,
    event_types: row.eventTypes,
    filters: row.filters,
    active: row.active,
    description: row.description,
    has_secret: true,
    created_at: presentTime(row.createdAt),
    updated_at: presentTime(row.updatedAt),
    disabled_reason: row.disabledReason,
    disabled_at: row.disabledAt === null ? null : presentTime(row.disabledAt),
    consecutive_failures: row.consecutiveFailures,
  }
}

export function presentAttempt(row: AttemptRow) {
  return {
    event_type: row.eventType,
    event_id: `${row.isTest ? 'test' : 'evt'}_${row.eventId}`,
    status_code: row.statusCode,
    latency_ms: row.latencyMs,
    attempt: row.attempt,
    success: row.success,
    error: row.error,
    delivered_at: presentTime(row.attemptedAt),
  }
}

export const presentEventTypes = () =>
  WEBHOOK_EVENT_TYPE_NAMES.map((name) => {
    const { description, filters, required = [], exclusive = false } = eventTypeRow(name)
    return { name, description, filters: [...filters], required: [...required], exclusive }
  })
