import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { STANDARD } from '../accounts/access.js'
import type { Context } from '../context.js'
import { coverageOf } from './coverage.js'
import { presentCoverage } from './present.js'
import { selectCoverage, selectState, selectTimeFrom } from './queries.js'
import { CoverageReply } from './schemas.js'

/** About a block. */
const CACHE_MS = 1_000

export const chainRoutes: FastifyPluginAsyncTypebox<{ ctx: Context }> = async (app, { ctx }) => {
  app.get(
    '/v1/coverage',
    {
      config: { access: STANDARD, cacheMs: CACHE_MS, isOfChain: true },
      schema: {
        operationId: 'getCoverage',
        summary: 'Which part of history is here',
        description:
          'Tells for each kind of data from which block and time to which it is complete, and lists every hole in between: an empty answer elsewhere means that nothing happened only where this says that the data is there.',
        tags: ['service'],
        response: { 200: CoverageReply },
      },
    },
    async () => {
      const state = await selectState(ctx.sql)
      const ranges = await selectCoverage(ctx.sql)
      const timeFrom = async (block: number | null) =>
        block === null ? undefined : selectTimeFrom(ctx.sql, block)
      const times = {
        ledgerFrom: await timeFrom(state.ledgerFrom),
        keptFrom: await timeFrom(state.keptFrom),
      }
      return presentCoverage(state, coverageOf(state, ranges, times), ctx.clock.now())
    },
  )
}
