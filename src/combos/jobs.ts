import type { Context } from '../context.js'
import type { DomainWork } from '../jobs/job.js'
import { untilLive } from '../jobs/until-live.js'
import { refreshComboAggregates, refreshComboRanks } from './aggregates.js'

const AGGREGATES_MS = 15_000
const RANKS_MS = 60_000

export function createComboWork(ctx: Context): DomainWork {
  const common = {
    runsIn: 'one process',
    needsDatabase: true,
    startsAfter: (signal: AbortSignal) => untilLive(ctx, signal),
  } as const
  return {
    jobs: [
      {
        ...common,
        name: 'combo activity',
        everyMs: AGGREGATES_MS,
        run: (signal) => refreshComboAggregates(ctx.sql, signal),
      },
      {
        ...common,
        name: 'combo leaderboard',
        everyMs: RANKS_MS,
        run: () => refreshComboRanks(ctx.sql),
      },
    ],
  }
}
