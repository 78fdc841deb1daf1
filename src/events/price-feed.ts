import { Type } from 'typebox'
import type { MessageFamily } from './block-facts.js'
import { closed, optional, Wire } from './message.js'

/** Feed, Unix seconds and which mean the price is: repeated above the data. */
const HEAD = {
  feed: Type.String({ pattern: '^[A-Z]+/USD$' }),
  timestamp: Type.Integer({ maximum: 10_000_000_000 }),
  ...optional({ is_twap: Type.Literal(true), twap_window_seconds: Type.Integer({ minimum: 1 }) }),
}

/** Published by `prices/collect`, for the first price of each second, coin and kind of price. */
export const priceFeedFamily = {
  messages: [
    {
      type: 'price_feed',
      schema: closed({
        type: Type.Literal('price_feed'),
        ...HEAD,
        seq: Wire.Seq,
        data: closed({ ...HEAD, price: Wire.Amount, bid: Wire.Amount, ask: Wire.Amount }),
      }),
    },
  ],
} as const satisfies MessageFamily
