import type { Domain } from '../http/domain.js'
import type { LargeAnswers } from '../http/large-answers.js'
import type { Platform } from '../platform.js'
import { tradeExportRoutes } from './export/routes.js'
import { tradeRoutes } from './routes.js'

/** Fills of orders, as pages and as whole exports. */
export const createTrades = (platform: Platform, deps: { largeAnswers: LargeAnswers }): Domain => ({
  routes: [tradeRoutes(platform), tradeExportRoutes(platform, deps)],
})
