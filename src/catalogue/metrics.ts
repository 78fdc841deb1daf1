import { Counter, Gauge, type Registry } from 'prom-client'
import type { Clock } from '../core/clock.js'
import type { MarketStatus } from './catalogue-sync.js'

export type MarketMetrics = ReturnType<typeof createMarketMetrics>

/** What is counted while the catalogue is kept. */
export function createMarketMetrics(registry: Registry) {
  const registers = [registry]
  return {
    odd: new Counter({
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

/** Shows the state of the catalogue as it is when somebody asks. */
export function registerMarketGauges(
  registry: Registry,
  clock: Clock,
  status: () => MarketStatus,
): void {
  const gauge = (name: string, help: string, read: (status: MarketStatus) => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read(status()))
      },
    })
  gauge('auspex_markets_known', 'Markets in the catalogue, as last counted', ({ known }) => known)
  gauge('auspex_markets_resident', 'Markets in the memory of this process', (now) => now.resident)
  gauge(
    'auspex_markets_sync_age_seconds',
    'Time since this process last brought the catalogue up to date, -1 before it did',
    ({ syncedAtMs }) => (syncedAtMs === undefined ? -1 : (clock.now() - syncedAtMs) / 1000),
  )
  gauge(
    'auspex_markets_lookups_queued',
    'Tokens and conditions that wait to be looked up',
    ({ lookupsQueued }) => lookupsQueued,
  )
  gauge(
    'auspex_markets_lookups_dropped',
    'How often a token or condition found the queue full',
    ({ lookupsDropped }) => lookupsDropped,
  )
  gauge(
    'auspex_markets_unknown_keys',
    'Tokens and conditions that were looked up and not found',
    ({ unknown }) => unknown,
  )
}
