import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type DispatcherWorld, openDispatcherWorld, untilHolds } from './test-dispatchers.js'
import { draftOf, draftsOf, selectAttempts, selectDeliveries, type TestWebhook } from './test-webhook.js'

const HOUR_MS = 60 * 60_000

let world: DispatcherWorld
beforeAll(async () => {
  world = await openDispatcherWorld()
})
afterEach(() => world.stopAll())
afterAll(() => world.close())

const pauseMs = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

test('two dispatchers send each delivery once, at most ten of a webhook at the same time', async () => {
  const paths = ['/two-a', '/two-b', '/two-c']
  const webhooks = []
  for (const path of paths) {
    let count = 0
    world.receiver.answer(path, () => pauseMs(count++ % 7).then(() => 200))
    const webhook = await world.createWebhook(path)
    await world.add(draftsOf(webhook, 150))
    webhooks.push(webhook)
  }
  world.start()
  world.start()
  const delivered = Array.from({ length: 150 }, () => 'delivered')
  for (const webhook of webhooks) await world.untilStates(webhook, delivered)
  for (const path of paths) {
    const ids = world.receiver.at(path).map(({ headers }) => headers['webhook-id'])
    expect(ids).toHaveLength(150)
    expect(new Set(ids).size).toBe(150)
    expect(world.receiver.mostInFlight(path)).toBeLessThanOrEqual(10)
  }
})

test('a receiver that never answers has ten requests, and holds up no other', async () => {
  const { receiver, sql } = world
  receiver.answer('/hangs', () => 'hang')
  const slow = await world.createWebhook('/hangs')
  const quick = await world.createWebhook('/quick')
  await world.add([...draftsOf(slow, 60), ...draftsOf(quick, 60)])
  const { wake } = world.start()
  await world.untilStates(
    quick,
    Array.from({ length: 60 }, () => 'delivered'),
  )
  await world.lookAround({ wake })
  expect(receiver.at('/hangs')).toHaveLength(10)
  const leased = (await selectDeliveries(sql, slow)).filter(({ isLeased }) => isLeased)
  expect(leased).toHaveLength(10)
  await sql`delete from webhooks where id = ${slow.id}`
})

test('receivers that were slow before get half of a busy process, and others find room', async () => {
  const { receiver, sql } = world
  const slow: TestWebhook[] = []
  for (let n = 0; n < 40; n++) {
    receiver.answer(`/slow-${n}`, () => 'hang')
    slow.push(await world.createWebhook(`/slow-${n}`))
  }
  await world.add(slow.flatMap((webhook) => draftsOf(webhook, 10)))
  await sql`update webhook_lanes set is_healthy = false`
  const { wake } = world.start()
  const sentToSlow = () => slow.reduce((sum, _, index) => sum + receiver.at(`/slow-${index}`).length, 0)
  await untilHolds(() => expect(sentToSlow()).toBe(256))
  await world.lookAround({ wake })
  expect(sentToSlow()).toBe(256)
  await sql`delete from webhooks where id = any(${slow.map(({ id }) => id)}::int[])`
})

test('a receiver that is dead for a day delays no other, and its webhook is disabled', async () => {
  const { receiver, sql, clock } = world
  receiver.answer('/dead', () => 503)
  const dead = await world.createWebhook('/dead')
  const alive = await world.createWebhook('/alive')
  const { wake } = world.start()
  let attempted = 0
  for (let hour = 0; hour <= 25; hour++) {
    await world.add([draftOf(dead, hour), draftOf(alive, hour)])
    wake()
    await untilHolds(async () => {
      const history = await selectAttempts(sql, alive)
      expect(history).toHaveLength(hour + 1)
      expect(history.at(-1)).toMatchObject({ success: true, attemptedAt: new Date(clock.now()) })
    })
    for (const stepMs of [10_000, 60_000, 5 * 60_000, HOUR_MS]) {
      attempted = await untilCalm(attempted)
      clock.advance(stepMs)
      wake()
    }
    attempted = await untilCalm(attempted)
  }
  const [row] = await sql`select active, disabled_reason, disabled_at from webhooks where id = ${dead.id}`
  expect(row).toMatchObject({ active: false, disabledReason: 'delivery_failures' })
  const rows = await selectDeliveries(sql, dead)
  expect(rows.filter(({ state }) => state === 'failed').length).toBeGreaterThanOrEqual(10)
  expect(rows.filter(({ state }) => state === 'pending')).toEqual([])

  /** Waits until nothing of the dead webhook is due or being sent. */
  async function untilCalm(before: number): Promise<number> {
    await untilHolds(async () => {
      const [{ busy } = { busy: 1 }] = await sql<{ busy: number }[]>`
        select count(*)::int as busy from webhook_deliveries
         where webhook = ${dead.id} and state = 'pending'
           and (is_leased or due_at <= ${new Date(clock.now())})`
      expect(busy).toBe(0)
    })
    const count = receiver.at('/dead').length
    expect(count).toBeGreaterThanOrEqual(before)
    return count
  }
})
