import { ROLES } from '../config/roles.js'
import type { ChainStatus } from '../core/chain-status.js'
import type { Domain } from '../http/domain.js'
import { untilLive } from '../jobs/until-live.js'
import type { Platform } from '../platform.js'
import type { Upstreams } from '../upstreams/upstreams.js'
import { Catalogue } from './catalogue.js'
import { CatalogueSync, registerCatalogueGauges } from './catalogue-sync.js'
import { type CatalogueDeps, createCatalogueMetrics } from './deps.js'
import type { LookupCounts } from './lookup-queue.js'
import { MIDPOINTS_MS, refreshMidpoints } from './token-prices.js'

type CatalogueDomain = Domain & { catalogue: Catalogue; deps: CatalogueDeps }
type Needed = { chain: ChainStatus; upstreams: Upstreams }

export function createCatalogue(platform: Platform, { chain, upstreams }: Needed): CatalogueDomain {
  const { store, clock, floodLog, metrics: registry } = platform
  const { gamma, clob } = upstreams
  const catalogue = new Catalogue(clock)
  const metrics = createCatalogueMetrics(registry)
  const deps = { store, gamma, clob, clock, floodLog, catalogue, metrics }
  const sync = new CatalogueSync(deps)
  registerCatalogueGauges(registry, clock, () => sync.status())
  return {
    catalogue,
    deps,
    jobs: [
      {
        name: 'market lookups',
        everyMs: 0,
        roles: ROLES,
        runsIn: 'every process',
        needsDatabase: true,
        run: (signal) => sync.lookUp(signal),
      },
      {
        name: 'market sync',
        everyMs: 30_000,
        roles: ['worker'],
        runsIn: 'one process',
        needsDatabase: true,
        startsAfter: (signal) => untilLive({ chain }, signal),
        run: (signal) => sync.sync(signal),
      },
      {
        name: 'price refresh',
        everyMs: MIDPOINTS_MS,
        roles: ['worker'],
        runsIn: 'one process',
        needsDatabase: true,
        run: (signal) => refreshMidpoints(deps, signal),
      },
    ],
    status: {
      fields: () => ({
        state: { market_count: sync.status().known, metadata_count: catalogue.size },
        metadata_observability: presentLookups(catalogue.lookups.counts),
      }),
      warnings: () => {
        const { problem } = sync.status()
        return problem === undefined ? [] : [`market catalogue: ${problem}`]
      },
    },
  }
}

const presentLookups = (counts: LookupCounts) => ({
  hydration_queued: counts.queued,
  hydration_retries: counts.retried,
  hydration_failures: counts.dropped,
  gamma_hydration_success: counts.found,
  gamma_hydration_no_markets: counts.absent,
  gamma_hydration_unusable: counts.unreadable,
  gamma_hydration_request_errors: counts.requestErrors,
  gamma_hydration_status_errors: counts.statusErrors,
  gamma_hydration_parse_errors: counts.parseErrors,
})
