import { Type } from 'typebox'
import { errorReply } from '../lib/error-reply.js'
import { namedObject } from '../lib/named-object.js'
import { nullable } from '../lib/nullable.js'
import { NAME_LENGTH_MAX, NAME_PATTERN } from './accounts.js'

/** A name, or a reason that is shown. */
export const NameText = Type.String({
  maxLength: NAME_LENGTH_MAX,
  pattern: NAME_PATTERN,
  description: 'text without control or bidirectional characters',
})

/** The body may be missing altogether. */
export const CreateKeyBody = Type.Union([
  Type.Object({
    name: Type.Optional(Type.Union([NameText, Type.Null()])),
  }),
  Type.Null(),
])

export const CreateKeyReply = Type.Object(
  {
    api_key: Type.String({
      description: 'The key. It is shown this once and cannot be shown again.',
    }),
    name: Type.String(),
    rate_limit_per_minute: Type.Integer({ minimum: 0 }),
    message: Type.String(),
  },
  { title: 'NewKey', description: 'The new key' },
)

export const NoFreeKeys = errorReply('This server gives no free keys, or none to pages of this origin')
export const KeyRefused = errorReply('This address was given a key within the last day')

const Limit = nullable(Type.Integer({ minimum: 0 }))
export const PlanName = Type.String({
  description: '`free`, `starter`, `growth`, `pro`, `enterprise`, or a plan of this server',
})

export const PlanLimits = namedObject('Plan', {
  id: PlanName,
  price_usd_per_month: nullable(Type.Number({ minimum: 0 })),
  api_keys: Limit,
  rest_per_minute: Limit,
  v3_per_minute: Limit,
  v3_heavy_per_minute: Limit,
  work_per_second: Type.Integer({
    minimum: 1,
    description: 'units of work, about a millisecond each, that an account may spend while others work too',
  }),
  large_answers: Limit,
  condition_positions_page: Limit,
  trade_export: Type.Boolean(),
  copy_pnl_pool: Limit,
  social_per_month: Limit,
  websocket: Type.Object({
    event_connections: Limit,
    orderbook_connections: Limit,
    firehose_connections: Limit,
    replays: Limit,
    replay_hours: Limit,
    filter_items: Limit,
    session_seconds_per_day: Limit,
    snapshot_count: Limit,
    since_lookback_ms: Limit,
  }),
  webhooks: Type.Object({ count: Limit, deliveries_per_day: Limit }),
  included_per_month: Type.Object({
    api_requests: Limit,
    ws_market_bytes: Limit,
    ws_onchain_bytes: Limit,
  }),
})

export const PlansReply = Type.Object(
  { plans: Type.Array(PlanLimits) },
  { title: 'Plans', description: 'Every plan; null means without limit, 0 means not at all' },
)

export const UsageReply = Type.Object(
  {
    account: Type.String(),
    tier: PlanName,
    period: Type.Object({
      start: Type.Integer({ description: 'Unix seconds of the first of the month, UTC' }),
      end: Type.Integer({ description: 'Unix seconds at which the meters start anew' }),
    }),
    meters: Type.Array(
      namedObject('UsageMeter', {
        meter: Type.Enum(['api_requests', 'ws_market', 'ws_onchain']),
        unit: Type.Enum(['requests', 'bytes']),
        used: Type.Integer({ minimum: 0 }),
        included: Limit,
      }),
    ),
    social: Type.Object({
      used: Type.Integer({ minimum: 0 }),
      limit: Limit,
      resets_at: Type.Integer({ description: 'Unix seconds' }),
    }),
    enforced: Type.Literal(false),
  },
  {
    title: 'Usage',
    description: 'What the account has used this UTC month, all its keys together',
  },
)
