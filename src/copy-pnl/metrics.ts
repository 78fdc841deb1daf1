import { Counter, Histogram, type Registry } from 'prom-client'

export type CopyMetrics = ReturnType<typeof createCopyMetrics>

export function createCopyMetrics(registry: Registry) {
  const registers = [registry]
  return {
    walks: new Counter({
      name: 'auspex_copy_pnl_walks_total',
      help: 'Walks over the facts of a pool wallet that ended, by result: whole, partial, failed',
      labelNames: ['result'] as const,
      registers,
    }),
    walkSeconds: new Histogram({
      name: 'auspex_copy_pnl_walk_seconds',
      help: 'How long a walk took',
      buckets: [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 60, 180],
      registers,
    }),
  }
}
