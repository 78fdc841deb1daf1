import { Counter } from 'prom-client'
import type { Platform } from '../platform.js'
import { Admission } from './admission.js'
import { DatabaseReads } from './database-reads.js'
import { KeyChanges } from './key-changes.js'
import { KeyRing } from './key-ring.js'
import { Operators } from './operators.js'
import { readPlans } from './plans-file.js'
import { RedisLimiter } from './redis-limiter.js'
import { SharedLimiter } from './shared-limiter.js'
import { UsageMeter } from './usage-meter.js'
import { WorkShares } from './work-shares.js'

export type Accounts = ReturnType<typeof createAccounts>

/** Who may ask for what, how often, and at which cost. */
export function createAccounts({ config, store, clock, metrics, redis }: Platform) {
  const plans = readPlans(config.plansFile)
  const keyRing = new KeyRing({ store, plans, clock })
  const shared = new SharedLimiter({ store, clock })
  const redisLimiter = redis && new RedisLimiter({ redis, fallback: shared, clock, registry: metrics })
  const rateLimited = new Counter({
    name: 'auspex_rate_limited_total',
    help: 'Requests refused because a bucket was empty',
    labelNames: ['bucket'] as const,
    registers: [metrics],
  })
  const shares = new WorkShares({ registry: metrics })
  return {
    plans,
    keyRing,
    keyChanges: new KeyChanges({ keyRing, redis }),
    admission: new Admission({ config, store, keyRing, limiter: redisLimiter ?? shared, rateLimited, clock }),
    /** `undefined` without Redis. */
    redisLimiter,
    /** Those who run the service. */
    operators: new Operators({ store, clock }),
    usage: new UsageMeter(store, clock),
    rateLimited,
    shares,
    reads: new DatabaseReads({ store, shares, registry: metrics }),
  }
}
