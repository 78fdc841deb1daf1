import { Counter, Gauge, type Registry } from 'prom-client'
import type { Pool } from '../../store/connection.js'
import { type GapRow, insertGap, insertTicks, type StreamTick } from '../archive/queries.js'

const TICKS_PER_INSERT = 5_000
/** Over an hour of all streams: the database may be away for that time before ticks are lost. */
const TICKS_MAX = 200_000
const GAPS_MAX = 10_000

/** Ticks and gaps that wait to be written. A batch that fails is written again with the next. */
export class TickBuffer {
  readonly #store: { readonly sql: Pool }
  #ticks: StreamTick[] = []
  #gaps: GapRow[] = []

  constructor(store: { readonly sql: Pool }) {
    this.#store = store
  }

  get size(): number {
    return this.#ticks.length
  }

  /** `false`: there is no room, and the tick is lost. */
  add(tick: StreamTick): boolean {
    const hasRoom = this.#ticks.length < TICKS_MAX
    if (hasRoom) this.#ticks.push(tick)
    return hasRoom
  }

  addGap(gap: GapRow): void {
    if (this.#gaps.length < GAPS_MAX) this.#gaps.push(gap)
  }

  /**
   * Writes what is there when it is called: it ends also while a backfill adds more than the database takes.
   * Not to be called again before it is done.
   */
  async flush(): Promise<void> {
    const { sql } = this.#store
    let left = this.#ticks.length
    // Before the ticks: once those after a gap are stored, a restart does not notice the gap.
    for (let gap = this.#gaps[0]; gap !== undefined; gap = this.#gaps[0]) {
      await insertGap(sql, gap)
      this.#gaps.shift()
    }
    while (left > 0) {
      const batch = this.#ticks.slice(0, Math.min(left, TICKS_PER_INSERT))
      await insertTicks(sql, batch)
      this.#ticks = this.#ticks.slice(batch.length)
      left -= batch.length
    }
  }
}

/** Counts what happens to the ticks that the price sources send. */
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
