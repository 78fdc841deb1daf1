import type { Context } from '../context.js'
import { utcDay } from '../core/unix-time.js'
import type { DomainWork } from '../jobs/job.js'
import { deleteOldSessions } from '../sessions/socket-queries.js'
import { BEAT_MS } from '../sessions/socket-sessions.js'
import { FREE_KEY_PERIOD_MS } from './accounts.js'
import { SYNC_MS } from './key-ring.js'
import { deleteGrants } from './queries.js'
import { deleteOldWindows } from './shared-queries.js'
import { FLUSH_MS } from './usage-meter.js'
import { deleteUsageDays, deleteUsageWriters, USAGE_DAYS_KEPT } from './usage-queries.js'

const DAY_MS = 24 * 60 * 60_000

export function createAccountWork(ctx: Context): DomainWork {
  const tidy = async () => {
    const beforeMs = ctx.clock.now() - FREE_KEY_PERIOD_MS
    await deleteGrants(ctx.sql, beforeMs)
    await deleteUsageWriters(ctx.sql, beforeMs)
    await deleteUsageDays(ctx.sql, utcDay(ctx.clock.now() - USAGE_DAYS_KEPT * DAY_MS))
    await deleteOldWindows(ctx.sql, beforeMs)
    await deleteOldSessions(ctx.sql, utcDay(beforeMs))
  }
  const common = { runsIn: 'every process', needsDatabase: true } as const
  return {
    jobs: [
      { ...common, name: 'key sync', everyMs: SYNC_MS, run: () => ctx.keyRing.sync() },
      { ...common, name: 'usage flush', everyMs: FLUSH_MS, run: () => ctx.usage.flush() },
      { ...common, name: 'socket leases', everyMs: BEAT_MS, run: () => ctx.socketSessions.beat() },
      { ...common, name: 'tidying', everyMs: 60 * 60_000, run: tidy },
    ],
  }
}
