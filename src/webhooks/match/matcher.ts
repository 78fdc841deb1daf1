import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { Plans } from '../../accounts/plans.js'
import type { Bus } from '../../bus/bus.js'
import type { Clock } from '../../core/clock.js'
import { pause } from '../../lib/timing.js'
import type { Pool } from '../../store/connection.js'
import type { Detector } from './detector.js'
import { feeEarned } from './fee-earned.js'
import { marketCreated } from './market-created.js'
import { marketResolved } from './market-resolved.js'
import { orderComplete } from './order-complete.js'
import { ActiveWebhooks, type PassResult, runPass } from './pass.js'
import { pnlChange } from './pnl-change.js'
import { positionActions } from './position-actions.js'
import { positionStatus } from './position-status.js'
import { priceChange } from './price-change.js'
import { trades } from './trades.js'
import { watchedActivity } from './watched-activity.js'

/** Blocks without events do not wake the matcher, and some events come with time: it makes a pass this often anyway. */
const POLL_MS = 1_000
/** Two minutes of Polygon. */
const LAG_BLOCKS_MAX = 60

type MatcherOptions = {
  store: { readonly sql: Pool }
  plans: Plans
  bus: Pick<Bus, 'subscribe'>
  clock: Clock
  registry: Registry
  /** Called when deliveries were queued. */
  onQueued?: () => void
  detectors?: readonly Detector[]
}

/**
 * Finds what webhooks want to hear of among the facts, and queues it. It runs in one process at a time; a
 * second one is harmless, because only the first that writes a pass keeps it.
 */
export class Matcher {
  readonly #options: MatcherOptions
  readonly #metrics: MatcherMetrics
  #lagBlocks = 0
  #wakes = new AbortController()

  constructor(options: MatcherOptions) {
    this.#options = options
    this.#metrics = createMatcherMetrics(options.registry)
  }

  /** What an operator should look at. */
  get warnings(): string[] {
    if (this.#lagBlocks <= LAG_BLOCKS_MAX) return []
    return [`webhooks are ${this.#lagBlocks} blocks behind the chain`]
  }

  /** Has a pass made now, or right after the one that runs. */
  wake(): void {
    this.#wakes.abort()
  }

  /** Makes passes until the signal aborts. Throws what the database throws; a new run goes on. */
  async run(signal: AbortSignal): Promise<void> {
    const { bus, store, plans, clock, onQueued, detectors = DETECTORS } = this.#options
    const webhooks = new ActiveWebhooks()
    const unsubscribe = bus.subscribe((events) => {
      if (events.some(({ type }) => type === 'block' || type === 'reorg')) this.wake()
    })
    const stop = () => this.wake()
    signal.addEventListener('abort', stop)
    try {
      while (!signal.aborted) {
        this.#wakes = new AbortController()
        const startedMs = performance.now()
        const pass = { pool: store.sql, plans, webhooks, detectors, nowMs: clock.now(), onQueued }
        const result = await runPass(pass)
        this.#report(result, performance.now() - startedMs)
        if (!result.isBehind) await pause(POLL_MS, this.#wakes.signal)
      }
    } finally {
      unsubscribe()
      signal.removeEventListener('abort', stop)
      if (signal.aborted) this.#lagBlocks = 0
    }
  }

  #report({ queued, lagBlocks }: PassResult, tookMs: number): void {
    this.#lagBlocks = lagBlocks
    this.#metrics.lag.set(lagBlocks)
    this.#metrics.seconds.observe(tookMs / 1000)
    for (const { eventType } of queued) this.#metrics.events.inc({ type: eventType })
  }
}

type MatcherMetrics = ReturnType<typeof createMatcherMetrics>

function createMatcherMetrics(registry: Registry) {
  const registers = [registry]
  return {
    events: new Counter({
      name: 'auspex_webhook_events_total',
      help: 'Events that were found for webhooks, one for each webhook',
      labelNames: ['type'] as const,
      registers,
    }),
    seconds: new Histogram({
      name: 'auspex_webhook_match_seconds',
      help: 'How long it took to match a slice of the facts',
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
      registers,
    }),
    lag: new Gauge({
      name: 'auspex_webhook_lag_blocks',
      help: 'Blocks of the chain that are booked and not matched for webhooks yet',
      registers,
    }),
  }
}

/** Everything that webhooks can be notified of. A new event type is a detector and a line here. */
export const DETECTORS: readonly Detector[] = [
  trades,
  priceChange,
  marketResolved,
  marketCreated,
  pnlChange,
  positionStatus,
  orderComplete,
  positionActions,
  feeEarned,
  watchedActivity,
]
