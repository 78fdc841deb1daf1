import { Counter, Gauge, type Registry } from 'prom-client'

export type CollectMetrics = ReturnType<typeof createCollectMetrics>

/** What happens to the ticks that the price sources send. */
export function createCollectMetrics(registry: Registry, countPending: () => number) {
  const registers = [registry]
  new Gauge({
    name: 'auspex_ticks_pending',
    help: 'Ticks that wait to be written',
    registers,
    collect() {
      this.set(countPending())
    },
  })
  return {
    taken: new Counter({
      name: 'auspex_ticks_total',
      help: 'Ticks taken into the archive',
      labelNames: ['source'] as const,
      registers,
    }),
    refused: new Counter({
      name: 'auspex_ticks_refused_total',
      help: 'Ticks that were not believed: jump, late, unproven; or lost because the database was away: overflow',
      labelNames: ['source', 'reason'] as const,
      registers,
    }),
    gaps: new Counter({
      name: 'auspex_tick_gaps_total',
      help: 'Gaps that a source left and could not fill',
      labelNames: ['source'] as const,
      registers,
    }),
  }
}
