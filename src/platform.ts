import { collectDefaultMetrics, Registry } from 'prom-client'
import type { Config } from './config/config.js'
import { type Clock, systemClock } from './core/clock.js'
import type { StatusPart } from './jobs/job.js'
import { JobRunner } from './jobs/runner.js'
import { FloodLog } from './lib/flood-log.js'
import type { Log } from './lib/log.js'
import { RedisConnection } from './redis/connection.js'
import type { Pool } from './store/connection.js'
import type { Store } from './store/store.js'

/**
 * What every domain may use; it knows none of them. It is passed in, never imported, so that tests can run two services
 * in one process.
 */
export type Platform = {
  config: Config
  clock: Clock
  log: Log
  /** For lines that clients and upstreams can cause as often as they like. */
  floodLog: FloodLog
  store: Pick<Store, 'sql' | 'answers' | 'heavyAnswers' | 'readsMax' | 'control' | 'problem' | 'replicas'>
  /** The connection pool. It may be another one after the database was lost. */
  readonly sql: Pool
  /** The pool for answers: a query that takes too long is cancelled. */
  readonly answerSql: Pool
  /** What processes on one database share besides it; `undefined`: the operator has set none up. */
  redis: RedisConnection | undefined
  /** A registry of this service, not the global one of the library. */
  metrics: Registry
  jobs: JobRunner
  /** What the domains that run report, in the order of their registration. */
  statusParts: StatusPart[]
}

type PlatformOptions = Pick<Platform, 'config' | 'log' | 'store'> & { clock?: Clock }

export function createPlatform({ config, log, store, clock = systemClock }: PlatformOptions): Platform {
  const metrics = new Registry()
  collectDefaultMetrics({ register: metrics, prefix: 'auspex_' })
  const { redisUrl: url } = config
  return {
    config,
    clock,
    log,
    floodLog: new FloodLog(log),
    store,
    get sql() {
      return store.sql
    },
    get answerSql() {
      return store.answers
    },
    redis: url === undefined ? undefined : new RedisConnection({ url, clock, log, registry: metrics }),
    metrics,
    jobs: new JobRunner({ store, registry: metrics, clock, log }),
    statusParts: [],
  }
}
