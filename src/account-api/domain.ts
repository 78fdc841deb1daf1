import { FREE_KEY_PERIOD_MS } from '../accounts/accounts.js'
import type { Accounts } from '../accounts/domain.js'
import { SYNC_MS } from '../accounts/key-ring.js'
import { deleteGrants } from '../accounts/queries.js'
import { LEASE_RETURN_MS } from '../accounts/redis-limiter.js'
import { deleteExpiredCodes, deleteExpiredSessions } from '../accounts/session-queries.js'
import { deleteOldWindows } from '../accounts/shared-queries.js'
import { FLUSH_MS } from '../accounts/usage-meter.js'
import {
  deleteUsageDays,
  deleteUsageOperations,
  deleteUsageWriters,
  OPERATION_DAYS_KEPT,
  USAGE_DAYS_KEPT,
} from '../accounts/usage-queries.js'
import { ROLES } from '../config/roles.js'
import { utcDay } from '../core/unix-time.js'
import type { Domain } from '../http/domain.js'
import type { Platform } from '../platform.js'
import { deleteOldSessions } from '../sessions/socket-queries.js'
import type { SocketSessions } from '../sessions/socket-sessions.js'
import { BEAT_MS } from '../sessions/socket-sessions.js'
import { ownAccountRoutes } from './account/routes.js'
import { accountRoutes } from './routes.js'
import { sessionRoutes } from './session/routes.js'

const DAY_MS = 24 * 60 * 60_000

type AccountDeps = { accounts: Accounts; socketSessions: SocketSessions }

/** What an account sees of itself, and the jobs of keys, usage and sockets. */
export function createAccountApi(platform: Platform, { accounts, socketSessions }: AccountDeps): Domain {
  const { clock } = platform
  const tidy = async () => {
    const beforeMs = clock.now() - FREE_KEY_PERIOD_MS
    await deleteGrants(platform.sql, beforeMs)
    await deleteUsageWriters(platform.sql, beforeMs)
    await deleteUsageDays(platform.sql, utcDay(clock.now() - USAGE_DAYS_KEPT * DAY_MS))
    await deleteUsageOperations(platform.sql, utcDay(clock.now() - OPERATION_DAYS_KEPT * DAY_MS))
    await deleteOldWindows(platform.sql, beforeMs)
    await deleteOldSessions(platform.sql, utcDay(beforeMs))
    await deleteExpiredSessions(platform.sql, clock.now())
    await deleteExpiredCodes(platform.sql)
  }
  const common = { roles: ROLES, runsIn: 'every process', needsDatabase: true } as const
  const { redisLimiter, keyChanges } = accounts
  const ofRedis =
    redisLimiter === undefined
      ? []
      : [
          {
            ...common,
            name: 'key changes',
            everyMs: 0,
            run: (signal: AbortSignal) => keyChanges.follow(signal),
          },
          {
            ...common,
            name: 'limit leases',
            everyMs: LEASE_RETURN_MS,
            needsDatabase: false,
            run: () => redisLimiter.giveBackOld(),
          },
        ]
  return {
    routes: [
      accountRoutes(platform, accounts),
      ownAccountRoutes(platform, accounts),
      sessionRoutes(platform, accounts),
    ],
    jobs: [
      { ...common, name: 'key sync', everyMs: SYNC_MS, run: () => accounts.keyRing.sync() },
      { ...common, name: 'usage flush', everyMs: FLUSH_MS, run: () => accounts.usage.flush() },
      {
        ...common,
        name: 'socket leases',
        roles: ['stream'],
        everyMs: BEAT_MS,
        run: () => socketSessions.beat(),
      },
      {
        ...common,
        name: 'tidying',
        roles: ['worker'],
        runsIn: 'one process',
        everyMs: 60 * 60_000,
        run: tidy,
      },
      ...ofRedis,
    ],
  }
}
