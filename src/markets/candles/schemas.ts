import { Type } from 'typebox'
import { oneOf, TokenId, UnixSeconds } from '../../http/parameters.js'
import { namedEnum, namedObject } from '../../lib/named-object.js'
import { nullable } from '../../lib/nullable.js'
import { StructuredMarket } from '../../lookups/market-block.js'
import { CANDLE_RESOLUTIONS, type Resolution } from './window.js'

const RESOLUTION_NAMES = Object.keys(CANDLE_RESOLUTIONS) as Resolution[]

const bound = (description: string) =>
  Type.Optional({ ...UnixSeconds, description: `${description}, in Unix seconds, included` })

export const WindowParameters = {
  resolution: oneOf(RESOLUTION_NAMES, 'how long a candle is', {
    title: 'CandleResolution',
    default: '1h',
  }),
  limit: Type.Optional(
    Type.Integer({
      description: `most candles, 120 without it, no more than ${RESOLUTION_NAMES.map(
        (name) => `${CANDLE_RESOLUTIONS[name].bucketsMax} of ${name}`,
      ).join(', ')}`,
    }),
  ),
  direction: Type.Optional(
    oneOf(
      ['before', 'after'],
      'whether the window ends at `anchor_ts`, the default, or begins there; of a range that is longer than `limit`, which end is kept',
      { title: 'CandleDirection' },
    ),
  ),
  anchor_ts: bound('where the window ends or begins, now without it'),
  start: bound('begin of the window'),
  start_time: bound('the same as `start`'),
  after: bound('the same as `start`'),
  end: bound('end of the window'),
  end_time: bound('the same as `end`'),
  before: bound('the same as `end`'),
  order: oneOf(['asc', 'desc'], '`asc` has the oldest first', {
    title: 'SortOrder',
    default: 'asc',
  }),
  gap_fill: Type.Boolean({
    default: false,
    description: 'adds the buckets without a trade, with the price before them, once there was one',
  }),
}

export const OutcomeParameter = {
  token_id: Type.Optional({
    ...TokenId,
    description: 'the series of this outcome alone; needed where there are more than 50',
  }),
}

const Price = Type.Number({ description: 'dollars for a share' })
const Usd = Type.Number({ description: 'dollars' })
const Seconds = Type.Integer({ description: 'Unix seconds' })
const ofTrade = (description: string) => nullable(Type.Integer(), description)

const MarketCandle = namedObject('MarketCandle', {
  time: Type.Integer({ description: 'Unix seconds of its begin' }),
  time_unix: Type.Integer({ description: 'the same' }),
  time_ms: Type.Integer({ description: 'the same in milliseconds' }),
  open: Price,
  high: Price,
  low: Price,
  close: Price,
  volume: Usd,
  volume_usd: Usd,
  volume_shares: Type.Number({ description: 'shares' }),
  volume_buy: Type.Number({ description: 'dollars where the order that took bought' }),
  volume_sell: Type.Number({ description: 'dollars where the order that took sold' }),
  trades: Type.Integer({ minimum: 0, description: 'matches' }),
  vwap: Type.Number({ description: 'dollars for a share on average, by volume, 6 decimals' }),
  first_trade_ts: ofTrade('Unix seconds; null without a trade'),
  last_trade_ts: ofTrade('Unix seconds; null without a trade'),
  first_block: ofTrade('of the first trade'),
  last_block: ofTrade('of the last trade'),
  first_log_index: ofTrade('of the first trade'),
  last_log_index: ofTrade('of the last trade'),
  gap_filled: Type.Boolean({ description: 'there was no trade; the price is the one before' }),
})

const sides = {
  older_end_ts: nullable(Type.Integer(), '`end` of the window before; null: there cannot be one'),
  newer_start_ts: Type.Integer({ description: '`start` of the window behind' }),
  has_older: Type.Boolean(),
  has_newer: Type.Boolean(),
}

const WindowReply = namedObject('CandleWindow', {
  start_ts: Type.Integer({ description: 'its first second' }),
  end_ts: Type.Integer({ description: 'its last second' }),
  first_bucket: Seconds,
  last_bucket: Seconds,
  duration_seconds: Type.Integer(),
  bucket_count: Type.Integer({ description: 'with and without trades' }),
  resolution_seconds: Type.Integer(),
  ...sides,
})

const PaginationReply = namedObject('CandlePagination', {
  limit: Type.Integer({ description: 'as applied' }),
  max_limit: Type.Integer({ description: 'of the resolution' }),
  direction: namedEnum('CandleDirection', ['before', 'after']),
  order: namedEnum('SortOrder', ['asc', 'desc']),
  has_more: Type.Boolean({ description: 'whether the direction goes on' }),
  ...sides,
})

const series = {
  token_id: Type.String(),
  resolution: namedEnum('CandleResolution', RESOLUTION_NAMES),
  count: Type.Integer({ minimum: 0 }),
  candles: Type.Array(MarketCandle),
  question: nullable(Type.String()),
  slug: nullable(Type.String()),
  outcome: nullable(Type.String()),
  outcome_index: nullable(Type.Integer({ minimum: 0 })),
  image: nullable(Type.String()),
  condition_id: nullable(Type.String()),
  ...StructuredMarket,
  pagination: PaginationReply,
  gap_fill: Type.Boolean(),
}

export const TokenCandlesReply = namedObject('TokenCandles', { ...series, window: WindowReply })

export const CandleSeriesReply = {
  resolution: namedEnum('CandleResolution', RESOLUTION_NAMES),
  series_count: Type.Integer({ minimum: 1 }),
  series: Type.Array(namedObject('OutcomeCandles', series), { description: 'by outcome' }),
  window: WindowReply,
  pagination: PaginationReply,
  gap_fill: Type.Boolean(),
}
