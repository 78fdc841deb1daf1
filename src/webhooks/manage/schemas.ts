import { type TSchema, Type } from 'typebox'
import { MILLISECONDS_MIN } from '../../core/unix-time.js'
import { ERROR_CODE } from '../../http/validation.js'
import { namedEnum, namedObject } from '../../lib/named-object.js'
import { nullable } from '../../lib/nullable.js'
import { WEBHOOK_EVENT_TYPE_NAMES, type WebhookEventType } from '../event-types.js'
import { FILTER_NAMES, FILTER_RULES, type FilterName, type WebhookFilters } from '../filters.js'
import { DESCRIPTION_LENGTH_MAX, SECRET_LENGTH_MAX, SECRET_LENGTH_MIN } from './read-body.js'

const HISTORY_LIMIT = 50
/** Rows that a page of the history may pass over: the database reads them. */
const OFFSET_MAX = 100_000

const WebhookId = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: '^[^\\u0000]*$',
  description: 'the `id` of a webhook',
  examples: ['wh_7f3a09c1d2e4'],
})

export const WebhookParams = Type.Object({ id: WebhookId })

export const DeliveryParams = Type.Object({
  id: WebhookId,
  event_id: Type.String({
    minLength: 1,
    maxLength: 100,
    pattern: '^[^\\u0000]*$',
    description: 'the `id` of an event, as in its envelope',
    examples: ['evt_7c1f0f6e-0b52-8d0e-9a3c-5d1f2a3b4c5d'],
  }),
})

export const HistoryQuery = Type.Object({
  limit: Type.Integer({
    default: HISTORY_LIMIT,
    description: 'rows in the answer, at most 200',
    [ERROR_CODE]: 'invalid_limit',
  }),
  offset: Type.Integer({
    default: 0,
    maximum: OFFSET_MAX,
    description: 'rows to pass over',
    [ERROR_CODE]: 'invalid_limit',
  }),
})

const EventTypes = Type.Unsafe<WebhookEventType[]>(
  Type.Array(namedEnum('WebhookEventName', WEBHOOK_EVENT_TYPE_NAMES), { minItems: 1 }),
)

function describeFilter(name: FilterName): TSchema {
  const rule = FILTER_RULES[name]
  switch (rule.kind) {
    case 'list': {
      const { pattern, meaning: description, lengthMax } = rule.item
      const item = Type.String({ pattern, description, maxLength: lengthMax })
      return Type.Array(item, { maxItems: rule.itemsMax })
    }
    case 'number':
      return Type.Number({ minimum: 0, maximum: rule.max, description: rule.meaning })
    case 'integer':
      return Type.Integer({ minimum: 0, maximum: rule.max, description: rule.meaning })
    case 'choice':
      return Type.String({ enum: [...rule.values], description: rule.meaning })
  }
}

const Filters = Type.Unsafe<WebhookFilters>(
  Type.Object(Object.fromEntries(FILTER_NAMES.map((name) => [name, Type.Optional(describeFilter(name))])), {
    title: 'WebhookFilters',
    additionalProperties: false,
    description:
      'Values of a list are alternatives; different filters must all hold; an absent or empty one lets everything pass. ' +
      'An event type ignores filters that it does not know. A request may also write numbers as text, such as "12.5".',
  }),
)

const Url = Type.String({ maxLength: 2_048, description: 'where events are sent; https:// only' })
const Description = nullable(Type.String({ maxLength: DESCRIPTION_LENGTH_MAX }))
const Time = Type.String({ description: 'RFC 3339, UTC' })
const Secret = Type.String({ description: 'signs deliveries; it is shown this once' })

export const CreateWebhookBody = Type.Object({
  url: Url,
  event_types: EventTypes,
  filters: Type.Optional(Filters),
  secret: Type.Optional(
    Type.String({
      minLength: SECRET_LENGTH_MIN,
      maxLength: SECRET_LENGTH_MAX,
      description: 'a secret of your own; one is made when it is left out',
    }),
  ),
  description: Type.Optional(Description),
})

export const UpdateWebhookBody = Type.Object({
  url: Type.Optional(Url),
  event_types: Type.Optional(EventTypes),
  filters: Type.Optional(Filters),
  active: Type.Optional(Type.Boolean({ description: 'false pauses it' })),
  description: Type.Optional(Description),
})

const recordFields = {
  id: Type.String(),
  url: Type.String(),
  event_types: EventTypes,
  filters: Filters,
  active: Type.Boolean(),
  description: Description,
  created_at: Time,
}

export const CreateWebhookReply = namedObject('NewWebhook', {
  ...recordFields,
  secret: Secret,
  warnings: Type.Optional(Type.Array(Type.String(), { description: 'what may not work as it was given' })),
})

export const WebhookRecord = namedObject('Webhook', {
  ...recordFields,
  has_secret: Type.Boolean(),
  updated_at: Time,
  disabled_reason: nullable(
    Type.String(),
    'why the service has paused it: `delivery_failures` or `account_suspended`; null: it has not',
  ),
  disabled_at: nullable(Time),
  consecutive_failures: Type.Integer({
    minimum: 0,
    description: 'events that were given up since the last success',
  }),
})

export const ListWebhooksReply = Type.Object(
  {
    webhooks: Type.Array(WebhookRecord),
    count: Type.Integer({ minimum: 0 }),
  },
  { title: 'Webhooks', description: 'The webhooks of the account' },
)

export const DeleteWebhookReply = Type.Object({ deleted: Type.Boolean() })

export const TestWebhookReply = namedObject('WebhookTest', {
  delivered: Type.Boolean(),
  status_code: nullable(Type.Integer(), 'null: the receiver gave no HTTP answer'),
  latency_ms: Type.Integer({ minimum: 0 }),
  error: Type.Optional(Type.String({ description: 'why it was not delivered' })),
})

export const RotateSecretReply = Type.Object({ secret: Secret })

const Attempt = namedObject('WebhookDelivery', {
  event_type: Type.String(),
  event_id: Type.String(),
  status_code: nullable(Type.Integer(), 'null: the receiver gave no HTTP answer'),
  latency_ms: Type.Integer({ minimum: 0 }),
  attempt: Type.Integer({ minimum: 0, description: '1 to 5; 0: the event was refused' }),
  success: Type.Boolean(),
  error: nullable(Type.String()),
  delivered_at: Type.String({ description: 'when the attempt was made' }),
})

export const HistoryReply = namedObject('WebhookDeliveries', {
  deliveries: Type.Array(Attempt),
  count: Type.Integer({ minimum: 0, description: 'rows in the answer' }),
})

export const DeliveryReply = namedObject('WebhookDeliveryDetails', {
  event_id: Type.String(),
  event_type: Type.String(),
  state: Type.String({ description: '`held`, `pending`, `delivered`, `failed` or `cancelled`' }),
  attempts: Type.Integer({ minimum: 0, description: 'since it was queued or last sent again' }),
  created_at: Time,
  body: Type.String({ description: 'what is sent, byte for byte' }),
})

export const EventTypesReply = namedObject('WebhookEventTypes', {
  event_types: Type.Array(
    namedObject('WebhookEventType', {
      name: Type.String(),
      description: Type.String(),
      filters: Type.Array(Type.String()),
      required: Type.Array(Type.String(), {
        description: 'the filters without which a webhook for it is refused',
      }),
      exclusive: Type.Boolean(),
    }),
  ),
  filter_rules: Type.Array(
    namedObject('WebhookFilterRule', {
      name: Type.String(),
      kind: Type.String({ enum: ['list', 'number', 'integer', 'choice'] }),
      description: Type.String({ description: 'what a value is; of a list, each of its values' }),
      values: Type.Optional(Type.Array(Type.String(), { description: 'of a choice' })),
    }),
    { description: 'what the value of each filter may be' },
  ),
})

export const ResendReply = Type.Object({ event_id: Type.String(), state: Type.String() })

export const RecoverBody = Type.Object({
  since: Type.Unsafe<number>(
    Type.Union([
      Type.Integer({ minimum: 0, maximum: MILLISECONDS_MIN - 1, description: 'Unix seconds' }),
      Type.String({ description: 'a time as 2026-11-16T09:30:00Z' }),
    ]),
  ),
})

export const RecoverReply = Type.Object({
  recovered: Type.Integer({ minimum: 0 }),
  has_more: Type.Boolean({
    description: 'true: more events failed since then than a call or the day takes',
  }),
})
