import { Type } from 'typebox'
import { Decimal, IntegerText, SecondsText, UnixTime } from '../http/row-fields.js'
import { namedEnum, namedObject } from '../lib/named-object.js'
import { nullable } from '../lib/nullable.js'
import { MarketBlock, PriceSourceField, StructuredMarket } from '../lookups/market-block.js'
import { MARKET_STATUSES, POSITION_STATUSES } from '../lookups/position.js'

const Shares = Decimal
const Money = (description = 'dollars') => Decimal(description)
const Millionths = (description: string) =>
  IntegerText(`${description}, in millionths`, { examples: ['500000'] })

/** What all lists of positions have, wherever they come from. */
const Numbers = {
  token_id: Type.String(),
  size: Shares('shares held now; 0 when the position is closed or redeemed'),
  avg_price: nullable(
    Decimal(),
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
  won: nullable(Type.Boolean(), 'null while there is no result, or when the outcome is paid in part'),
}

const MarketStatusField = {
  market_status: namedEnum(
    'MarketStatus',
    MARKET_STATUSES,
    '`closed`: no shares; `resolved-unknown`: the outcome is paid in part',
  ),
}

const PositionNumbers = {
  ...Numbers,
  total_pnl: Money('both together'),
  current_price: Decimal('dollars for a share; 0 when none is known'),
  ...TotalBought,
  resolved: Type.Boolean(),
  status: namedEnum('PositionStatus', POSITION_STATUSES),
}

/** A position of any wallet. */
export const GlobalPosition = namedObject('Position', {
  wallet: Type.String(),
  ...PositionNumbers,
  ...MarketBlock,
  ...NegRisk,
  ...StructuredMarket,
})

export const WalletPosition = namedObject('WalletPosition', {
  ...PositionNumbers,
  ...MarketBlock,
  ...NegRisk,
  initial_value: Money('size times average price'),
  redeemable_payout: Money('what the chain pays for the shares; 0 while there is no result'),
  price_source: nullable(PriceSourceField, 'null when no price is known'),
  opposite_asset: nullable(Type.String({ description: 'the token of the other outcome' })),
  event_slug: nullable(Type.String()),
  tag_slugs: nullable(Type.Array(Type.String()), 'labels, the category first'),
  ...MarketStatusField,
  last_trade_at: nullable(SecondsText('Unix seconds of the newest fill'), 'null when there was none'),
  last_activity_at: SecondsText('Unix seconds of the newest change of the position'),
  resolved_at: nullable(SecondsText('Unix seconds of the result'), 'null while there is none'),
  ...Winner,
  ...StructuredMarket,
})

const HolderNumbers = {
  amount: Millionths('shares'),
  avg_price: nullable(Millionths('dollars for a share'), 'null when none was ever bought'),
  realized_pnl: Millionths('dollars'),
  total_bought: Millionths('shares'),
}

export const TokenHolder = namedObject('TokenHolder', { user: Type.String(), ...HolderNumbers })

export const MarketHolder = namedObject('MarketHolder', {
  user: Type.String(),
  token_id: Type.String(),
  ...HolderNumbers,
})

const Times = {
  last_trade_at: nullable(UnixTime(), 'Unix seconds of the newest fill'),
  closed_at: nullable(UnixTime(), "Unix seconds of the wallet's last redemption of the condition"),
  resolved_at: nullable(UnixTime(), 'Unix seconds of the result'),
}

/** What both `/v2` lists have. */
const OnchainNumbers = {
  ...Numbers,
  current_price: nullable(Decimal(), 'null without shares, or when no price is known'),
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

const WalletOnchainPosition = namedObject('WalletOnchainPosition', {
  ...OnchainNumbers,
  market: nullable(Type.String()),
  slug: nullable(Type.String()),
  ...OnchainMarket,
})

export const WalletOnchainReply = namedObject('WalletOnchainPositions', {
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

const OnchainPosition = namedObject('OnchainPosition', {
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
  last_activity: Type.Optional(UnixTime('Unix seconds; with `wallet` alone')),
})

export const OnchainPositionsReply = namedObject('OnchainPositions', {
  count: Type.Integer({ minimum: 0 }),
  pagination: Type.Object({
    limit: Type.Integer({ minimum: 1 }),
    has_more: Type.Boolean(),
    pagination_key: nullable(Type.String(), 'null on the last page'),
  }),
  positions: Type.Array(OnchainPosition),
})
