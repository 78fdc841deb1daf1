import { type Static, type TObject, Type } from 'typebox'
import { nullable } from '../lib/nullable.js'
import type { WebhookEventType } from './event-types.js'
import { WATCHED_STATUSES } from './filters.js'

const Address = Type.String({ pattern: '^0x[0-9a-f]{40}$' })
const Hash = Type.String({ pattern: '^0x[0-9a-f]{64}$' })
const TokenId = Type.String({ pattern: '^[0-9]{1,78}$', description: 'decimal' })
const LogId = Type.String({
  pattern: '^0x[0-9a-f]{64}_[0-9]+$',
  description: '`<transaction hash>_<log index>`',
})
const Price = Type.Number({ minimum: 0, maximum: 1 })
const Amount = Type.Number({ minimum: 0 })
const SecondsText = Type.String({ pattern: '^[0-9]+$', description: 'Unix seconds' })
const UtcText = Type.String({ description: '`YYYY-MM-DD HH:MM:SS.ffffff`, UTC' })
/** How lists are written inside of a text. */
const braces = (description: string) => Type.String({ pattern: '^\\{.*\\}$', description })
const Tags = braces('slugs of the tags, as `{a,b}`')
const Known = nullable(Type.String(), 'null while the catalogue does not know the market')

const Market = {
  market: Known,
  slug: Known,
  outcome: Known,
  condition_id: nullable(Hash, 'null while the catalogue does not know the market'),
}

const TradeFields = {
  id: LogId,
  maker: Address,
  taker: Address,
  amount_usd: Amount,
  price: Price,
  fee_usd: Amount,
  direction: Type.Enum(['BUY', 'SELL'], { description: "of the maker's order" }),
  token_id: TokenId,
  ...Market,
  event_slug: Known,
  transaction_hash: Hash,
  order_hash: Hash,
  builder: Type.String({ pattern: '^0x[0-9a-f]{64}$', description: 'all zeros: none' }),
  timestamp: SecondsText,
}

const OfTransaction = { id: LogId, transaction_hash: Hash, timestamp: SecondsText }

const RedemptionFields = {
  ...OfTransaction,
  wallet: Address,
  condition_id: Hash,
  payout_usd: Amount,
  market: Known,
  outcome: Known,
  slug: Known,
  event_slug: Known,
}

const SetFields = {
  ...OfTransaction,
  wallet: Address,
  condition_id: Hash,
  amount: Amount,
  market: Known,
  slug: Known,
  event_slug: Known,
}

const ConversionFields = {
  ...OfTransaction,
  wallet: Address,
  market_id: Type.String({ pattern: '^0x[0-9a-f]{64}$', description: 'the neg-risk group' }),
  amount: Amount,
  index_set: Type.String({
    pattern: '^0x[0-9a-f]{64}$',
    description: 'one bit for each question whose NO tokens were given',
  }),
  event_title: Known,
}

const StatusFields = {
  wallet: Address,
  token_id: TokenId,
  ...Market,
  event_slug: Known,
  from_status: Type.Enum([...WATCHED_STATUSES]),
  to_status: Type.Enum(WATCHED_STATUSES.slice(1)),
  previous_amount: Amount,
  new_amount: Amount,
  delta_amount: Type.Number(),
  transfer_amount: Amount,
  source: Type.Enum([
    'erc1155_transfer',
    'split',
    'merge',
    'redemption',
    'neg_risk_conversion',
    'resolution',
  ]),
  raw_event_type: Type.String({ description: 'the event of the contract' }),
  source_event_id: LogId,
  transaction_hash: Hash,
  block_number: Type.Integer({ minimum: 0 }),
  timestamp: Type.String({ format: 'date-time', description: 'when it was found' }),
  tags: Tags,
}

const OrderFill = Type.Object({
  amount_usd: Amount,
  price: Price,
  market: Known,
  outcome: Known,
  timestamp: SecondsText,
})

const activity = <Name extends string>(name: Name, fields: TObject['properties']) =>
  Type.Object({ activity_type: Type.Literal(name), ...fields })

/** The `data` of each event type. Fields may be added; clients ignore those that they do not know. */
export const WEBHOOK_PAYLOADS = {
  trade: Type.Object(TradeFields),
  large_trade: Type.Object(TradeFields),
  builder_trade: Type.Object(TradeFields),
  first_trade: Type.Object({
    ...TradeFields,
    wallet: Type.String({ pattern: '^0x[0-9a-f]{40}$', description: 'whose first trade it is' }),
  }),
  price_change: Type.Object({
    token_id: TokenId,
    price: Price,
    previous_price: Type.Number({ description: 'of the last event of this webhook' }),
    delta_pct: nullable(
      Type.Number(),
      'from the one to the other, in percent; null: the one was 0',
    ),
    updated_at: UtcText,
    ...Market,
  }),
  market_resolved: Type.Object({
    condition_id: Hash,
    question: Known,
    slug: Known,
    payout_numerators: braces('as `{1,0}`, in the order of the outcomes'),
    payout_denominator: Type.String(),
    resolved_at: Type.String({ pattern: '^[0-9]+$', description: 'Unix milliseconds' }),
    event_slug: Known,
    tags: Tags,
  }),
  market_created: Type.Object({
    condition_id: Hash,
    question: Known,
    slug: Known,
    event_slug: Known,
    tags: Tags,
    image_url: Known,
    created_at: UtcText,
  }),
  pnl_change: Type.Object({
    wallet: Address,
    token_id: TokenId,
    realized_pnl: Type.Number(),
    previous_realized_pnl: Type.Number({ description: 'of the last event of this webhook' }),
    change_usd: Type.Number(),
    ...Market,
    timestamp: SecondsText,
  }),
  position_status_change: Type.Object(StatusFields),
  redemption: Type.Object(RedemptionFields),
  split: Type.Object(SetFields),
  merge: Type.Object(SetFields),
  neg_risk_conversion: Type.Object(ConversionFields),
  fee_earned: Type.Object({
    receiver: Address,
    fee_usd: Amount,
    transaction_hash: Hash,
    timestamp: SecondsText,
  }),
  wallet_activity: Type.Union([
    activity('trade', TradeFields),
    activity('redemption', RedemptionFields),
    activity('split', SetFields),
    activity('merge', SetFields),
    activity('neg_risk_conversion', ConversionFields),
  ]),
  order_complete: Type.Object({
    order_hash: Hash,
    wallet: Address,
    fill_count: Type.Integer({ minimum: 2 }),
    total_usd: Amount,
    avg_price: Price,
    fills: Type.Array(OrderFill, { maxItems: 1_000 }),
  }),
} satisfies Record<WebhookEventType, object>

export type WebhookPayload<EventType extends WebhookEventType> = Static<
  (typeof WEBHOOK_PAYLOADS)[EventType]
>
