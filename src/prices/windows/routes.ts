import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { STANDARD } from '../../accounts/access.js'
import type { Context } from '../../context.js'
import { errorReply } from '../../lib/error-reply.js'
import { readPrices } from './price-window.js'
import { PriceQuery, PriceReply } from './schemas.js'
import { SitePrices } from './site-prices.js'
import { cacheMsOf, readWindow } from './window.js'

/** Every window begins and ends on this grid, and no answer from before a boundary is served after it. */
const GRID_MS = 300_000

const DESCRIPTION = `The price at which an up-or-down window began and the one at which it stands or ended, from our own
archive of prices, else from the site. Windows of 5 minutes settle on the oracle's mean of 60 seconds
(from 7 to 14 August 2026 of 30 seconds), those of 15 minutes and 4 hours on the mean of 60 seconds,
those of 1 hour on the price of the exchange. Before 7 August 2026 all but the hourly ones settled on
the oracle's price of the moment, which also stands in where the archive has nothing better. A boundary
has the last price that is not after it and at most 60 seconds old, so that the \`closePrice\` of a window is
the \`openPrice\` of the next.`

export const windowRoutes: FastifyPluginAsyncTypebox<{ ctx: Context }> = async (app, { ctx }) => {
  const site = new SitePrices(ctx.upstreams.sitePrice, ctx.clock)
  app.get(
    '/v1/crypto/price',
    {
      config: {
        access: STANDARD,
        cacheMs: cacheMsOf,
        cacheGridMs: GRID_MS,
        toRepeated: (price: PriceReply) => ({ ...price, cached: true }),
      },
      schema: {
        operationId: 'getWindowPrice',
        summary: 'Open and close of an up-or-down window',
        description: DESCRIPTION,
        tags: ['crypto'],
        querystring: PriceQuery,
        response: {
          200: PriceReply,
          404: errorReply('Nobody knows at which price this window began'),
        },
      },
    },
    async ({ query }) => {
      const nowMs = ctx.clock.now()
      const window = readWindow(query, nowMs)
      const { openPrice, closePrice, isCompleted } = await readPrices(
        { sql: ctx.sql, site },
        window,
        nowMs,
      )
      return {
        openPrice,
        closePrice,
        timestamp: nowMs,
        completed: isCompleted,
        incomplete: !isCompleted,
        cached: false,
      }
    },
  )
}
