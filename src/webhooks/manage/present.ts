import { toNanosecondText } from '../../core/unix-time.js'
import { eventTypeRow, WEBHOOK_EVENT_TYPE_NAMES } from '../event-types.js'
import { FILTER_NAMES, FILTER_RULES } from '../filters.js'
import type { AttemptRow, DeliveryRow, WebhookRow } from './queries.js'

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

/** What each filter may be, for forms. */
export const presentFilterRules = () =>
  FILTER_NAMES.map((name) => {
    const rule = FILTER_RULES[name]
    return {
      name,
      kind: rule.kind,
      description: rule.kind === 'list' ? rule.item.meaning : rule.meaning,
      ...(rule.kind === 'choice' && { values: [...rule.values] }),
    }
  })

export const presentDelivery = (row: DeliveryRow) => ({
  event_id: `evt_${row.eventId}`,
  event_type: row.eventType,
  state: row.state,
  attempts: row.attempts,
  created_at: presentTime(row.createdAt),
  body: row.body,
})
