import type { Context } from '../../context.js'
import type { DomainWork } from '../../jobs/job.js'
import { untilLive } from '../../jobs/until-live.js'
import { createSnapshotJob } from '../../lookups/snapshot.js'
import { STATS_PERIOD_NAMES, STATS_PERIODS } from './period.js'
import { refreshSnapshot } from './snapshot.js'

export function createStatsWork(ctx: Context): DomainWork {
  return {
    jobs: STATS_PERIOD_NAMES.map((period) =>
      createSnapshotJob(ctx, {
        name: `market statistics ${period}`,
        everyMs: STATS_PERIODS[period].refreshMs,
        startsAfter: (signal) => untilLive(ctx, signal),
        state: (sql) => sql`select block, rewind from stats_snapshots where period = ${period}`,
        refresh: (signal) => refreshSnapshot(ctx.sql, period, ctx.clock.now(), signal),
      }),
    ),
  }
}
