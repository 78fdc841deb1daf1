import type { Clock } from '../../core/clock.js'
import type { StatusPart } from '../../jobs/job.js'
import type { Sql } from '../../store/connection.js'
import type { DeliveryMetrics } from './metrics.js'

/** Lanes are counted so far. */
const COUNTED_MAX = 10_000
/** Later than this, an operator should look. */
const LATE_MS = 60_000

type Parts = { store: { readonly sql: Sql }; clock: Clock; metrics: DeliveryMetrics }

/** How the queue of deliveries does, in all processes together. */
export class QueueWatch {
  readonly #parts: Parts
  #lateMs = 0

  constructor(parts: Parts) {
    this.#parts = parts
  }

  readonly status: StatusPart = {
    warnings: () => {
      if (this.#lateMs <= LATE_MS) return []
      const seconds = Math.floor(this.#lateMs / 1000)
      return [`webhooks: the oldest delivery is due since ${seconds} seconds`]
    },
  }

  /** Index: webhook_lanes_next_at. */
  async look(): Promise<void> {
    const { store, clock, metrics } = this.#parts
    const [row] = await store.sql<{ firstAt: Date | null; waiting: bigint }[]>`
      select (select min(next_at) from webhook_lanes) as first_at,
             (select count(*) from (select from webhook_lanes
                                     where next_at is not null limit ${COUNTED_MAX}) lane) as waiting`
    const firstMs = row?.firstAt?.getTime() ?? clock.now()
    this.#lateMs = Math.max(0, clock.now() - firstMs)
    metrics.waiting.set(Number(row?.waiting ?? 0n))
    metrics.lateSeconds.set(this.#lateMs / 1000)
  }
}
