import type { ChainStatus } from '../core/chain-status.js'
import type { Domain } from '../http/domain.js'
import { untilLive } from '../jobs/until-live.js'
import { Alarm } from '../lib/alarm.js'
import type { Platform } from '../platform.js'
import { tidyPools } from './queue-queries.js'
import { copyPnlRoutes } from './routes.js'
import { CopyScorer, createCopyMetrics } from './scorer.js'

const TIDY_MS = 10 * 60_000

export function createCopyPnl(platform: Platform, deps: { chain: ChainStatus }): Domain {
  const { store, clock, log } = platform
  const metrics = createCopyMetrics(platform.metrics)
  const alarm = new Alarm()
  const scorer = new CopyScorer({ store, clock, log, metrics, alarm })
  return {
    routes: [copyPnlRoutes(platform, { alarm })],
    jobs: [
      {
        name: 'copy-pnl scores',
        everyMs: 0,
        roles: ['worker'],
        runsIn: 'every process',
        needsDatabase: true,
        startsAfter: (signal) => untilLive(deps, signal),
        run: (signal) => scorer.run(signal),
      },
      {
        name: 'copy-pnl pools',
        everyMs: TIDY_MS,
        roles: ['worker'],
        runsIn: 'one process',
        needsDatabase: true,
        run: () => tidyPools(platform.sql, clock.now()),
      },
    ],
  }
}
