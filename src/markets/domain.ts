import type { ChainStatus } from '../core/chain-status.js'
import type { Domain } from '../http/domain.js'
import type { StaleFallbackCache } from '../lib/stale-fallback-cache.js'
import { createSnapshotJob } from '../lookups/snapshot.js'
import type { Platform } from '../platform.js'
import type { Upstreams } from '../upstreams/upstreams.js'
import { marketCandleRoutes } from './candles/routes.js'
import { eventRoutes } from './event/routes.js'
import { eventProxyRoutes } from './proxy/routes.js'
import { quickSearchRoutes } from './quick-search/routes.js'
import { catalogueRoutes, marketListRoutes } from './routes.js'
import { marketRulesRoutes } from './rules/routes.js'
import { marketSearchRoutes } from './search/routes.js'
import { STATS_PERIOD_NAMES, STATS_PERIODS } from './stats/period.js'
import { stateOf } from './stats/queries.js'
import { statsRoutes } from './stats/routes.js'
import { refreshSnapshot } from './stats/snapshot.js'
import { createTagCounter } from './tags/count-tags.js'
import { tagRoutes } from './tags/routes.js'
import { trendingRoutes } from './trending/routes.js'
import { v1MarketRoutes } from './v1/routes.js'

const TAG_CHECK_MS = 15_000

const ROUTES = [
  marketListRoutes,
  marketSearchRoutes,
  quickSearchRoutes,
  catalogueRoutes,
  tagRoutes,
  marketCandleRoutes,
  statsRoutes,
  v1MarketRoutes,
  trendingRoutes,
]

type MarketDeps = { chain: ChainStatus; upstreams: Upstreams; fallbackCache: StaleFallbackCache }

export function createMarkets(platform: Platform, { chain, upstreams, fallbackCache }: MarketDeps): Domain {
  const { store, clock } = platform
  const { gamma } = upstreams
  return {
    routes: [
      ...ROUTES.map((create) => create(platform)),
      marketRulesRoutes(platform, upstreams),
      eventRoutes(platform, { gamma, fallbackCache }),
      eventProxyRoutes({ gamma, fallbackCache }),
    ],
    jobs: [
      {
        name: 'tag counts',
        everyMs: TAG_CHECK_MS,
        roles: ['worker'],
        runsIn: 'one process',
        needsDatabase: true,
        run: createTagCounter(store, clock),
      },
      ...STATS_PERIOD_NAMES.map((period) =>
        createSnapshotJob(platform, chain, {
          name: `market statistics ${period}`,
          everyMs: STATS_PERIODS[period].refreshMs,
          state: stateOf(period),
          refresh: (signal) => refreshSnapshot(platform.sql, period, clock.now(), signal),
        }),
      ),
    ],
  }
}
