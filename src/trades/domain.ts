import type { Domain } from '../http/domain.js'
import type { LargeAnswers } from '../http/large-answers.js'
import type { Platform } from '../platform.js'
import { tradeExportRoutes } from './export/routes.js'
import { feeRoutes } from './fees/routes.js'
import { platformTradeRoutes } from './platform/routes.js'
import { tradeRoutes } from './routes.js'
import { settlementRoutes } from './settlements/routes.js'

/** Fills of orders, as pages and as whole exports, and the fees of them. */
export const createTrades = (platform: Platform, deps: { largeAnswers: LargeAnswers }): Domain => ({
  routes: [
    tradeRoutes(platform),
    feeRoutes(platform),
    platformTradeRoutes(platform),
    settlementRoutes(platform),
    tradeExportRoutes(platform, deps),
  ],
})
