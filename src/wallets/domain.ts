import type { Domain } from '../http/domain.js'
import type { Platform } from '../platform.js'
import { activityRoutes } from './activity/routes.js'
import { redemptionRoutes } from './redemptions/routes.js'
import { walletRoutes } from './routes.js'

/** Totals, P&L and activity of wallets. */
export const createWallets = (platform: Platform): Domain => ({
  routes: [activityRoutes(platform), redemptionRoutes(platform), walletRoutes(platform)],
})
