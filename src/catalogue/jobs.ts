import type { Context } from '../context.js'
import type { DomainWork } from '../jobs/job.js'
import { untilLive } from '../jobs/until-live.js'
import { CatalogueSync, registerCatalogueGauges } from './catalogue-sync.js'
import { catalogueDepsOf } from './deps.js'
import type { LookupCounts } from './lookup-queue.js'
import { MIDPOINTS_MS, refreshMidpoints } from './token-prices.js'

export function createCatalogueWork(ctx: Context): DomainWork {
  const deps = catalogueDepsOf(ctx)
  const sync = new CatalogueSync(deps)
  registerCatalogueGauges(ctx.metrics.registry, ctx.clock, () => sync.status())
  return {
    jobs: [
      {
        name: 'market lookups',
        everyMs: 0,
        runsIn: 'every process',
        needsDatabase: true,
        run: (signal) => sync.lookUp(signal),
      },
      {
        name: 'market sync',
        everyMs: 30_000,
        runsIn: 'one process',
        needsDatabase: true,
        startsAfter: (signal) => untilLive(ctx, signal),
        run: (signal) => sync.sync(signal),
      },
      {
        name: 'price refresh',
        everyMs: MIDPOINTS_MS,
        runsIn: 'one process',
        needsDatabase: true,
        run: (signal) => refreshMidpoints(deps, signal),
      },
    ],
    status: {
      fields: () => ({
        state: { market_count: sync.status().known, metadata_count: ctx.catalogue.size },
        metadata_observability: presentLookups(ctx.catalogue.lookups.counts),
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
