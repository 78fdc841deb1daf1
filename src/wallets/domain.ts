import type { ChainStatus } from '../core/chain-status.js'
import type { Domain } from '../http/domain.js'
import { createSnapshotJob } from '../lookups/snapshot.js'
import type { Platform } from '../platform.js'
import { activityRoutes } from './activity/routes.js'
import { redemptionRoutes } from './redemptions/routes.js'
import { walletRoutes } from './routes.js'
import { CHAIN_TOTALS, refreshChainTotals } from './totals/refresh.js'
import { totalsRoutes } from './totals/routes.js'

/** A scan of one row for each wallet: about a second for three million of them. */
const TOTALS_MS = 5 * 60_000

/** Totals, P&L and activity of wallets. */
export const createWallets = (platform: Platform, { chain }: { chain: ChainStatus }): Domain => ({
  routes: [
    activityRoutes(platform),
    redemptionRoutes(platform),
    totalsRoutes(platform),
    walletRoutes(platform),
  ],
  jobs: [
    createSnapshotJob(platform, chain, {
      name: 'sums over wallets',
      everyMs: TOTALS_MS,
      state: CHAIN_TOTALS,
      refresh: (signal) => refreshChainTotals(platform.sql, signal),
    }),
  ],
})
