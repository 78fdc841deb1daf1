import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { Clock } from '../../core/clock.js'
import type { StatusPart } from '../../jobs/job.js'
import type { Sql } from '../../store/connection.js'

export type DeliveryMetrics = ReturnType<typeof createDeliveryMetrics>

export function createDeliveryMetrics(registry: Registry) {
  const registers = [registry]
  return {
    attempts: new Counter({
      name: 'auspex_webhook_attempts_total',
      help: 'Attempts to deliver an event to a webhook, by result: success, failure, interrupted',
      labelNames: ['result'] as const,
      registers,
    }),
    attemptSeconds: new Histogram({
      name: 'auspex_webhook_attempt_seconds',
      help: 'How long receivers of webhooks take to answer',
      buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
      registers,
    }),
    latencySeconds: new Histogram({
      name: 'auspex_webhook_latency_seconds',
      help: 'From the matching of an event to the first attempt to deliver it',
      buckets: [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300],
      registers,
    }),
    waiting: new Gauge({
      name: 'auspex_webhook_pending',
      help: 'Webhooks with deliveries that wait for an attempt',
      registers,
    }),
    held: new Gauge({
      name: 'auspex_webhook_held',
      help: 'Deliveries that this process holds: being sent, or next',
      registers,
    }),
    holders: new Gauge({
      name: 'auspex_webhook_held_accounts',
      help: 'Accounts whose deliveries this process holds',
      registers,
    }),
    passedOver: new Counter({
      name: 'auspex_webhook_passed_over_total',
      help: 'How often a due webhook was left to wait because its account holds its share of the places',
      registers,
    }),
    lateSeconds: new Gauge({
      name: 'auspex_webhook_late_seconds',
      help: 'How late the oldest due delivery is',
      registers,
    }),
  }
}

/** The limit of lanes that are counted. */
const COUNTED_MAX = 10_000
/** Later than this, an operator should look. */
const LATE_MS = 60_000

type QueueWatchDependencies = { store: { readonly sql: Sql }; clock: Clock; metrics: DeliveryMetrics }

/** How the queue of deliveries does, in all processes together. */
export class QueueWatch {
  readonly #deps: QueueWatchDependencies
  #lateMs = 0

  constructor(deps: QueueWatchDependencies) {
    this.#deps = deps
  }

  readonly status: StatusPart = {
    warnings: () => {
      if (this.#lateMs <= LATE_MS) return []
      const seconds = Math.floor(this.#lateMs / 1000)
      return [`webhooks: the oldest delivery is due since ${seconds} seconds`]
    },
  }

  /** Index: webhook_lanes_next_at. */
  async measure(): Promise<void> {
    const { store, clock, metrics } = this.#deps
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
