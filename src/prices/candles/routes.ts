import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { STANDARD } from '../../accounts/access.js'
import type { Context } from '../../context.js'
import { readFeed } from '../symbol.js'
import { CANDLE_SEC } from './candle.js'
import { readCandles } from './read-candles.js'
import { CandlesQuery, CandlesReply } from './schemas.js'

const CACHE_MS = 5_000

export const candleRoutes: FastifyPluginAsyncTypebox<{ ctx: Context }> = async (app, { ctx }) => {
  app.get(
    '/v1/crypto/candles',
    {
      config: { access: STANDARD, cacheMs: CACHE_MS, cacheGridMs: CANDLE_SEC * 1000 },
      schema: {
        operationId: 'listCandles',
        summary: 'Five-minute candles of a coin',
        description:
          "The last two and a half hours, up to the running candle, made of the oracle's price of every second. " +
          'A second that has no price from the oracle itself takes the one that the platform relays. ' +
          'Five minutes without any price are flat at the close before them. ' +
          'There are fewer than 30 candles while the history of the coin is shorter, and none before it begins.',
        tags: ['crypto'],
        querystring: CandlesQuery,
        response: { 200: CandlesReply },
      },
    },
    async ({ query }) => ({
      candles: await readCandles(ctx.sql, readFeed(query.symbol), ctx.clock.now()),
    }),
  )
}
