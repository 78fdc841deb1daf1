import { type TProperties, Type } from 'typebox'

/** The answers of /v1/crypto as the specification has them: these fields, and no others. */
const closed = (fields: TProperties) => Type.Object(fields, { additionalProperties: false })
const list = (fields: TProperties) => Type.Array(closed(fields))

const Text = Type.String({ minLength: 1 })
const Moment = Type.String({
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,6})?Z$',
})
const Seconds = Type.Integer({ minimum: 1_600_000_000, maximum: 9_999_999_999 })
const Milliseconds = Type.Integer({ minimum: 1_600_000_000_000 })
const Positive = Type.Number({ exclusiveMinimum: 0 })
const Amount = Type.Number({ minimum: 0 })
const Odds = Type.Array(Type.Number({ minimum: 0, maximum: 1 }))
const Hash = Type.String({ pattern: '^0x[0-9a-f]{64}$' })
const Source = Type.String({ enum: ['oracle_data_streams', 'platform_oracle'] })
const Symbol7 = Type.String({ enum: ['BTC', 'ETH', 'SOL', 'BNB', 'XRP', 'DOGE', 'HYPE'] })
const Feed = Type.String({ pattern: '^(BTC|ETH|SOL|BNB|XRP|DOGE|HYPE)/USD$' })

export const TICKS = closed({
  symbol: Symbol7,
  feed: Feed,
  from: Milliseconds,
  to: Milliseconds,
  limit: Type.Integer({ minimum: 1, maximum: 100_000 }),
  count: Type.Integer({ minimum: 0 }),
  truncated: Type.Boolean(),
  source: Type.Union([Source, Type.Null()]),
  ticks: list({
    id: Type.String({ pattern: '^\\d{13}-\\d+$' }),
    type: Type.Literal('price_feed'),
    feed: Feed,
    timestamp: Seconds,
    timestamp_ms: Milliseconds,
    source: Source,
    data: closed({ feed: Feed, price: Positive, bid: Positive, ask: Positive, timestamp: Seconds }),
  }),
})

export const CANDLES = closed({
  candles: list({ time: Seconds, open: Positive, high: Positive, low: Positive, close: Positive }),
})

export const PRICE = closed({
  openPrice: Positive,
  closePrice: Positive,
  timestamp: Milliseconds,
  completed: Type.Boolean(),
  incomplete: Type.Boolean(),
  cached: Type.Boolean(),
})

export const ACTIVE = closed({
  markets: list({
    id: Text,
    slug: Type.String({ pattern: '^(btc|eth|sol|bnb|xrp|doge|hype)-updown-5m-\\d{10}$' }),
    title: Text,
    active: Type.Boolean(),
    closed: Type.Boolean(),
    startDate: Moment,
    endDate: Moment,
    markets: list({
      question: Text,
      conditionId: Hash,
      outcomes: Type.Literal('["Up", "Down"]'),
      outcomePrices: Odds,
      tokenId: Type.String({ pattern: '^\\d+$' }),
      active: Type.Boolean(),
      closed: Type.Boolean(),
    }),
  }),
  count: Type.Literal(7),
  windowStart: Type.Integer({ multipleOf: 300 }),
})

export const MARKETS = closed({
  events: list({
    id: Text,
    slug: Text,
    title: Text,
    startDate: Moment,
    endDate: Moment,
    active: Type.Boolean(),
    volume: Amount,
    volume24hr: Amount,
    liquidity: Amount,
    openInterest: Amount,
    seriesSlug: Type.String(),
    markets: list({
      id: Text,
      question: Text,
      conditionId: Hash,
      outcomes: Type.Array(Text, { minItems: 2 }),
      outcomePrices: Odds,
      volume: Amount,
      liquidity: Amount,
      active: Type.Boolean(),
      closed: Type.Boolean(),
      groupItemTitle: Type.String(),
    }),
  }),
})

export const SERIES = closed({
  series: list({
    id: Text,
    slug: Text,
    title: Text,
    recurrence: Type.String({ enum: ['5m', '15m', '1h', '4h', 'daily', 'weekly', 'monthly'] }),
    active: Type.Boolean(),
    eventCount: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]),
  }),
  count: Type.Integer({ minimum: 1 }),
})
