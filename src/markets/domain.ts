import type { ChainStatus } from '../core/chain-status.js'
import type { Domain } from '../http/domain.js'
import { createSnapshotJob } from '../lookups/snapshot.js'
import type { Platform } from '../platform.js'
import type { Upstreams } from '../upstreams/upstreams.js'
import { marketCandleRoutes } from './candles/routes.js'
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

const TAG_CHECK_MS = 15_000

const ROUTES = [
  marketListRoutes,
  marketSearchRoutes,
  quickSearchRoutes,
  catalogueRoutes,
  tagRoutes,
  marketCandleRoutes,
  statsRoutes,
]

type MarketDeps = { chain: ChainStatus; upstreams: Upstreams }

export function createMarkets(platform: Platform, { chain, upstreams }: MarketDeps): Domain {
  const { store, clock } = platform
  return {
    routes: [...ROUTES.map((create) => create(platform)), marketRulesRoutes(platform, upstreams)],
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
