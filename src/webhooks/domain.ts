import type { Plans } from '../accounts/plans.js'
import type { Bus } from '../bus/bus.js'
import type { Domain } from '../http/domain.js'
import type { LargeAnswers } from '../http/large-answers.js'
import type { Platform } from '../platform.js'
import { SecretBox } from '../store/secret-box.js'
import { Dispatcher } from './deliver/dispatcher.js'
import { createDeliveryMetrics, QueueWatch } from './deliver/metrics.js'
import { deleteOldDeliveries, deleteOldWebhooks } from './deliver/retention.js'
import { Sender } from './deliver/sender.js'
import { deleteUnpolledListeners } from './listen/queries.js'
import { listenerRoutes } from './listen/routes.js'
import { webhookRoutes } from './manage/routes.js'
import { Matcher } from './match/matcher.js'

const QUEUE_WATCH_MS = 10_000
const RETENTION_MS = 10 * 60_000
const LISTENER_EXPIRY_MS = 15_000
const DELETION_MS = 60_000

type WebhookDeps = { plans: Plans; bus: Bus; largeAnswers: LargeAnswers }

/** Webhooks: their records, and beside the requests matching, delivery and the end of old rows. */
export function createWebhooks(platform: Platform, { plans, bus, largeAnswers }: WebhookDeps): Domain {
  const { config, store, clock, log, floodLog, metrics: registry } = platform
  const secretBox = new SecretBox({ config, store })
  const metrics = createDeliveryMetrics(registry)
  const sender = new Sender({ networks: config.webhookNetworks })
  const dispatcher = new Dispatcher({ store, secretBox, sender, metrics, clock, log, floodLog })
  const matcher = new Matcher({
    store,
    plans,
    bus,
    clock,
    registry,
    onQueued: () => dispatcher.wake(),
  })
  const queue = new QueueWatch({ store, clock, metrics })
  const deliver = async (signal: AbortSignal) => {
    await dispatcher.run(signal)
    sender.close()
  }
  const everywhere = { roles: ['worker'], runsIn: 'every process', needsDatabase: true } as const
  const once = { roles: ['worker'], runsIn: 'one process', needsDatabase: true } as const
  return {
    routes: [
      webhookRoutes(platform, { plans, secretBox, largeAnswers }),
      listenerRoutes(platform, { secretBox }),
    ],
    jobs: [
      { ...once, name: 'webhook matching', everyMs: 0, run: (signal) => matcher.run(signal) },
      { ...everywhere, name: 'webhook delivery', everyMs: 0, run: deliver },
      { ...everywhere, name: 'webhook queue', everyMs: QUEUE_WATCH_MS, run: () => queue.measure() },
      {
        ...once,
        name: 'webhook retention',
        everyMs: RETENTION_MS,
        run: (signal) => deleteOldDeliveries(platform.sql, clock.now(), signal),
      },
      {
        ...once,
        name: 'listener expiry',
        everyMs: LISTENER_EXPIRY_MS,
        run: () => deleteUnpolledListeners(platform.sql, clock.now()),
      },
      {
        ...once,
        name: 'deleted webhooks',
        everyMs: DELETION_MS,
        run: (signal) => deleteOldWebhooks(platform.sql, clock.now(), signal),
      },
    ],
    status: {
      ...queue.status,
      warnings: () => [...(queue.status.warnings?.() ?? []), ...matcher.warnings],
    },
  }
}
