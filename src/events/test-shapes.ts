import { type TProperties, type TSchema, Type } from 'typebox'
import { Value } from 'typebox/value'
import type { BusEvent } from '../bus/event.js'

const Text = Type.String({ minLength: 1 })
const Hash = Type.String({ pattern: '^0x[0-9a-f]{64}$' })
const Address = Type.String({ pattern: '^0x[0-9a-f]{40}$' })
const TokenId = Type.String({ pattern: '^[1-9][0-9]*$' })
const Digits = Type.String({ pattern: '^[0-9]+$' })
const Count = Type.Integer({ minimum: 0 })
const Ms = Type.Integer({ minimum: 1_600_000_000_000 })
const Amount = Type.Number({ minimum: 0 })
const Price = Type.Number({ minimum: 0, maximum: 1 })
const Side = Type.Union([Type.Literal('BUY'), Type.Literal('SELL')])
const YesNo = Type.Union([Type.Literal('YES'), Type.Literal('NO')])
/** 31 bytes where it is a structured one. */
const ConditionId = Type.String({ pattern: '^0x([0-9a-f]{64}|[0-9a-f]{62})$' })
const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])
const List = <T extends TSchema>(schema: T) => Type.Array(schema)

const closed = (fields: TProperties) => Type.Object(fields, { additionalProperties: false })
const optional = (fields: TProperties): TProperties =>
  Object.fromEntries(Object.entries(fields).map(([name, type]) => [name, Type.Optional(type)]))

const MARKET = {
  market_title: Text,
  market_slug: Text,
  event_title: Text,
  event_slug: Text,
  market_image: Text,
  neg_risk: Type.Boolean(),
  tick_size: Amount,
  taker_base_fee: Nullable(Count),
  condition_id: ConditionId,
  outcomes: List(Text),
  token_ids: List(TokenId),
  tokens: Type.Record(Type.String(), Text),
}

const LOG = { tx_hash: Hash, block_number: Count, log_index: Count, timestamp: Ms }

const TRADED = {
  side: Side,
  price: Price,
  size: Amount,
  maker_amount: Digits,
  taker_amount: Digits,
}

const LEG = closed({
  position_id: TokenId,
  module_id: Count,
  module_name: Text,
  condition_id: ConditionId,
  event_id: Type.Optional(Text),
  arity: Count,
  condition_index: Count,
  outcome_index: Count,
  leg_outcome_label: Text,
  market: Type.Optional(
    closed({
      title: Text,
      slug: Text,
      ...optional({ image: Text, event_title: Text, event_slug: Text }),
      outcomes: List(Text),
      token_ids: List(TokenId),
    }),
  ),
})

const COMBO_ROW = closed({
  position_id: TokenId,
  order_hash: Hash,
  maker: Address,
  signer: Type.Optional(Address),
  taker: Address,
  side: Side,
  outcome: YesNo,
  price: Price,
  size: Amount,
  amount_usdc: Amount,
  fee: Amount,
})

/** Prices are not of the chain. */
type ChainEventType = Exclude<BusEvent['type'], 'price_feed'>

const DATA: Record<ChainEventType, TProperties> = {
  settlement: {
    tx_hash: Hash,
    status: Type.Union([Type.Literal('pending'), Type.Literal('confirmed')]),
    detected_at: Ms,
    block_number: Nullable(Count),
    taker_wallet: Address,
    taker_token: TokenId,
    taker_side: Side,
    taker_price: Price,
    taker_size: Amount,
    trades: List(
      closed({
        maker: Address,
        taker: Address,
        token_id: TokenId,
        ...TRADED,
        ...optional({ signer: Address, outcome: Text, order_hash: Hash, exchange_version: Text }),
      }),
    ),
    ...optional({ outcome: Text, ...MARKET }),
  },
  fill: {
    order_hash: Hash,
    user: Address,
    taker: Address,
    tx_hash: Hash,
    side: Side,
    price: Price,
    shares: Count,
    shares_normalized: Amount,
    token_id: TokenId,
    token_label: Nullable(Text),
    condition_id: Nullable(ConditionId),
    market_slug: Nullable(Text),
    title: Nullable(Text),
    timestamp: Type.Integer({ maximum: 10_000_000_000 }),
    block_number: Nullable(Count),
    log_index: Nullable(Count),
  },
  status_update: {
    tx_hash: Hash,
    token_id: TokenId,
    block_number: Count,
    confirmed_at: Ms,
    pending_detected_at: Nullable(Ms),
    latency_ms: Nullable(Count),
    taker_wallet: Address,
    maker_wallets: List(Address),
    order_hashes: List(Hash),
    confirmed_fills: List(
      closed({
        order_hash: Hash,
        maker: Address,
        taker: Address,
        token_id: TokenId,
        ...TRADED,
        fee: Nullable(Amount),
      }),
    ),
    ...optional({ outcome: Text, ...MARKET }),
  },
  trade: {
    ...LOG,
    exchange: Type.Union([Type.Literal('ctf_exchange'), Type.Literal('neg_risk_ctf_exchange')]),
    maker: Address,
    taker: Address,
    token_id: TokenId,
    ...TRADED,
    fee: Nullable(Amount),
    order_hash: Hash,
    ...optional({ exchange_version: Text, outcome: Text, ...MARKET }),
  },
  position_change: {
    ...LOG,
    from: Address,
    to: Address,
    token_id: TokenId,
    amount: Amount,
    transfer_type: Type.Union([Type.Literal('single'), Type.Literal('batch')]),
    ...optional({ outcome: Text, ...MARKET }),
  },
  position_split: splitShape(),
  position_merge: splitShape(),
  positions_converted: {
    ...LOG,
    stakeholder: Address,
    market_id: Hash,
    index_set: Hash,
    amount: Amount,
    neg_risk: Type.Literal(true),
    ...optional({
      converted_outcomes: List(Text),
      event_title: Text,
      market_title: Text,
      market_slug: Text,
      market_image: Text,
      taker_base_fee: Nullable(Count),
      tokens: Type.Record(Type.String(), Text),
    }),
  },
  redemption: {
    ...LOG,
    ...optional(MARKET),
    redeemer: Address,
    collateral_token: Address,
    condition_id: ConditionId,
    index_sets: List(Type.Integer({ minimum: 1 })),
    payout: Amount,
    ...optional({
      payout_e6: Digits,
      source: Type.Union([
        Type.Literal('AutoRedeemer.BinaryRedemption'),
        Type.Literal('AutoRedeemer.NegRiskRedemption'),
        Type.Literal('AutoRedeemer.Redemption'),
      ]),
      payouts: List(Count),
      outcome_prices: List(Price),
      winning_outcome_index: Count,
      winning_outcome: Text,
      winning_token_id: TokenId,
    }),
  },
  deposit: {
    ...LOG,
    from: Address,
    to: Address,
    amount: Amount,
    direction: Type.Union([Type.Literal('deposit'), Type.Literal('withdrawal')]),
  },
  block: {
    block_number: Count,
    block_hash: Hash,
    timestamp: Ms,
    parent_hash: Nullable(Hash),
    tx_count: Nullable(Count),
    polymarket_tx_count: Count,
    settlement_count: Count,
    trade_volume_usd: Amount,
  },
  oracle: {
    ...LOG,
    oracle_type: Text,
    ...optional({
      question_id: Text,
      adapter_address: Address,
      proposer: Address,
      disputer: Address,
      proposed_price: Price,
      expiration_timestamp: Ms,
      resolved_price: Price,
      payouts: List(Count),
      resolved_outcome: Text,
      ...MARKET,
    }),
  },
  combo_execution: {
    tx_hash: Hash,
    status: Type.Literal('pending'),
    detected_at: Ms,
    block_number: Type.Null(),
    combo_condition_id: ConditionId,
    legs: List(LEG),
    taker_wallet: Address,
    taker_token: TokenId,
    taker_side: Side,
    outcome: YesNo,
    taker_price: Price,
    taker_size: Amount,
    amount_usdc: Amount,
    order_hashes: List(Hash),
    trades: List(COMBO_ROW),
  },
  combo_status_update: {
    tx_hash: Hash,
    block_number: Count,
    confirmed_at: Ms,
    execution_status: Type.Literal('CONFIRMED'),
    ...optional({
      pending_detected_at: Ms,
      latency_ms: Count,
      combo_condition_id: ConditionId,
      yes_position_id: TokenId,
      no_position_id: TokenId,
      leg_position_ids: List(TokenId),
      legs: List(LEG),
      order_hashes: List(Hash),
      confirmed_fills: List(COMBO_ROW),
      fees: List(
        closed({ receiver: Address, amount_e6: Digits, amount_usdc: Amount, log_index: Count }),
      ),
      taker_address: Address,
      amount_usdc: Amount,
    }),
  },
  combo_lifecycle: {
    tx_hash: Hash,
    status: Type.Literal('confirmed'),
    detected_at: Ms,
    block_number: Count,
    log_index: Count,
    action: Type.String({ pattern: '^[A-Z][A-Za-z]+$' }),
    condition_ids: List(ConditionId),
    event_ids: List(Text),
    position_ids: List(TokenId),
    ...optional({
      user: Address,
      combo_condition_id: ConditionId,
      module_id: Count,
      module_name: Text,
      yes_position_id: TokenId,
      no_position_id: TokenId,
      source_position_ids: List(TokenId),
      destination_position_ids: List(TokenId),
      leg_position_ids: List(TokenId),
      legs: List(LEG),
      amount_e6: Digits,
      amount_usdc: Amount,
      payout_e6: Digits,
      payout_usdc: Amount,
      side: YesNo,
    }),
  },
  reorg: { fork_block: Count, removed_blocks: Type.Integer({ minimum: 1 }) },
}

function splitShape(): TProperties {
  return {
    ...LOG,
    ...optional(MARKET),
    stakeholder: Address,
    collateral_token: Address,
    condition_id: ConditionId,
    amount: Amount,
  }
}

/** What is wrong with the message of an event: fields that lack, are too many or of another type. */
export function misshapes({ type, text }: BusEvent): string[] {
  if (type === 'price_feed') return [`not of the chain: ${text}`]
  const shape = SHAPES.get(type) ?? shapeOf(type)
  SHAPES.set(type, shape)
  return Value.Errors(shape, JSON.parse(text)).map(
    ({ instancePath, message }) => `${type}${instancePath} ${message}: ${text}`,
  )
}

const SHAPES = new Map<BusEvent['type'], TSchema>()

function shapeOf(type: ChainEventType): TSchema {
  if (type === 'fill') return closed({ type: Type.Literal('event'), data: closed(DATA.fill) })
  return closed({
    type: Type.Literal(type),
    timestamp: Ms,
    data: closed({ event_type: Type.Literal(type), ...DATA[type] }),
  })
}
