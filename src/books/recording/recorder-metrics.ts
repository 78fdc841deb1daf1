import { Counter, Gauge, type Registry } from 'prom-client'

export type RecorderMetrics = ReturnType<typeof createRecorderMetrics>

export function createRecorderMetrics(registry: Registry) {
  const registers = [registry]
  return {
    levels: new Counter({
      name: 'auspex_book_recorded_changes_total',
      help: 'Changes of levels that were recorded',
      registers,
    }),
    gaps: new Counter({
      name: 'auspex_book_recording_gaps_total',
      help: 'Spans of a book that ended, by reason',
      labelNames: ['reason'] as const,
      registers,
    }),
    lag: new Gauge({
      name: 'auspex_book_recording_lag_seconds',
      help: 'How old the oldest change was when the last flush had been written',
      registers,
    }),
    packed: new Counter({
      name: 'auspex_book_packed_changes_total',
      help: 'Recorded changes that were packed into blocks of an hour',
      registers,
    }),
    packedBytes: new Counter({
      name: 'auspex_book_packed_bytes_total',
      help: 'Bytes of these blocks',
      registers,
    }),
  }
}
