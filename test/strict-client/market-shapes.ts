import {
  bool,
  decimal,
  digits,
  int,
  list,
  nullable,
  number,
  object,
  oneOf,
  optional,
  type Shape,
  text,
} from './shape.js'

/** What a published client validates of each answer about markets, by path. Others of its fields may be null. */

const ROW = object({
  token_id: nullable(digits),
  question: nullable(text),
  slug: nullable(text),
  last_price: nullable(number),
  volume_24h: number,
  trade_count_24h: int,
  outcomes: list(text),
  last_trade_at: number,
  last_status: oneOf('pending', 'confirmed'),
})

const EVENT = object({
  id: text,
  slug: text,
  title: text,
  volume: number,
  startDate: text,
  active: bool,
  closed: bool,
  ...optional({ image: text, volume24hr: number, liquidity: number }),
})

const MOVER = object({
  id: text,
  slug: text,
  question: text,
  outcomePrices: list(decimal),
  oneDayPriceChange: number,
  ...optional({ image: text }),
})

const MARKETS = object({ count: int, total: int, markets: list(ROW) })
const PAGE = object({
  count: int,
  cursor: nullable(int),
  next_cursor: nullable(int),
  total: int,
  markets: list(ROW),
})
const MOVERS = object({ markets: list(MOVER), count: int })
const TRENDING = object({
  carousel: list(EVENT),
  featured: list(EVENT),
  breaking: list(MOVER),
  movers: list(MOVER),
  hotTopics: list(object({ title: text, volume: number, url: text })),
})

export const MARKET_SHAPES = {
  '/v1/markets': MARKETS,
  '/v1/markets/list': PAGE,
  '/v1/markets/{token_id}': ROW,
  '/v1/markets/slug/{slug}': ROW,
  '/v1/markets/condition/{id}': ROW,
  '/v1/search': object({ query: text, count: int, results: list(ROW) }),
  '/v1/candles/{token_id}': object({
    token_id: text,
    count: int,
    candles: list(
      object({ timestamp: number, open: number, high: number, low: number, close: number, volume: number }),
    ),
  }),
  '/v1/stats/{token_id}': object({ token_id: text, volume_24h: number }),
  '/v1/trending': TRENDING,
  '/v1/movers': MOVERS,
  '/v1/event/{slug}': object({
    id: int,
    slug: text,
    title: text,
    description: text,
    active: bool,
    closed: bool,
    volume: number,
    volume24hr: number,
    liquidity: number,
    startDate: text,
    endDate: text,
    similarMarkets: int,
    annotations: int,
    markets: list(
      object({
        question: text,
        conditionId: text,
        outcomes: list(text),
        outcomePrices: list(decimal),
        volume: number,
        liquidity: number,
        active: bool,
        closed: bool,
      }),
    ),
  }),
  '/v1/events/search': object({
    query: text,
    count: int,
    events: list(
      object({
        id: text,
        slug: text,
        title: text,
        active: bool,
        markets: list(object({ question: text, groupItemTitle: text, active: bool })),
      }),
    ),
  }),
  '/v2/movers': MOVERS,
  '/v2/trending': TRENDING,
  '/v2/markets/{category}': PAGE,
  '/proxy/gamma/events': list(
    object({
      slug: text,
      title: text,
      endDate: text,
      markets: list(
        object({
          conditionId: text,
          outcomes: text,
          outcomePrices: text,
          clobTokenIds: text,
          liquidity: number,
          volume24hr: number,
          feesEnabled: bool,
          takerBaseFee: int,
          version: oneOf('v1', 'v2'),
          ...optional({ positionIds: text }),
        }),
      ),
    }),
  ),
  '/proxy/polymarket/api/crypto/crypto-price': object({ openPrice: number }),
} satisfies Record<string, Shape>
