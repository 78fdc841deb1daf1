import type { CatalogueDeps } from '../catalogue/deps.js'
import type { Domain } from '../http/domain.js'
import type { LargeAnswers } from '../http/large-answers.js'
import type { Platform } from '../platform.js'
import type { Upstreams } from '../upstreams/upstreams.js'
import { refreshEvents, refreshWindows } from './markets/refresh.js'
import { cryptoMarketRoutes } from './markets/routes.js'
import { candleRoutes, tickRoutes, windowRoutes } from './prices/routes.js'

type CryptoDeps = { catalogue: CatalogueDeps; largeAnswers: LargeAnswers; upstreams: Upstreams }

/** Short-form markets of coins, and the prices that decide them. */
export function createCrypto(platform: Platform, { catalogue, largeAnswers, upstreams }: CryptoDeps): Domain {
  const windows = (signal: AbortSignal) => refreshWindows(catalogue, signal)
  const events = (signal: AbortSignal) => refreshEvents(catalogue, signal)
  const common = { roles: ['worker'], runsIn: 'one process', needsDatabase: true } as const
  return {
    routes: [
      cryptoMarketRoutes(platform),
      tickRoutes(platform, largeAnswers),
      candleRoutes(platform),
      windowRoutes(platform, upstreams.sitePrice),
    ],
    jobs: [
      { ...common, name: 'window refresh', everyMs: 15_000, run: windows },
      { ...common, name: 'crypto refresh', everyMs: 60_000, run: events },
    ],
  }
}
