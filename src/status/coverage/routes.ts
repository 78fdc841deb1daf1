import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { STANDARD } from '../../accounts/access.js'
import { coverageOf } from '../../chain/coverage.js'
import { selectCoverage, selectState, selectTimeFrom } from '../../chain/queries.js'
import type { Context } from '../../context.js'
import { readTickCoverage } from '../../prices/archive/coverage.js'
import { presentCoverage, presentTicks } from './present.js'
import { CoverageQuery, CoverageReply } from './schemas.js'

/** About a block. */
const CACHE_MS = 1_000

export const coverageRoutes: FastifyPluginAsyncTypebox<{ ctx: Context }> = async (app, { ctx }) => {
  app.get(
    '/v1/coverage',
    {
      config: { access: STANDARD, cacheMs: CACHE_MS, isOfChain: true },
      schema: {
        operationId: 'getCoverage',
        summary: 'Which part of history is here',
        description:
          'Tells for each kind of data from which block and time to which it is complete, and lists every hole in between: an empty answer elsewhere means that nothing happened only where this says that the data is there. Prices of coins are told hour by hour.',
        tags: ['service'],
        querystring: CoverageQuery,
        response: { 200: CoverageReply },
      },
    },
    async ({ query }) => {
      const state = await selectState(ctx.sql)
      const ranges = await selectCoverage(ctx.sql)
      const timeFrom = async (block: number | null) =>
        block === null ? undefined : selectTimeFrom(ctx.sql, block)
      const times = {
        ledgerFrom: await timeFrom(state.ledgerFrom),
        keptFrom: await timeFrom(state.keptFrom),
      }
      const nowMs = ctx.clock.now()
      return {
        ...presentCoverage(state, coverageOf(state, ranges, times), nowMs),
        ticks: presentTicks(await readTickCoverage(ctx.sql, nowMs, query.hours)),
      }
    },
  )
}
