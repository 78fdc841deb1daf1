import type { Context } from '../context.js'
import type { DomainWork } from '../jobs/job.js'
import { untilLive } from '../jobs/until-live.js'
import { createSnapshotJob } from '../lookups/snapshot.js'
import { refreshComboAggregates, refreshComboRanks } from './aggregates.js'

const AGGREGATES_MS = 15_000
const RANKS_MS = 60_000

export function createComboWork(ctx: Context): DomainWork {
  const startsAfter = (signal: AbortSignal) => untilLive(ctx, signal)
  return {
    jobs: [
      createSnapshotJob(ctx, {
        name: 'combo activity',
        everyMs: AGGREGATES_MS,
        startsAfter,
        state: (sql) => sql`select head_block as block, rewind from combo_state`,
        refresh: (signal) => refreshComboAggregates(ctx.sql, signal),
      }),
      createSnapshotJob(ctx, {
        name: 'combo leaderboard',
        everyMs: RANKS_MS,
        startsAfter,
        state: (sql) => sql`select ranked_block as block, ranked_rewind as rewind from combo_state`,
        refresh: () => refreshComboRanks(ctx.sql),
      }),
    ],
  }
}
