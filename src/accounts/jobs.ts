import type { Context } from '../context.js'
import type { DomainWork } from '../jobs/job.js'
import { FREE_KEY_PERIOD_MS } from './accounts.js'
import { SYNC_MS } from './key-ring.js'
import { deleteGrants, deleteUsageWriters } from './queries.js'
import { FLUSH_MS } from './usage-meter.js'

const TIDY_MS = 60 * 60 * 1000

export function createAccountWork(ctx: Context): DomainWork {
  return {
    jobs: [
      {
        name: 'key sync',
        everyMs: SYNC_MS,
        runsIn: 'every process',
        needsDatabase: true,
        run: () => ctx.keyRing.sync(),
      },
      {
        name: 'usage flush',
        everyMs: FLUSH_MS,
        runsIn: 'every process',
        needsDatabase: true,
        run: () => ctx.usage.flush(),
      },
      {
        name: 'tidying',
        everyMs: TIDY_MS,
        runsIn: 'every process',
        needsDatabase: true,
        run: async () => {
          const beforeMs = ctx.clock.now() - FREE_KEY_PERIOD_MS
          await deleteGrants(ctx.sql, beforeMs)
          await deleteUsageWriters(ctx.sql, beforeMs)
        },
      },
    ],
  }
}
