import { Type } from 'typebox'
import type { MessageFamily } from './block-facts.js'
import { closed, described, optional, Wire } from './message.js'

/** Feed, Unix seconds and which mean the price is: repeated above the data. */
const HEAD = {
  feed: Type.String({ pattern: '^[A-Z]+/USD$' }),
  timestamp: Type.Integer({ maximum: 10_000_000_000, description: 'Unix seconds' }),
  ...optional({
    is_twap: Type.Literal(true, { description: 'absent on spot prices' }),
    twap_window_seconds: Type.Union([Type.Literal(30), Type.Literal(60)]),
  }),
}

/** Published by `prices/collect`, for the first price of each second, coin and kind of price. */
export const priceFeedFamily = {
  messages: [
    {
      type: 'price_feed',
      summary: 'The price of a coin, once a second: spot, or a mean over 30 or 60 seconds.',
      examples: {
        'The price of a second': { is_twap: undefined },
        'The mean of thirty seconds': { twap_window_seconds: 30 },
      },
      meter: 'ws_market',
      schema: closed({
        type: Type.Literal('price_feed'),
        ...HEAD,
        seq: Wire.Seq,
        data: closed({
          ...HEAD,
          price: Wire.Amount,
          bid: described(Wire.Amount, 'the price itself where the source has no bid'),
          ask: described(Wire.Amount, 'the price itself where the source has no ask'),
          source: described(Wire.Text, 'as on ticks: `platform_oracle`, `oracle_data_streams`'),
        }),
      }),
    },
  ],
} as const satisfies MessageFamily
