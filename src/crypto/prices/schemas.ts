import { type Static, Type } from 'typebox'
import { oneOf, UnixMilliseconds, UnixSeconds } from '../../http/parameters.js'
import { namedEnum, namedObject } from '../../lib/named-object.js'
import { nullable } from '../../lib/nullable.js'
import { feedOf, PRICE_KINDS, SYMBOLS, TICK_SOURCES } from '../../prices/streams.js'
import { DEFAULT_INTERVAL, WINDOW_INTERVALS, type WindowInterval } from '../../prices/windows/window.js'

const Coin = oneOf(SYMBOLS, 'the coin, in capitals or in small letters', { format: 'capitals' })

export const TicksQuery = Type.Object({
  symbol: Coin,
  from: UnixMilliseconds('start of the range in Unix milliseconds, included'),
  to: UnixMilliseconds(
    'end of the range in Unix milliseconds, included; after `from`, and at most 24 hours after it',
  ),
  limit: Type.Integer({
    minimum: 1,
    maximum: 100_000,
    default: 10_000,
    description: 'most ticks in the answer; the earliest are kept',
  }),
  source: Type.Optional(namedEnum('TickSource', TICK_SOURCES, 'ticks of this source alone')),
  price_source: Type.Enum([...PRICE_KINDS], {
    title: 'PriceKind',
    type: 'string',
    default: 'spot',
    description:
      'which price: that of the second, its mean over 30 or 60 seconds (5-minute, 15-minute and 4-hour windows settle on the latter), or that of the exchange (hourly windows)',
  }),
})

const mean = {
  is_twap: Type.Optional(Type.Literal(true, { description: 'only on means' })),
  twap_window_seconds: Type.Optional(Type.Integer({ enum: [30, 60], description: 'only on means' })),
}

export const Tick = namedObject('Tick', {
  id: Type.String({
    description:
      '`<ms>-<sequence>`, unique within a feed and price source; the sequence is 0 for `platform_oracle` and 1 for `oracle_data_streams`',
    examples: ['1793000100000-0'],
  }),
  type: Type.Literal('price_feed'),
  feed: Type.String({ examples: ['BTC/USD'] }),
  timestamp: Type.Integer({ description: 'Unix seconds' }),
  timestamp_ms: Type.Integer({ description: 'the same in milliseconds' }),
  source: namedEnum('TickSource', TICK_SOURCES),
  ...mean,
  data: namedObject('TickData', {
    feed: Type.String(),
    price: Type.Number(),
    bid: Type.Number({ description: 'the price itself where the source has no bid' }),
    ask: Type.Number({ description: 'the price itself where the source has no ask' }),
    timestamp: Type.Integer({ description: 'Unix seconds' }),
    ...mean,
  }),
})

export const TicksReply = Type.Object(
  {
    symbol: Type.String({ enum: [...SYMBOLS] }),
    feed: Type.String({ examples: ['BTC/USD'] }),
    from: Type.Integer({ description: 'as asked' }),
    to: Type.Integer({ description: 'as asked' }),
    limit: Type.Integer(),
    count: Type.Integer({ minimum: 0, description: 'ticks in this answer' }),
    truncated: Type.Boolean({
      description: 'the limit was reached: there may be more after the last tick',
    }),
    source: nullable(namedEnum('TickSource', TICK_SOURCES), 'the source asked for; null: all'),
    ticks: Type.Array(Tick, { description: 'oldest first' }),
  },
  { title: 'Ticks', description: 'One price a second and source' },
)

export const CandlesQuery = Type.Object({
  symbol: oneOf(
    [...SYMBOLS, ...SYMBOLS.map(feedOf)],
    'the coin or its feed, in capitals or in small letters',
    { format: 'capitals' },
  ),
})

export const CandlesReply = Type.Object(
  {
    candles: Type.Array(
      namedObject('Candle', {
        time: Type.Integer({ description: 'start of the five minutes, Unix seconds' }),
        open: Type.Number({
          description: 'last price before the candle, the close of the one before',
        }),
        high: Type.Number({ description: 'highest price, the open included' }),
        low: Type.Number({ description: 'lowest price, the open included' }),
        close: Type.Number({ description: 'last price; of the running candle, the last so far' }),
      }),
      { description: 'oldest first; the last one is still running' },
    ),
  },
  { title: 'Candles', description: 'The last 30 candles of five minutes, in US dollars' },
)

export const PriceQuery = Type.Object({
  symbol: Coin,
  window: Type.Integer({
    ...UnixSeconds,
    multipleOf: 300,
    description:
      'start of the window in Unix seconds, not in the future; a multiple of the length of the window',
  }),
  interval: Type.Optional(
    Type.Enum([...WINDOW_INTERVALS], {
      type: 'string',
      default: DEFAULT_INTERVAL,
      description:
        'length of the window; it decides which price counts: 5m, 15m and 4h settle on the mean of 60 seconds, 1h on the price of the exchange',
    }),
  ),
})

/** The site's own names for the lengths of windows. */
export const SITE_VARIANTS = {
  fiveminute: '5m',
  fifteen: '15m',
  fifteenminute: '15m',
  hourly: '1h',
  fourhour: '4h',
} as const satisfies Record<string, WindowInterval>
type SiteVariant = keyof typeof SITE_VARIANTS

const IsoTime = (description: string) =>
  Type.String({
    maxLength: 40,
    pattern: '^20\\d\\d-\\d\\d-\\d\\dT\\d\\d:\\d\\d(:\\d\\d(\\.\\d{1,9})?)?(Z|[+-]\\d\\d:\\d\\d)$',
    description,
    examples: ['2026-11-15T12:00:00Z'],
  })

export const SitePriceQuery = Type.Object({
  symbol: Coin,
  eventStartTime: IsoTime('when the window begins, ISO 8601; on its grid, and not in the future'),
  variant: oneOf(Object.keys(SITE_VARIANTS) as SiteVariant[], 'the length of the window', {
    title: 'SiteVariant',
    default: 'fiveminute',
  }),
  endDate: Type.Optional(IsoTime('when it ends, ISO 8601: `variant` says it already')),
})
export type SitePriceQuery = Static<typeof SitePriceQuery>

export const PriceReply = Type.Object(
  {
    openPrice: Type.Number({
      description: 'price at the start of the window, the price to beat; the close of the window before',
    }),
    closePrice: Type.Number({
      description: 'newest price while the window runs, then the price at its end',
    }),
    timestamp: Type.Integer({ description: 'when this was computed, Unix milliseconds' }),
    completed: Type.Boolean({ description: 'the window is over and `closePrice` is final' }),
    incomplete: Type.Boolean({ description: 'the opposite of `completed`' }),
    cached: Type.Boolean({ description: 'served again from the cache' }),
  },
  {
    title: 'WindowPrice',
    description: 'Where the window began and where it stands or ended, in US dollars',
  },
)
export type PriceReply = Static<typeof PriceReply>
