import type { Domain } from '../http/domain.js'
import type { Platform } from '../platform.js'
import { closedPositionRoutes } from './closed/routes.js'
import { onchainPositionRoutes } from './onchain/routes.js'
import { type PlatformPositionDeps, platformPositionRoutes } from './platform/routes.js'
import { positionRoutes } from './routes.js'

/** What wallets hold, and held. */
export const createPositions = (platform: Platform, deps: PlatformPositionDeps): Domain => ({
  routes: [
    positionRoutes(platform),
    onchainPositionRoutes(platform),
    closedPositionRoutes(platform),
    platformPositionRoutes(platform, deps),
  ],
})
