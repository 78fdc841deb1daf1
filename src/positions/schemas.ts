import { Type } from 'typebox'
import { nullable } from '../lib/nullable.js'
import { MarketBlock, StructuredMarket } from '../markets/market-block.js'
import { MARKET_STATUSES, POSITION_STATUSES } from './position.js'

const Shares = (description: string) => Type.Number({ description })
const Money = (description = 'dollars') => Type.Number({ description })
const Seconds = (description: string) => Type.String({ description: `Unix seconds ${description}` })
const Millionths = (description: string) =>
  Type.String({ description: `${description}, in millionths`, examples: ['500000'] })

/** What all lists of positions have, wherever they come from. */
const Numbers = {
  token_id: Type.String(),
  size: Shares('shares held now; 0 when the position is closed or redeemed'),
  avg_price: nullable(
    Type.Number(),
    'what a share cost on average, kept after the exit; null when none was ever bought',
  ),
  realized_pnl: Money(),
  unrealized_pnl: Money('what the shares that were bought would earn at the current price'),
}

const TotalBought = { total_bought: Shares('all shares that were ever bought') }

const NegRisk = { neg_risk: nullable(Type.Boolean()) }

const Winner = {
  winning_outcome_index: nullable(
    Type.Integer({ minimum: 0 }),
    'null while there is no result, or when several outcomes are paid',
  ),
  won: nullable(
    Type.Boolean(),
    'null while there is no result, or when the outcome is paid in part',
  ),
}

const MarketStatusField = {
  market_status: Type.String({
    enum: [...MARKET_STATUSES],
    description: '`closed`: no shares; `resolved-unknown`: the outcome is paid in part',
  }),
}

const PositionNumbers = {
  ...Numbers,
  total_pnl: Money('both together'),
  current_price: Type.Number({ description: 'dollars for a share; 0 when none is known' }),
  ...TotalBought,
  resolved: Type.Boolean(),
  status: Type.String({ enum: [...POSITION_STATUSES] }),
}

/** A position of any wallet. */
export const GlobalPosition = Type.Object({
  wallet: Type.String(),
  ...PositionNumbers,
  ...MarketBlock,
  ...NegRisk,
  ...StructuredMarket,
})

export const WalletPosition = Type.Object({
  ...PositionNumbers,
  ...MarketBlock,
  ...NegRisk,
  initial_value: Money('size times average price'),
  redeemable_payout: Money('what the chain pays for the shares; 0 while there is no result'),
  price_source: nullable(
    Type.String({ enum: ['settlement', 'clob_mid', 'v1_condition', 'last_fill'] }),
    'null when no price is known',
  ),
  opposite_asset: nullable(Type.String({ description: 'the token of the other outcome' })),
  event_slug: nullable(Type.String()),
  tag_slugs: nullable(Type.Array(Type.String()), 'labels, the category first'),
  ...MarketStatusField,
  last_trade_at: nullable(Seconds('of the newest fill'), 'null when there was none'),
  last_activity_at: Seconds('of the newest change of the position'),
  resolved_at: nullable(Seconds('of the result'), 'null while there is none'),
  ...Winner,
  ...StructuredMarket,
})

const HolderNumbers = {
  amount: Millionths('shares'),
  avg_price: nullable(Millionths('dollars for a share'), 'null when none was ever bought'),
  realized_pnl: Millionths('dollars'),
  total_bought: Millionths('shares'),
}

export const TokenHolder = Type.Object({ user: Type.String(), ...HolderNumbers })

export const MarketHolder = Type.Object({
  user: Type.String(),
  token_id: Type.String(),
  ...HolderNumbers,
})

const Times = {
  last_trade_at: nullable(Type.Integer(), 'Unix seconds of the newest fill'),
  closed_at: nullable(
    Type.Integer(),
    "Unix seconds of the wallet's last redemption of the condition",
  ),
  resolved_at: nullable(Type.Integer(), 'Unix seconds of the result'),
}

/** What both `/v2` lists have. */
const OnchainNumbers = {
  ...Numbers,
  current_price: nullable(Type.Number(), 'null without shares, or when no price is known'),
  ...MarketStatusField,
  ...TotalBought,
}

const OnchainMarket = {
  event_slug: nullable(Type.String()),
  outcome: nullable(Type.String()),
  image: nullable(Type.String()),
  condition_id: nullable(Type.String()),
  tag_slugs: nullable(Type.Array(Type.String()), 'labels, the most specific first'),
  ...Times,
}

export const WalletOnchainPosition = Type.Object({
  ...OnchainNumbers,
  market: nullable(Type.String()),
  slug: nullable(Type.String()),
  ...OnchainMarket,
})

export const WalletOnchainReply = Type.Object({
  wallet: Type.String(),
  source: Type.Literal('onchain'),
  count: Type.Integer({ minimum: 0 }),
  open_count: Type.Integer({ minimum: 0, description: 'positions with shares' }),
  closed_count: Type.Integer({ minimum: 0, description: 'without shares, with profit or loss' }),
  total_realized_pnl: Money(),
  total_unrealized_pnl: Money(),
  total_pnl: Money(),
  positions_with_pnl: Type.Integer({ minimum: 0 }),
  filtered: Type.Optional(Type.Literal(true)),
  applied_filters: Type.Optional(
    Type.Object({
      since: nullable(Type.Integer()),
      until: nullable(Type.Integer()),
      tag_slug: nullable(Type.String()),
    }),
  ),
  positions: Type.Array(WalletOnchainPosition),
})

export const OnchainPosition = Type.Object({
  wallet: Type.String(),
  ...OnchainNumbers,
  market: nullable(Type.String()),
  market_slug: nullable(Type.String()),
  ...OnchainMarket,
  outcome_index: nullable(Type.Integer({ minimum: 0 })),
  opposite_asset: nullable(Type.String()),
  initial_value: Money('size times average price'),
  redeemable: Type.Boolean({ description: 'there is a result, and there are shares' }),
  won: Type.Optional(Winner.won),
  winning_outcome_index: Type.Optional(Winner.winning_outcome_index),
  last_activity: Type.Optional(Type.Integer({ description: 'Unix seconds; with `wallet` alone' })),
})

export const OnchainPositionsReply = Type.Object({
  count: Type.Integer({ minimum: 0 }),
  pagination: Type.Object({
    limit: Type.Integer({ minimum: 1 }),
    has_more: Type.Boolean(),
    pagination_key: nullable(Type.String(), 'null on the last page'),
  }),
  positions: Type.Array(OnchainPosition),
})
