import type { Context } from '../context.js'
import type { DomainWork } from '../jobs/job.js'
import { untilLive } from '../jobs/until-live.js'
import { createCopyMetrics } from './metrics.js'
import { CopyScorer } from './scorer.js'
import { tidyPools } from './turn-queries.js'

const TIDY_MS = 10 * 60_000

export function createCopyWork(ctx: Context): DomainWork {
  const { store, clock, log, copyAlarm: alarm } = ctx
  const metrics = createCopyMetrics(ctx.metrics.registry)
  const scorer = new CopyScorer({ store, clock, log, metrics, alarm })
  return {
    jobs: [
      {
        name: 'copy-pnl scores',
        everyMs: 0,
        runsIn: 'every process',
        needsDatabase: true,
        startsAfter: (signal) => untilLive(ctx, signal),
        run: (signal) => scorer.run(signal),
      },
      {
        name: 'copy-pnl pools',
        everyMs: TIDY_MS,
        runsIn: 'one process',
        needsDatabase: true,
        run: () => tidyPools(ctx.sql, clock.now()),
      },
    ],
  }
}
