import { type Static, Type } from 'typebox'
import { SYMBOLS } from '../streams.js'
import { DEFAULT_INTERVAL, WINDOW_INTERVALS } from './window.js'

export const PriceQuery = Type.Object({
  symbol: Type.String({
    description: `one of ${SYMBOLS.join(', ')}, in capitals or in small letters`,
  }),
  window: Type.Integer({
    minimum: 0,
    description: 'start of the window in Unix seconds, a multiple of its length',
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

export const PriceReply = Type.Object(
  {
    openPrice: Type.Number({
      description:
        'price at the start of the window, the price to beat; the close of the window before',
    }),
    closePrice: Type.Number({
      description: 'newest price while the window runs, then the price at its end',
    }),
    timestamp: Type.Integer({ description: 'when this was computed, Unix milliseconds' }),
    completed: Type.Boolean({ description: 'the window is over and `closePrice` is final' }),
    incomplete: Type.Boolean({ description: 'the opposite of `completed`' }),
    cached: Type.Boolean({ description: 'served again from the cache' }),
  },
  { description: 'Where the window began and where it stands or ended, in US dollars' },
)
export type PriceReply = Static<typeof PriceReply>
