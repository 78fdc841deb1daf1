import type { Domain } from '../http/domain.js'
import type { Platform } from '../platform.js'
import { deleteExpiredAnswers } from '../store/stored-cache.js'
import { gameContextRoutes } from './context/routes.js'
import { gameRoutes } from './games/routes.js'
import { leagueRoutes } from './leagues/routes.js'
import { sportsMarketTypeRoutes } from './market-types/routes.js'
import { quoteRoutes } from './quotes/routes.js'
import { sportsSearchRoutes } from './search/routes.js'
import { sportsSeriesRoutes } from './series/routes.js'
import type { SportsDeps } from './sources.js'

const HOUR_MS = 3_600_000

const ROUTES = [
  leagueRoutes,
  sportsMarketTypeRoutes,
  sportsSearchRoutes,
  sportsSeriesRoutes,
  quoteRoutes,
  gameRoutes,
  gameContextRoutes,
]

export const createSports = (platform: Platform, deps: SportsDeps): Domain => ({
  routes: ROUTES.map((create) => create(platform, deps)),
  jobs: [
    {
      name: 'upstream copies',
      everyMs: HOUR_MS,
      roles: ['worker'],
      runsIn: 'one process',
      needsDatabase: true,
      run: async () => {
        await deleteExpiredAnswers(platform.sql, platform.clock.now())
      },
    },
  ],
})
