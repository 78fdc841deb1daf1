import { Type } from 'typebox'
import { namedObject } from '../../lib/named-object.js'
import { nullable } from '../../lib/nullable.js'

const Text = (description?: string) => nullable(Type.String(), description)
const Price = (description: string) => nullable(Type.Number({ minimum: 0 }), description)

export const PlatformVolume = Type.Number({ description: 'dollars traded, as the platform counts them' })
export const PlatformLiquidity = Type.Number({
  description: 'dollars in the order book, as the platform counts them',
})
const DayVolume = Type.Number({
  description: 'dollars of the market, all its outcomes, in the running hour and the 23 before it',
})
const LastTrade = Type.Integer({
  minimum: 0,
  description: 'Unix milliseconds of the last trade of the market; 0: it never traded',
})

/** What is known of the market beside its prices and trades. */
const described = {
  condition_id: Text(),
  question: Text(),
  slug: Text(),
  event_slug: Text(),
  event_title: Text(),
  category: Text('the first tag of its event'),
  image: Text(),
  outcome: Text('of `token_id`'),
  outcomes: Type.Array(Type.String(), { description: 'empty where the catalogue does not have the market' }),
  end_date: Text('ISO 8601'),
  active: Type.Boolean({ description: 'whether the platform shows it' }),
  closed: Type.Boolean({ description: 'whether trading has ended' }),
  neg_risk: Type.Boolean(),
}

export const TradedMarketRow = namedObject('TradedMarket', {
  token_id: Text('the token that was asked for, else that of the first outcome'),
  ...described,
  token_ids: Type.Array(Type.String(), { description: 'by outcome' }),
  last_price: Price('of `token_id`, dollars for a share, as `/v3/markets/{token_id}/price` has it'),
  prices: Type.Array(Price('null: there is none'), { description: 'the same by outcome' }),
  volume_24h: DayVolume,
  trade_count_24h: Type.Integer({ minimum: 0, description: 'matches of the market in that time' }),
  last_trade_at: LastTrade,
  last_status: Type.Literal('confirmed', { description: 'trades count once their block is booked' }),
  volume: PlatformVolume,
  liquidity: PlatformLiquidity,
})

const Count = (description: string) => Type.Integer({ minimum: 0, description })

export const TopMarketsReply = namedObject('TopMarkets', {
  count: Count('markets of this answer'),
  total: Count('markets with a trade in the day'),
  markets: Type.Array(TradedMarketRow, { description: 'those of most volume first' }),
})

export const TradedMarketsReply = namedObject('TradedMarkets', {
  count: Count('markets of this answer'),
  cursor: Count('how many markets were passed over'),
  next_cursor: nullable(Type.Integer({ minimum: 1 }), '`cursor` of the next page; null: there is none'),
  total: Count('markets that the filters leave, counted up to 10,000'),
  markets: Type.Array(TradedMarketRow),
})

export const FoundMarketsReply = namedObject('FoundMarkets', {
  query: Type.String(),
  count: Count('markets of this answer'),
  results: Type.Array(TradedMarketRow, { description: 'the best matches first' }),
})

const Ohlcv = {
  open: Type.Number({ description: 'dollars for a share' }),
  high: Type.Number(),
  low: Type.Number(),
  close: Type.Number(),
  volume: Type.Number({ description: 'dollars' }),
}

export const LiveCandlesReply = namedObject('LiveCandles', {
  token_id: Type.String(),
  resolution: Type.String(),
  count: Count('candles of this answer'),
  candles: Type.Array(
    namedObject('LiveCandle', {
      timestamp: Type.Integer({ description: 'when it begins, Unix seconds' }),
      ...Ohlcv,
    }),
    { description: 'oldest first; the last one may still be running' },
  ),
})

export const TokenStatsReply = namedObject('TokenStats', {
  token_id: Type.String(),
  price: Price('dollars for a share; null: there is none'),
  volume_24h: DayVolume,
  trade_count_24h: Type.Integer({ minimum: 0 }),
  last_trade_at: LastTrade,
  ohlcv_24h: nullable(
    namedObject('DayCandle', Ohlcv),
    'of the token alone, in the same hours; null: it was not traded in them',
  ),
  volume: PlatformVolume,
  liquidity: PlatformLiquidity,
  metadata: namedObject('TokenMetadata', { ...described, tags: nullable(Type.Array(Type.String())) }),
})
