import { Counter, Gauge, type Registry } from 'prom-client'
import type { BookChange } from './live-book.js'

export type BookMetrics = ReturnType<typeof createBookMetrics>

type BookStatus = { tokens: number; stale: number; sockets: number }

/** `status` is read whenever the metrics are. */
export function createBookMetrics(registry: Registry, status: () => BookStatus) {
  const registers = [registry]
  const gauge = (name: string, help: string, read: (status: BookStatus) => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read(status()))
      },
    })
  gauge('auspex_books_followed', 'Order books that are kept up to date', ({ tokens }) => tokens)
  gauge('auspex_books_stale', 'Followed books that are loading or stale', ({ stale }) => stale)
  gauge('auspex_book_sockets', 'Sockets that order books are read from', ({ sockets }) => sockets)
  const updates = new Counter({
    name: 'auspex_book_changes_total',
    help: 'Changes of followed books by kind: snapshot, level, trade, state',
    labelNames: ['kind'] as const,
    registers,
  })
  const stale = new Counter({
    name: 'auspex_books_stale_total',
    help: 'Books that became stale, by reason',
    labelNames: ['reason'] as const,
    registers,
  })
  return {
    count(changes: readonly BookChange[]): void {
      const kinds = { snapshot: 0, level: 0, trade: 0, state: 0 }
      for (const change of changes) {
        kinds[change.kind] += 1
        if (change.kind === 'state' && change.reason !== undefined) stale.inc({ reason: change.reason })
      }
      for (const [kind, times] of Object.entries(kinds)) if (times > 0) updates.inc({ kind }, times)
    },
  }
}
