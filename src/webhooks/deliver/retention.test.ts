import { Registry } from 'prom-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.js'
import { ManualClock } from '../../../test/manual-clock.js'
import { Plans } from '../../accounts/plans.js'
import { transact } from '../../store/transaction.js'
import { enqueue } from './enqueue.js'
import { createDeliveryMetrics, QueueWatch } from './metrics.js'
import { deleteOldDeliveries } from './retention.js'
import { draftsOf, insertTestWebhook, selectAttempts, selectDeliveries } from './test-webhook.js'

const DAY_MS = 24 * 60 * 60_000

let database: TestDatabase
const clock = new ManualClock()
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

test('deliveries and attempts are kept for seven days, counts of days for forty', async () => {
  const { sql } = database
  const webhook = await insertTestWebhook(sql, { nowMs: clock.now() })
  await transact(sql, (tx) =>
    enqueue(tx, draftsOf(webhook, 5_003), { plans: new Plans(), nowMs: clock.now() }),
  )
  await sql`
    update webhook_deliveries set state = 'delivered', finished_at = ${new Date(clock.now())}
     where body not like '%"number":5002}%'`
  await sql`
    insert into webhook_attempts
           (webhook, event_id, event_type, attempt, success, latency_ms, attempted_at)
    select webhook, event_id, event_type, 1, true, 3, created_at from webhook_deliveries`
  const clean = () => deleteOldDeliveries(sql, clock.now(), new AbortController().signal)

  clock.advance(7 * DAY_MS)
  await clean()
  expect(await selectDeliveries(sql, webhook)).toHaveLength(5_003)
  expect(await selectAttempts(sql, webhook)).toHaveLength(5_003)
  clock.advance(1)
  await clean()
  expect(await selectDeliveries(sql, webhook)).toMatchObject([{ state: 'failed', dueAt: null }])
  expect(await selectAttempts(sql, webhook)).toMatchObject([
    { attempt: 1, success: false, error: 'not sent within seven days' },
  ])

  const days = () => sql`select from webhook_days where account_id = ${webhook.accountId}`
  clock.advance(33 * DAY_MS - 1)
  await clean()
  expect(await days()).toHaveLength(1)
  clock.advance(DAY_MS)
  await clean()
  expect(await days()).toHaveLength(0)
  await sql`delete from webhooks`
})

test('attempts of a clock that was ahead do not keep the others', async () => {
  const { sql } = database
  const webhook = await insertTestWebhook(sql, { nowMs: clock.now() })
  for (const daysAgo of [-400, 8]) {
    await sql`
      insert into webhook_attempts
             (webhook, event_id, event_type, attempt, success, latency_ms, attempted_at)
      select ${webhook.id}::int, gen_random_uuid(), 'trade', 1, true, 3,
             ${new Date(clock.now() - daysAgo * DAY_MS)}
        from generate_series(1, 5000)`
  }
  await deleteOldDeliveries(sql, clock.now(), new AbortController().signal)
  expect(await selectAttempts(sql, webhook)).toEqual([])
  await sql`delete from webhooks`
})

test('a queue that is late is reported', async () => {
  const { sql } = database
  const registry = new Registry()
  const metrics = createDeliveryMetrics(registry)
  const queue = new QueueWatch({ store: { sql }, clock, metrics })
  const webhook = await insertTestWebhook(sql, { nowMs: clock.now() })
  await transact(sql, (tx) => enqueue(tx, draftsOf(webhook, 2), { plans: new Plans(), nowMs: clock.now() }))
  clock.advance(60_000)
  await queue.measure()
  expect(queue.status.warnings?.()).toEqual([])
  clock.advance(1_000)
  await queue.measure()
  expect(queue.status.warnings?.()).toEqual(['webhooks: the oldest delivery is due since 61 seconds'])
  const text = await registry.metrics()
  expect(text).toContain('auspex_webhook_pending 1\n')
  expect(text).toContain('auspex_webhook_late_seconds 61\n')
})
