import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { createCatalogueMetrics } from './catalogue/deps.js'

export type Metrics = ReturnType<typeof createMetrics>

/** The metrics of one process, in a registry of their own so that tests can run services side by side. */
export function createMetrics() {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry, prefix: 'auspex_' })
  return {
    registry,
    catalogue: createCatalogueMetrics(registry),
    rateLimited: new Counter({
      name: 'auspex_rate_limited_total',
      help: 'Requests refused because a bucket was empty',
      labelNames: ['bucket'] as const,
      registers,
    }),
    cacheLookups: new Counter({
      name: 'auspex_response_cache_lookups_total',
      help: 'Answers of cached routes by how they came about: hit, miss, or joined a running miss',
      labelNames: ['result'] as const,
      registers,
    }),
    storeUp: new Gauge({
      name: 'auspex_store_up',
      help: '1 while the database answers',
      registers,
    }),
  }
}
