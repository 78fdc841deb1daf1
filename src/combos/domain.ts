import type { ChainStatus } from '../core/chain-status.js'
import type { Domain } from '../http/domain.js'
import { untilLive } from '../jobs/until-live.js'
import { createSnapshotJob } from '../lookups/snapshot.js'
import type { Platform } from '../platform.js'
import { refreshComboAggregates, refreshComboRanks } from './aggregates.js'
import { comboRoutes } from './routes.js'

const AGGREGATES_MS = 15_000
const RANKS_MS = 60_000

export function createCombos(platform: Platform, { chain }: { chain: ChainStatus }): Domain {
  const startsAfter = (signal: AbortSignal) => untilLive({ chain }, signal)
  return {
    routes: [comboRoutes(platform)],
    jobs: [
      createSnapshotJob(platform, chain, {
        name: 'combo activity',
        everyMs: AGGREGATES_MS,
        startsAfter,
        state: (sql) => sql`select head_block as block, rewind from combo_state`,
        refresh: (signal) => refreshComboAggregates(platform.sql, signal),
      }),
      createSnapshotJob(platform, chain, {
        name: 'combo leaderboard',
        everyMs: RANKS_MS,
        startsAfter,
        state: (sql) => sql`select ranked_block as block, ranked_rewind as rewind from combo_state`,
        refresh: () => refreshComboRanks(platform.sql),
      }),
    ],
  }
}
