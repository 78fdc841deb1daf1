import type { ChainStatus } from '../core/chain-status.js'
import type { Domain } from '../http/domain.js'
import { BOARD_STATES } from '../lookups/board.js'
import { createSnapshotJob } from '../lookups/snapshot.js'
import type { Platform } from '../platform.js'
import { refreshComboAggregates, refreshComboRanks } from './aggregates.js'
import { COMBO_DAYS, refreshComboDays } from './daily/refresh.js'
import { comboDayRoutes } from './daily/routes.js'
import { COMBO_ACTIVITY } from './queries.js'
import { comboRedemptionRoutes } from './redemptions/routes.js'
import { comboRoutes } from './routes.js'

const AGGREGATES_MS = 15_000
const RANKS_MS = 60_000
const DAYS_MS = 60_000

export function createCombos(platform: Platform, { chain }: { chain: ChainStatus }): Domain {
  return {
    routes: [comboRoutes(platform), comboRedemptionRoutes(platform), comboDayRoutes(platform)],
    jobs: [
      createSnapshotJob(platform, chain, {
        name: 'combo activity',
        everyMs: AGGREGATES_MS,
        state: COMBO_ACTIVITY,
        refresh: (signal) => refreshComboAggregates(platform.sql, signal),
      }),
      createSnapshotJob(platform, chain, {
        name: 'combo days',
        everyMs: DAYS_MS,
        state: COMBO_DAYS,
        refresh: (signal) => refreshComboDays(platform.sql, signal),
      }),
      createSnapshotJob(platform, chain, {
        name: 'combo leaderboard',
        everyMs: RANKS_MS,
        state: BOARD_STATES.combos,
        refresh: () => refreshComboRanks(platform.sql),
      }),
    ],
  }
}
