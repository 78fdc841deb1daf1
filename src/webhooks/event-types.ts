import { type Static, type TObject, type TSchema, Type } from 'typebox'
import { CANONICAL_PATTERNS } from '../core/ids.js'
import { TradeSideField } from '../http/row-fields.js'
import { namedEnum, namedObject } from '../lib/named-object.js'
import { nullable } from '../lib/nullable.js'
import { type FilterName, WATCHED_STATUSES } from './filters.js'

type EventTypeRow = {
  /** What callers of `event-types` read. */
  description: string
  filters: readonly FilterName[]
  /** The filters without which a webhook for this type is refused. */
  required?: readonly FilterName[]
  /** A flag of the contract that says nothing about the type's behaviour. */
  exclusive?: true
  /** The `data` of its events. Fields may be added; clients ignore those that they do not know. */
  payload: TSchema
}

const Address = Type.String({ pattern: CANONICAL_PATTERNS.address })
const Hash = Type.String({ pattern: CANONICAL_PATTERNS.bytes32 })
const TokenId = Type.String({ pattern: CANONICAL_PATTERNS.tokenId, description: 'decimal' })
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
const Known = nullable(Type.String(), 'null while the market is unknown')

const Market = {
  market: Known,
  slug: Known,
  outcome: Known,
  condition_id: nullable(Hash, 'null while the market is unknown'),
}

const TradeFields = {
  id: LogId,
  maker: Address,
  taker: Address,
  amount_usd: Amount,
  price: Price,
  fee_usd: Amount,
  direction: TradeSideField("of the maker's order"),
  is_taker_order: Type.Boolean({
    description: "the fill of the order that took, whose `taker` is the exchange: a match's volume",
  }),
  token_id: TokenId,
  ...Market,
  event_slug: Known,
  transaction_hash: Hash,
  order_hash: Hash,
  builder: Type.String({ pattern: CANONICAL_PATTERNS.bytes32, description: 'all zeros: none' }),
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
  market_id: Type.String({ pattern: CANONICAL_PATTERNS.bytes32, description: 'the neg-risk group' }),
  amount: Amount,
  index_set: Type.String({
    pattern: CANONICAL_PATTERNS.bytes32,
    description: 'one bit for each question whose NO tokens were given',
  }),
  event_title: Known,
  market: nullable(Type.String(), 'of the first question; null while the catalogue does not know it'),
  slug: Known,
  condition_id: nullable(Hash, 'of the first question; null while the catalogue does not know it'),
  event_slug: Known,
}

const StatusFields = {
  wallet: Address,
  token_id: TokenId,
  ...Market,
  event_slug: Known,
  from_status: namedEnum('WatchedStatus', WATCHED_STATUSES),
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

const OrderFill = namedObject('OrderFill', {
  amount_usd: Amount,
  price: Price,
  market: Known,
  outcome: Known,
  timestamp: SecondsText,
})

const activity = <Name extends string>(name: Name, title: string, fields: TObject['properties']) =>
  namedObject(title, { activity_type: Type.Literal(name), ...fields })

const OF_MARKET = ['condition_ids', 'event_slugs', 'tags'] as const

/**
 * The event types of webhooks, with the filters that each one knows. `confirmations` works for every
 * type whose events have a block.
 */
const WEBHOOK_EVENT_TYPES = {
  trade: {
    description: 'fill involving watched wallets or markets',
    filters: ['wallet_addresses', 'token_ids', ...OF_MARKET, 'min_amount_usd', 'side'],
    payload: namedObject('TradePayload', TradeFields),
  },
  large_trade: {
    description: 'fill above a USD threshold',
    filters: ['min_amount_usd', ...OF_MARKET],
    required: ['min_amount_usd'],
    payload: namedObject('TradePayload', TradeFields),
  },
  builder_trade: {
    description: 'fill routed through a given builder',
    filters: ['builder_codes', 'min_amount_usd'],
    required: ['builder_codes'],
    exclusive: true,
    payload: namedObject('TradePayload', TradeFields),
  },
  first_trade: {
    description: "a wallet's first trade",
    filters: ['min_amount_usd'],
    payload: namedObject('FirstTradePayload', {
      ...TradeFields,
      wallet: Type.String({ pattern: CANONICAL_PATTERNS.address, description: 'whose first trade it is' }),
    }),
  },
  price_change: {
    description: 'token price moves beyond a threshold',
    filters: ['token_ids', 'condition_ids', 'min_delta_pct'],
    payload: namedObject('PriceChangePayload', {
      token_id: TokenId,
      price: Price,
      previous_price: Type.Number({ description: 'of the last event of this webhook' }),
      delta_pct: nullable(Type.Number(), 'from the one to the other, in percent; null: the one was 0'),
      updated_at: UtcText,
      ...Market,
    }),
  },
  market_resolved: {
    description: 'market resolved with payouts',
    filters: OF_MARKET,
    payload: namedObject('MarketResolvedPayload', {
      condition_id: Hash,
      question: Known,
      slug: Known,
      payout_numerators: braces('as `{1,0}`, in the order of the outcomes'),
      payout_denominator: Type.String(),
      resolved_at: Type.String({ pattern: '^[0-9]+$', description: 'Unix milliseconds' }),
      event_slug: Known,
      tags: Tags,
      winning_outcome: nullable(Type.String(), 'null at a draw, or while the catalogue lacks it'),
      winning_token_id: nullable(TokenId, 'null at a draw, or while the catalogue lacks it'),
    }),
  },
  market_created: {
    description: 'new market appears',
    filters: ['tags', 'event_slugs'],
    payload: namedObject('MarketCreatedPayload', {
      condition_id: Hash,
      question: Known,
      slug: Known,
      event_slug: Known,
      tags: Tags,
      image_url: Known,
      created_at: UtcText,
    }),
  },
  pnl_change: {
    description: 'wallet P&L changes beyond a threshold',
    filters: ['wallet_addresses', 'min_pnl_change_usd'],
    required: ['wallet_addresses'],
    payload: namedObject('PnlChangePayload', {
      wallet: Address,
      token_id: TokenId,
      realized_pnl: Type.Number(),
      previous_realized_pnl: Type.Number({ description: 'of the last event of this webhook' }),
      change_usd: Type.Number(),
      ...Market,
      timestamp: SecondsText,
    }),
  },
  position_status_change: {
    description: 'watched-wallet position opens or exits',
    filters: ['wallet_addresses', 'token_ids', ...OF_MARKET, 'status_from', 'status_to'],
    required: ['wallet_addresses'],
    exclusive: true,
    payload: namedObject('PositionStatusPayload', StatusFields),
  },
  redemption: {
    description: 'wallet redeems shares',
    filters: ['wallet_addresses', 'condition_ids'],
    exclusive: true,
    payload: namedObject('RedemptionPayload', RedemptionFields),
  },
  split: {
    description: 'wallet splits conditional tokens',
    filters: ['wallet_addresses', 'condition_ids'],
    exclusive: true,
    payload: namedObject('SetPayload', SetFields),
  },
  merge: {
    description: 'wallet merges conditional tokens',
    filters: ['wallet_addresses', 'condition_ids'],
    exclusive: true,
    payload: namedObject('SetPayload', SetFields),
  },
  neg_risk_conversion: {
    description: 'neg-risk conversion',
    filters: ['wallet_addresses'],
    exclusive: true,
    payload: namedObject('ConversionPayload', ConversionFields),
  },
  fee_earned: {
    description: 'fee receiver is paid',
    filters: ['receiver_addresses', 'min_fee_usd'],
    exclusive: true,
    payload: namedObject('FeeEarnedPayload', {
      receiver: Address,
      fee_usd: Amount,
      transaction_hash: Hash,
      timestamp: SecondsText,
    }),
  },
  wallet_activity: {
    description: 'any action by a watched wallet',
    filters: ['wallet_addresses'],
    required: ['wallet_addresses'],
    exclusive: true,
    payload: Type.Union([
      activity('trade', 'TradeActivity', TradeFields),
      activity('redemption', 'RedemptionActivity', RedemptionFields),
      activity('split', 'SplitActivity', SetFields),
      activity('merge', 'MergeActivity', SetFields),
      activity('neg_risk_conversion', 'ConversionActivity', ConversionFields),
    ]),
  },
  order_complete: {
    description: 'multi-fill order finishes',
    filters: ['wallet_addresses', 'min_total_usd'],
    exclusive: true,
    payload: namedObject('OrderCompletePayload', {
      order_hash: Hash,
      wallet: Address,
      fill_count: Type.Integer({ minimum: 2 }),
      total_usd: Amount,
      avg_price: Price,
      ...Market,
      event_slug: Known,
      fills: Type.Array(OrderFill, { maxItems: 1_000 }),
    }),
  },
} as const satisfies Record<string, EventTypeRow>

export type WebhookEventType = keyof typeof WEBHOOK_EVENT_TYPES

export const WEBHOOK_EVENT_TYPE_NAMES = Object.keys(WEBHOOK_EVENT_TYPES) as WebhookEventType[]

export const eventTypeRow = (type: WebhookEventType): EventTypeRow => WEBHOOK_EVENT_TYPES[type]

export type WebhookPayload<EventType extends WebhookEventType> = Static<
  (typeof WEBHOOK_EVENT_TYPES)[EventType]['payload']
>
