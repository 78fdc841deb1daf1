import type { ChainStatus } from '../core/chain-status.js'
import type { Domain } from '../http/domain.js'
import { createSnapshotJob } from '../lookups/snapshot.js'
import type { Platform } from '../platform.js'
import type { Upstreams } from '../upstreams/upstreams.js'
import { activityRoutes } from './activity/routes.js'
import { redemptionRoutes } from './redemptions/routes.js'
import { walletRoutes } from './routes.js'
import { CHAIN_TOTALS, refreshChainTotals } from './totals/refresh.js'
import { totalsRoutes } from './totals/routes.js'
import { TraderProfiles } from './trader/profiles.js'
import { traderRoutes } from './trader/routes.js'

/** A scan of one row for each wallet: about a second for three million of them. */
const TOTALS_MS = 5 * 60_000

type WalletDeps = { chain: ChainStatus; upstreams: Upstreams }

/** Totals, P&L and activity of wallets. */
export const createWallets = (platform: Platform, { chain, upstreams }: WalletDeps): Domain => ({
  routes: [
    activityRoutes(platform),
    redemptionRoutes(platform),
    totalsRoutes(platform),
    traderRoutes(platform, {
      profiles: new TraderProfiles({ gamma: upstreams.gamma, clock: platform.clock }),
    }),
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
