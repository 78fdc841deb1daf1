import { Type } from 'typebox'
import { KEY_SCOPES } from '../../accounts/queries.js'
import { NameText, PlanLimits } from '../../accounts/schemas.js'
import { OPERATION_DAYS_KEPT } from '../../accounts/usage-queries.js'
import { errorReply } from '../../lib/error-reply.js'
import { namedEnum, namedObject } from '../../lib/named-object.js'
import { nullable } from '../../lib/nullable.js'

const Time = Type.String({ format: 'date-time' })
const Count = (description?: string) =>
  Type.Integer({ minimum: 0, ...(description !== undefined && { description }) })

const AccountLimit = namedObject('AccountLimit', {
  name: Type.String({
    description:
      'a bucket such as `rest` or `v3_heavy`, or something that the plan counts, such as `event_connections` or `webhooks`',
  }),
  unit: namedEnum('AccountLimitUnit', [
    'requests',
    'connections',
    'seconds',
    'keys',
    'webhooks',
    'deliveries',
    'wallets',
  ]),
  counts: namedEnum(
    'AccountLimitOwner',
    ['key', 'account'],
    'whether it is counted for this key or for the account',
  ),
  limit: nullable(Count(), 'null: without limit'),
  used: Count(),
  remaining: nullable(Count(), 'null: without limit'),
  window_seconds: nullable(
    Count(),
    'of a sliding window; null: a UTC day or month, or what there is at the moment',
  ),
  resets_at: nullable(
    Time,
    'when there is more: the oldest request leaves the window, or the day or month ends',
  ),
  resets_in_seconds: nullable(Count()),
})

export const OwnAccountReply = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    created_at: Time,
    plan: PlanLimits,
    limits: Type.Array(AccountLimit, { description: 'what is left of everything at this moment' }),
  },
  { title: 'OwnAccount', description: 'Your account, its plan, and what is left of its limits' },
)

const Places = namedObject('OpenPlaces', {
  open: Count('in all processes of the service together'),
  limit: nullable(Count(), 'null: without limit'),
  remaining: nullable(Count(), 'null: without limit'),
})

export const OwnConnectionsReply = Type.Object(
  {
    account: Type.String(),
    tier: Type.String({ description: 'the plan' }),
    connections: namedObject('OpenConnections', {
      events: Places,
      orderbook: Places,
      replay: Places,
    }),
    subscriptions: namedObject('OpenSubscriptions', {
      firehose: Places,
      filter_items_max: nullable(Count('items of filters in one subscription'), 'null: without limit'),
    }),
    session_seconds: namedObject('SessionSeconds', {
      events: Count('of connections today'),
      orderbook: Count('of connections today'),
      limit: nullable(Count('of a day, for each of them'), 'null: without limit'),
      resets_at: Time,
    }),
  },
  {
    title: 'OwnConnections',
    description: 'Open connections and subscriptions of the account, and their limits',
  },
)

const OwnKey = namedObject('OwnKey', {
  id: Type.String(),
  name: Type.String(),
  hint: Type.String({ description: 'its last characters' }),
  scope: namedEnum('KeyScope', KEY_SCOPES),
  created_at: Time,
  expires_at: nullable(Time, 'null: it works until it is revoked'),
  last_used_at: nullable(Time, 'to the minute; null: not yet'),
  is_current: Type.Boolean({
    description: 'this request was sent with it, or with a session that stands for it',
  }),
})

export const OwnKeysReply = Type.Object(
  { keys: Type.Array(OwnKey), keys_max: Count('what the plan allows; expired ones do not count') },
  { title: 'OwnKeys', description: 'Keys of the account that were not revoked, without their secrets' },
)

export const CreateOwnKeyBody = Type.Object({
  name: Type.String({ ...NameText, minLength: 1, description: 'what it is for' }),
  scope: Type.Enum([...KEY_SCOPES], {
    title: 'KeyScope',
    type: 'string',
    default: 'full',
    description: '`read`: it may not change anything',
  }),
})

export const CreateOwnKeyReply = Type.Object(
  {
    ...OwnKey.properties,
    api_key: Type.String({ description: 'The key. It is shown this once and cannot be shown again.' }),
  },
  { title: 'NewOwnKey', description: 'The new key' },
)

export const OwnKeyParams = Type.Object({
  id: Type.String({ pattern: '^(key_)?[0-9]{1,9}$', description: 'a key, such as key_12' }),
})

export const OwnKeyRevoked = Type.Null({ description: 'The key is revoked' })
export const NO_OWN_KEY = { 404: errorReply('The account has no such key') }
export const TOO_MANY_OWN_KEYS = { 409: errorReply('The plan allows no more keys') }

const usageFields = {
  requests: Count('that were answered; not those in the next two'),
  bytes: Count('of answers, headers included, and of messages over sockets'),
  refused: Count('by a limit'),
  failed: Count('by a fault of the service'),
}

export const OwnUsageQuery = Type.Object({
  days: Type.Integer({
    minimum: 1,
    maximum: OPERATION_DAYS_KEPT,
    default: 30,
    description: 'the last UTC days, today included',
  }),
  operation: Type.Optional(
    Type.String({ maxLength: 100, description: 'one operation of this document, such as listTrades' }),
  ),
})

export const OwnUsageReply = Type.Object(
  {
    from: Type.String({ format: 'date' }),
    to: Type.String({ format: 'date' }),
    total: namedObject('UsageTotal', usageFields),
    days: Type.Array(namedObject('UsageByDay', { day: Type.String({ format: 'date' }), ...usageFields }), {
      description: 'every day, the oldest first',
    }),
    operations: Type.Array(
      namedObject('UsageByOperation', {
        operation: Type.String({
          description: '`operationId` of this document, `ws_market` or `ws_onchain`',
        }),
        ...usageFields,
      }),
      { description: 'those that were used, the busiest first' },
    ),
  },
  { title: 'OwnUsage', description: 'What the account used, all its keys together' },
)
