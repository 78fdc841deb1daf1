import type { Pool } from '../../store/connection.js'
import { type GapRow, insertGap, insertTicks, type StreamTick } from '../archive/queries.js'

const TICKS_PER_INSERT = 5_000
/** Over an hour of everything: so long the database may be away before ticks are lost. */
const TICKS_MAX = 200_000
const GAPS_MAX = 10_000

/** What waits to be written. A batch that fails is written again with the next. */
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

  /** Not to be called again before it is done. */
  async flush(): Promise<void> {
    const { sql } = this.#store
    // Before the ticks: once those after a gap are there, nobody finds it a second time.
    for (let gap = this.#gaps[0]; gap !== undefined; gap = this.#gaps[0]) {
      await insertGap(sql, gap)
      this.#gaps.shift()
    }
    while (this.#ticks.length > 0) {
      const batch = this.#ticks.slice(0, TICKS_PER_INSERT)
      await insertTicks(sql, batch)
      this.#ticks = this.#ticks.slice(batch.length)
    }
  }
}
