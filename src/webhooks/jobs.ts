import type { Context } from '../context.js'
import type { DomainWork } from '../jobs/job.js'
import { Dispatcher } from './deliver/dispatcher.js'
import { createDeliveryMetrics } from './deliver/metrics.js'
import { QueueWatch } from './deliver/queue-watch.js'
import { deleteOldDeliveries } from './deliver/retention.js'
import { Sender } from './deliver/sender.js'
import { deleteUnpolledListeners } from './listen/listeners.js'
import { deleteOldWebhooks } from './manage/delete-webhooks.js'
import { Matcher } from './match/matcher.js'

const QUEUE_WATCH_MS = 10_000
const RETENTION_MS = 10 * 60_000
const LISTENER_EXPIRY_MS = 15_000
const DELETION_MS = 60_000

/** What runs of webhooks beside the requests: matching, delivery, and the end of old rows. */
export function createWebhookWork(ctx: Context): DomainWork {
  const metrics = createDeliveryMetrics(ctx.metrics.registry)
  const sender = new Sender({ networks: ctx.config.webhookNetworks })
  const { store, secretBox, clock, log, floodLog } = ctx
  const dispatcher = new Dispatcher({ store, secretBox, sender, metrics, clock, log, floodLog })
  const matcher = new Matcher({
    store,
    plans: ctx.plans,
    bus: ctx.bus,
    clock,
    registry: ctx.metrics.registry,
    onQueued: () => dispatcher.wake(),
  })
  const queue = new QueueWatch({ store, clock, metrics })
  const deliver = async (signal: AbortSignal) => {
    await dispatcher.run(signal)
    sender.close()
  }
  const everywhere = { runsIn: 'every process', needsDatabase: true } as const
  const once = { runsIn: 'one process', needsDatabase: true } as const
  return {
    jobs: [
      { ...once, name: 'webhook matching', everyMs: 0, run: (signal) => matcher.run(signal) },
      { ...everywhere, name: 'webhook delivery', everyMs: 0, run: deliver },
      { ...everywhere, name: 'webhook queue', everyMs: QUEUE_WATCH_MS, run: () => queue.look() },
      {
        ...once,
        name: 'webhook retention',
        everyMs: RETENTION_MS,
        run: (signal) => deleteOldDeliveries(ctx, signal),
      },
      {
        ...once,
        name: 'listener expiry',
        everyMs: LISTENER_EXPIRY_MS,
        run: () => deleteUnpolledListeners(ctx),
      },
      {
        ...once,
        name: 'deleted webhooks',
        everyMs: DELETION_MS,
        run: (signal) => deleteOldWebhooks(ctx.sql, clock.now(), signal),
      },
    ],
    status: {
      ...queue.status,
      warnings: () => [...(queue.status.warnings?.() ?? []), ...matcher.warnings],
    },
  }
}
