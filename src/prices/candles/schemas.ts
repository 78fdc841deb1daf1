import { Type } from 'typebox'
import { SYMBOLS } from '../streams.js'

export const CandlesQuery = Type.Object({
  symbol: Type.String({
    description: `a coin (${SYMBOLS.join(', ')}) or its feed (BTC/USD), in capitals or in small letters`,
  }),
})

export const CandlesReply = Type.Object(
  {
    candles: Type.Array(
      Type.Object({
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
  { description: 'The last 30 candles of five minutes, in US dollars' },
)
