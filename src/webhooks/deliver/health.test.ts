import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { transact } from '../../store/transaction.js'
import { forgetFailures } from './queries.js'
import { type DispatcherWorld, openDispatcherWorld, untilHolds } from './test-dispatchers.js'
import { draftOf, draftsOf, selectAttempts, selectDeliveries, type TestWebhook } from './test-webhook.js'

const DAY_MS = 24 * 60 * 60_000

let world: DispatcherWorld
beforeAll(async () => {
  world = await openDispatcherWorld()
})
afterEach(() => world.stopAll())
afterAll(() => world.close())

let numbers = 0
/** Makes this many events fail for good, by their last attempt. */
async function exhaust(webhook: TestWebhook, path: string, count: number): Promise<void> {
  world.receiver.answer(path, () => 500)
  const before = (await selectAttempts(world.sql, webhook)).length
  await world.add(draftsOf(webhook, count, numbers))
  numbers += count
  await world.sql`
    update webhook_deliveries set attempts = 4 where webhook = ${webhook.id} and state = 'pending'`
  const { stop } = world.start()
  await world.untilAttempted(webhook, before + count)
  await stop()
}

async function succeed(webhook: TestWebhook, path: string): Promise<void> {
  world.receiver.answer(path, () => 200)
  await world.add([draftOf(webhook, numbers++)])
  const { stop } = world.start()
  await untilHolds(async () => {
    expect((await selectAttempts(world.sql, webhook)).at(-1)).toMatchObject({ success: true })
  })
  await stop()
}

async function stateOf({ id }: TestWebhook) {
  const [row] = await world.sql<{ active: boolean; failures: number; failingSince: Date | null }[]>`
    select w.active, lane.consecutive_failures as failures, lane.failing_since
      from webhooks w join webhook_lanes lane on lane.webhook = w.id where w.id = ${id}`
  return row
}

describe('a webhook', () => {
  test('is disabled when 50 events in a row failed for good, and what waits is cancelled', async () => {
    const { sql, clock } = world
    const webhook = await world.createWebhook('/fifty')
    await exhaust(webhook, '/fifty', 49)
    expect(await stateOf(webhook)).toMatchObject({ active: true, failures: 49 })
    const waiting = draftOf(webhook, numbers++)
    await world.add([waiting])
    const later = new Date(clock.now() + 9_000)
    await sql`
      update webhook_deliveries set due_at = ${later}
       where webhook = ${webhook.id} and event_id = ${waiting.eventId}`
    world.receiver.answer('/fifty', () => 500)
    await world.add([draftOf(webhook, numbers++)])
    await sql`
      update webhook_deliveries set attempts = 4
       where webhook = ${webhook.id} and state = 'pending' and due_at < ${later}`
    world.start()
    await untilHolds(async () => {
      const [row] = await sql`
        select active, disabled_reason, disabled_at, revision from webhooks where id = ${webhook.id}`
      expect(row).toMatchObject({
        active: false,
        disabledReason: 'delivery_failures',
        disabledAt: new Date(clock.now()),
      })
      const states = (await selectDeliveries(sql, webhook)).map(({ state }) => state)
      expect(states.filter((state) => state === 'cancelled')).toHaveLength(1)
      expect(states.filter((state) => state === 'failed')).toHaveLength(50)
    })
    const [last] = (await selectAttempts(sql, webhook)).slice(-1)
    expect(last).toMatchObject({ eventId: waiting.eventId, error: 'webhook paused' })
  })

  test('stays active when a success comes between', async () => {
    const webhook = await world.createWebhook('/between')
    await exhaust(webhook, '/between', 49)
    await succeed(webhook, '/between')
    expect(await stateOf(webhook)).toEqual({ active: true, failures: 0, failingSince: null })
    await exhaust(webhook, '/between', 49)
    expect(await stateOf(webhook)).toMatchObject({ active: true, failures: 49 })
  })

  test('is disabled after a day of failures alone with ten events that failed for good', async () => {
    const webhook = await world.createWebhook('/day')
    await exhaust(webhook, '/day', 8)
    const since = new Date(world.clock.now())
    world.clock.advance(DAY_MS - 1)
    await exhaust(webhook, '/day', 2)
    expect(await stateOf(webhook)).toEqual({ active: true, failures: 10, failingSince: since })
    world.clock.advance(1)
    await exhaust(webhook, '/day', 1)
    await untilHolds(async () => expect(await stateOf(webhook)).toMatchObject({ active: false }))
  })

  test('is disabled after a day of failures alone with ten thousand events that wait', async () => {
    const { sql, clock } = world
    const webhook = await world.createWebhook('/backlog')
    world.receiver.answer('/backlog', () => 500)
    const fail = async (number: number) => {
      await world.add([draftOf(webhook, number)])
      const before = (await selectAttempts(sql, webhook)).length
      const { stop } = world.start()
      await world.untilAttempted(webhook, before + 1)
      await stop()
      await sql`delete from webhook_deliveries where webhook = ${webhook.id} and attempts > 0`
    }
    await fail(1)
    clock.advance(DAY_MS)
    await sql`
      insert into webhook_deliveries
             (webhook, event_id, event_type, state, block, due_at, created_at, body)
      select ${webhook.id}::int, gen_random_uuid(), 'trade', 'pending', 1,
             ${new Date(clock.now() + 1_000_000)}, ${new Date(clock.now())}, '{}'
        from generate_series(1, 9998)`
    await fail(2)
    expect(await stateOf(webhook)).toMatchObject({ active: true, failures: 0 })
    await world.add([draftOf(webhook, 3), draftOf(webhook, 4)])
    await sql`
      update webhook_deliveries set due_at = ${new Date(clock.now() + 1_000_000)}
       where webhook = ${webhook.id} and body like '%"number":4}%'`
    world.start()
    await untilHolds(async () => expect(await stateOf(webhook)).toMatchObject({ active: false }))
  })

  test('is not disabled after a day with fewer', async () => {
    const webhook = await world.createWebhook('/fewer')
    await exhaust(webhook, '/fewer', 8)
    world.clock.advance(2 * DAY_MS)
    await exhaust(webhook, '/fewer', 1)
    expect(await stateOf(webhook)).toMatchObject({ active: true, failures: 9 })
  })

  test('starts with reset counts when it is activated again', async () => {
    const webhook = await world.createWebhook('/anew')
    await exhaust(webhook, '/anew', 49)
    await transact(world.sql, (tx) => forgetFailures(tx, webhook.id))
    await exhaust(webhook, '/anew', 49)
    expect(await stateOf(webhook)).toMatchObject({ active: true, failures: 49 })
  })
})
