import type { Context } from '../context.js'
import type { DomainWork } from '../jobs/job.js'

/** What runs of webhooks beside the requests: matching, delivery, and the end of old rows. */
export function createWebhookWork(_ctx: Context): DomainWork {
  return { jobs: [] }
}
