import { Registry } from 'prom-client'
import { onTestFinished } from 'vitest'
import { systemClock } from '../src/core/clock.js'
import { createLog } from '../src/lib/log.js'
import { RedisConnection } from '../src/redis/connection.js'
import type { RedisServer } from './redis-server.js'

/** The service's connection to it, until the test ends. `namespace`: as of a database. */
export async function connectTo(
  { url }: RedisServer,
  namespace: string,
  log = SILENT,
  { isReady = true } = {},
) {
  const stopping = new AbortController()
  const redis = new RedisConnection({ url, clock: systemClock, log, registry: new Registry() })
  const running = redis.run(namespace, stopping.signal)
  onTestFinished(async () => {
    stopping.abort()
    await running
    redis.close()
  })
  if (isReady) await redis.untilReady(stopping.signal)
  return redis
}

const SILENT = createLog('silent', process.stderr)
