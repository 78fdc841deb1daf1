import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { connectTo } from '../../test/connect-redis.js'
import { createTestDatabase } from '../../test/database.js'
import { ManualClock } from '../../test/manual-clock.js'
import { REDIS_PROGRAM, type RedisServer, startRedis } from '../../test/redis-server.js'
import { until } from '../../test/until.js'
import { createKey, retireKey } from './accounts.js'
import { KeyChanges } from './key-changes.js'
import { KeyRing } from './key-ring.js'
import { Plans } from './plans.js'
import { insertAccount } from './queries.js'

describe.skipIf(REDIS_PROGRAM === undefined)('KeyChanges', () => {
  let server: RedisServer
  beforeAll(async () => {
    server = await startRedis()
  })
  afterAll(() => server.remove())

  test('what one process announces, another one looks for without waiting for its next poll', async () => {
    const database = await createTestDatabase()
    onTestFinished(() => database.drop())
    const redis = await connectTo(server, 'keys')
    const clock = new ManualClock()
    const plans = new Plans()
    const nowMs = clock.now()
    const open = () => {
      const keyRing = new KeyRing({ store: database, plans, clock })
      return { keyRing, changes: new KeyChanges({ keyRing, redis }) }
    }
    const [one, other] = [open(), open()]
    const stopping = new AbortController()
    const following = other.changes.follow(stopping.signal)
    onTestFinished(async () => {
      stopping.abort()
      await following
    })
    await until(() => other.keyRing.revision >= 0n)
    const accountId = await insertAccount(database.sql, { name: 'a', plan: 'growth', nowMs })
    const { id } = await createKey(database.sql, { plans, accountId, name: 'k', nowMs })
    await one.changes.announce()
    const before = one.keyRing.revision
    await retireKey(database.sql, id, nowMs)
    await one.changes.announce()
    expect(one.keyRing.revision).toBeGreaterThan(before)
    await until(() => other.keyRing.revision === one.keyRing.revision)
  })
})
