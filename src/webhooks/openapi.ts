import { readFileSync } from 'node:fs'
import { Type } from 'typebox'
import { pascalCase } from '../http/schema-components.js'
import { namedObject } from '../lib/named-object.js'
import { eventTypeRow, WEBHOOK_EVENT_TYPE_NAMES, type WebhookEventType } from './event-types.js'

const header = (name: string, description: string, more: { pattern?: string } = {}) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: Type.String(more),
})

const HEADERS = [
  header('X-Webhook-ID', 'The webhook', { pattern: '^wh_[0-9a-f]{12}$' }),
  header('X-Webhook-Event', 'The event type'),
  header('X-Webhook-Timestamp', 'Unix seconds of this attempt', { pattern: '^[0-9]+$' }),
  header(
    'X-Webhook-Signature',
    '`sha256=` and the HMAC-SHA256 of `<timestamp>.<raw body>` in lower-case hex, keyed with the whole secret',
    { pattern: '^sha256=[0-9a-f]{64}$' },
  ),
  header('webhook-id', 'The `id` of the event, as Standard Webhooks names it'),
  header('webhook-timestamp', 'Unix seconds of this attempt', { pattern: '^[0-9]+$' }),
  header(
    'webhook-signature',
    '`v1,` and the HMAC-SHA256 of `<id>.<timestamp>.<raw body>` in base64, as Standard Webhooks says',
  ),
  header('X-Webhook-Hop', '`1`. This service refuses requests with it, so that no webhook calls itself'),
]

const RESPONSES = {
  '2XX': { description: 'The event is delivered; the body is not read' },
  default: {
    description:
      'Anything else, a redirect included, or no answer within 5 seconds: the event comes again, with the same ' +
      '`id` and body, after 10 s, 60 s, 5 min and 1 h',
  },
}

/** What the service sends, for the `webhooks` of the OpenAPI document. */
export function describeWebhooks(): Record<string, object> {
  const examples = readWebhookExamples()
  return Object.fromEntries(
    WEBHOOK_EVENT_TYPE_NAMES.map((type) => [type, { post: describeEvent(type, examples[type]) }]),
  )
}

/** An envelope of each event type, taken from the demo by `npm run examples -- --webhooks`. */
export const readWebhookExamples = (
  file = new URL('./examples.json', import.meta.url),
): Readonly<Record<string, object>> => JSON.parse(readFileSync(file, 'utf8'))

function describeEvent(type: WebhookEventType, example: object | undefined): object {
  const { description, filters, required = [] } = eventTypeRow(type)
  const names = filters.map((name) => `\`${name}\`${required.includes(name) ? ' (required)' : ''}`)
  return {
    operationId: `on${pascalCase(type)}`,
    summary: description,
    description: `Filters: ${names.join(', ')}.`,
    tags: ['webhooks'],
    security: [],
    parameters: HEADERS,
    requestBody: {
      required: true,
      content: { 'application/json': { schema: envelopeOf(type), example } },
    },
    responses: RESPONSES,
  }
}

const envelopeOf = (type: WebhookEventType) =>
  namedObject(`${pascalCase(type)}Notification`, {
    id: Type.String({
      title: 'NotificationId',
      pattern: '^evt_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
      description: 'the same in every attempt: deduplicate by it',
    }),
    type: Type.Literal(type),
    created_at: Type.String({ format: 'date-time' }),
    data: eventTypeRow(type).payload,
  })
