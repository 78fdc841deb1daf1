import { Counter, type Registry } from 'prom-client'
import type { Clock } from '../core/clock.js'
import type { FloodLog } from '../lib/flood-log.js'
import type { Pool } from '../store/connection.js'
import type { ClobClient } from '../upstreams/clob/client.js'
import type { GammaClient } from '../upstreams/gamma/client.js'
import type { Catalogue } from './catalogue.js'

/** What the jobs of the catalogue work with. */
export type CatalogueDeps = {
  /** Its pool may be replaced: read `sql` at each use. */
  store: { readonly sql: Pool }
  gamma: GammaClient
  clob: ClobClient
  clock: Clock
  floodLog: FloodLog
  metrics: CatalogueMetrics
  catalogue: Catalogue
}

export type CatalogueMetrics = ReturnType<typeof createCatalogueMetrics>

/** Counters of the jobs. */
export function createCatalogueMetrics(registry: Registry) {
  const registers = [registry]
  return {
    invalidEntries: new Counter({
      name: 'auspex_markets_odd_total',
      help: 'Entries with a field that could not be kept, or that could not be kept at all',
      registers,
    }),
    mids: new Counter({
      name: 'auspex_markets_mids_total',
      help: 'Midpoints that were read, by whether the token had a book: found, none',
      labelNames: ['result'] as const,
      registers,
    }),
  }
}
