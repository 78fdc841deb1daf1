import { Type } from 'typebox'
import { oneOf, UnixMilliseconds } from '../../http/parameters.js'
import { DecimalText, MillisecondTime } from '../../http/row-fields.js'
import { namedObject } from '../../lib/named-object.js'
import { nullable } from '../../lib/nullable.js'
import { LevelReply } from '../schemas.js'

/** Levels of a side in a row: no book of the platform's prices has more, but those with the finest steps. */
export const ROW_LEVELS_MAX = 1_000

/** A step of a series, in milliseconds. */
export const BOOK_INTERVALS = {
  '1s': 1_000,
  '5s': 5_000,
  '15s': 15_000,
  '1m': 60_000,
  '5m': 300_000,
  '15m': 900_000,
  '1h': 3_600_000,
  '1d': 86_400_000,
} as const

export type BookInterval = keyof typeof BOOK_INTERVALS

export const AtParameter = {
  at: Type.Optional(
    UnixMilliseconds('the moment, in Unix milliseconds; without it the newest that is recorded'),
  ),
}

export const SeriesParameters = {
  from: Type.Optional(UnixMilliseconds('begin, in Unix milliseconds; an hour before `to` without it')),
  to: Type.Optional(UnixMilliseconds('end, in Unix milliseconds, included; now without it')),
  interval: oneOf(Object.keys(BOOK_INTERVALS) as BookInterval[], 'the step, at multiples in Unix time', {
    title: 'BookInterval',
    default: '1m',
  }),
}

export const LevelsParameter = {
  levels: Type.Integer({
    minimum: 0,
    maximum: ROW_LEVELS_MAX,
    default: 10,
    description: `best levels of each side; 0: as many as there are, up to ${ROW_LEVELS_MAX}`,
  }),
}

export const WithinParameter = {
  within: Type.String({
    title: 'PriceDistance',
    pattern: '^(0(\\.[0-9]{1,6})?|1(\\.0{1,6})?)$',
    default: '0.05',
    description: 'how far from the middle an offer counts: dollars up to 1, with at most 6 decimals',
    examples: ['0.05'],
  }),
}

const Span = namedObject('RecordedSpan', {
  token_id: Type.String(),
  from: MillisecondTime('Unix milliseconds of the first recorded book'),
  to: MillisecondTime('Unix milliseconds up to which every change is recorded, not included'),
})

export const RECORDED = {
  recorded: Type.Array(Span, {
    description: 'what is recorded between `from` and `to`, the first 100 spans; between them are gaps',
  }),
}

const TOKEN = { token_id: Type.String(), outcome: nullable(Type.String()) }

const ExchangeTime = MillisecondTime("the exchange's time of the last change, Unix milliseconds")

const SIDES = {
  bids: Type.Array(LevelReply, { description: 'offers to buy, the best one first' }),
  asks: Type.Array(LevelReply, { description: 'offers to sell, the best one first' }),
}

const PRICES = {
  best_bid: nullable(DecimalText('dollars'), 'null: nobody offers to buy'),
  best_ask: nullable(DecimalText('dollars'), 'null: nobody offers to sell'),
  mid: nullable(DecimalText('dollars'), 'null where a side is empty'),
  spread: nullable(DecimalText('dollars'), 'null where a side is empty'),
}

const WHOLE = {
  ...TOKEN,
  exchange_at: ExchangeTime,
  hash: nullable(
    Type.String(),
    "the exchange's name of this version; null where it was put together from changes",
  ),
  tick_size: nullable(DecimalText(), 'null: the exchange did not say'),
  last_trade_price: nullable(DecimalText(), 'null: it had not traded'),
  ...PRICES,
  ...SIDES,
}

const AT = { at: MillisecondTime('the moment, Unix milliseconds') }

export const TokenBookReply = namedObject('RecordedBook', { ...AT, ...WHOLE })

export const OutcomeBooksReply = namedObject('RecordedBooks', {
  ...AT,
  books: Type.Array(namedObject('RecordedOutcomeBook', WHOLE), {
    description: 'by outcome; those that were recorded at that moment',
  }),
})

const ROW = {
  time: MillisecondTime('Unix milliseconds'),
  ...TOKEN,
  is_recorded: Type.Boolean({ description: 'false: the moment lies in a gap, and there are no values' }),
}

export const BookHistoryRow = namedObject('BookHistoryRow', {
  ...ROW,
  exchange_at: nullable(ExchangeTime, 'null in a gap'),
  ...PRICES,
  bids: nullable(SIDES.bids, 'null in a gap'),
  asks: nullable(SIDES.asks, 'null in a gap'),
})

const Depth = (description: string) => nullable(DecimalText(description), 'null in a gap')

export const BookDepthRow = namedObject('BookDepthRow', {
  ...ROW,
  ...PRICES,
  bid_shares: Depth('shares that are bid for within reach of the middle'),
  ask_shares: Depth('shares that are offered within reach of the middle'),
  bid_usd: Depth('what those bids would pay, in dollars'),
  ask_usd: Depth('what those offers would cost, in dollars'),
  imbalance: nullable(
    Type.Number({ minimum: -1, maximum: 1 }),
    '(bid_shares - ask_shares) / (bid_shares + ask_shares): 1 is all bids; null in a gap and without offers',
  ),
})
