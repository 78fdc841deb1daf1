import { createHmac } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { transact } from '../../store/transaction.js'
import { cancelPending } from './queries.js'
import { type DispatcherWorld, openDispatcherWorld, untilHolds } from './test-dispatchers.js'
import { draftOf, draftsOf, selectAttempts, selectDeliveries, selectNextAt } from './test-webhook.js'

const HOUR_MS = 60 * 60_000

let world: DispatcherWorld
beforeAll(async () => {
  world = await openDispatcherWorld()
})
afterEach(() => world.stopAll())
afterAll(() => world.close())

describe('an attempt', () => {
  test('is signed with the secret, and ends the delivery when the receiver answers 2xx', async () => {
    const { receiver, clock } = world
    receiver.answer('/good', () => 204)
    const webhook = await world.createWebhook('/good', { secret: 'whsec_of_this_webhook' })
    await world.add([draftOf(webhook, 7)])
    world.start()
    await world.untilStates(webhook, ['delivered'])
    const { eventId, body } = draftOf(webhook, 7)
    const [request] = receiver.at('/good')
    const timestamp = String(clock.now() / 1000)
    const signature = createHmac('sha256', 'whsec_of_this_webhook').update(`${timestamp}.${body}`)
    expect(request).toMatchObject({
      body,
      headers: {
        'x-webhook-id': webhook.publicId,
        'x-webhook-event': 'trade',
        'x-webhook-timestamp': timestamp,
        'x-webhook-signature': `sha256=${signature.digest('hex')}`,
        'webhook-id': `evt_${eventId}`,
      },
    })
    expect(await selectAttempts(world.sql, webhook)).toMatchObject([
      { eventId, attempt: 1, success: true, statusCode: 204, error: null },
    ])
    const [row] = await selectDeliveries(world.sql, webhook)
    expect(row).toMatchObject({ attempts: 1, dueAt: null, isLeased: false })
    expect(row?.finishedAt).toEqual(new Date(clock.now()))
    expect(await selectNextAt(world.sql, webhook)).toBeNull()
  })

  test('that fails is repeated after 10 s, 60 s, 5 min and 1 h, and then no more', async () => {
    const { receiver, clock, sql } = world
    receiver.answer('/bad', () => 500)
    const webhook = await world.createWebhook('/bad')
    await world.add([draftOf(webhook, 1)])
    const { wake } = world.start()
    await world.untilAttempted(webhook, 1)
    const times = [clock.now()]
    for (const [index, delayMs] of [10_000, 60_000, 300_000, HOUR_MS].entries()) {
      const [row] = await selectDeliveries(sql, webhook)
      expect(row?.dueAt).toEqual(new Date(clock.now() + delayMs))
      expect(await selectNextAt(sql, webhook)).toEqual(new Date(clock.now() + delayMs))
      clock.advance(delayMs - 1_000)
      await world.lookAround({ wake })
      expect(receiver.at('/bad')).toHaveLength(index + 1)
      clock.advance(1_000)
      wake()
      await world.untilAttempted(webhook, index + 2)
      times.push(clock.now())
    }
    await world.untilStates(webhook, ['failed'])
    clock.advance(25 * HOUR_MS)
    await world.lookAround({ wake })

    const requests = receiver.at('/bad')
    const sent = (name: string) => requests.map(({ headers }) => headers[name])
    expect(sent('x-webhook-timestamp')).toEqual(times.map((ms) => String(ms / 1000)))
    expect(new Set(sent('x-webhook-signature')).size).toBe(5)
    expect(new Set(sent('webhook-id')).size).toBe(1)
    expect(new Set(requests.map(({ body }) => body))).toEqual(new Set([draftOf(webhook, 1).body]))
    const history = await selectAttempts(sql, webhook)
    expect(history).toMatchObject(
      times.map((ms, index) => ({
        attempt: index + 1,
        success: false,
        statusCode: 500,
        error: 'http 500',
        attemptedAt: new Date(ms),
      })),
    )
    expect(await selectNextAt(sql, webhook)).toBeNull()
  })

  test('uses the secret and the url that the webhook has at its time', async () => {
    const { receiver, clock, sql, secretBox } = world
    receiver.answer('/old', () => 503)
    const webhook = await world.createWebhook('/old', { secret: 'whsec_the_old_secret' })
    await world.add([draftOf(webhook, 1)])
    const { wake } = world.start()
    await world.untilAttempted(webhook, 1)
    const secret = await secretBox.encrypt('whsec_the_new_secret', webhook.publicId)
    await sql`update webhooks set secret = ${secret}, url = ${`${receiver.url}/new`} where id = ${webhook.id}`
    clock.advance(10_000)
    wake()
    await world.untilStates(webhook, ['delivered'])
    const [request] = receiver.at('/new')
    const timestamp = request?.headers['x-webhook-timestamp']
    const signature = createHmac('sha256', 'whsec_the_new_secret').update(`${timestamp}.${request?.body}`)
    expect(request?.headers['x-webhook-signature']).toBe(`sha256=${signature.digest('hex')}`)
  })

  test('cannot be made with a secret that cannot be decrypted, and the history says so', async () => {
    const webhook = await world.createWebhook('/sealed')
    await world.sql`update webhooks set secret = ${Buffer.alloc(40)} where id = ${webhook.id}`
    await world.add([draftOf(webhook, 1)])
    const { lines } = world.start()
    await world.untilAttempted(webhook, 1)
    expect(await selectAttempts(world.sql, webhook)).toMatchObject([
      { attempt: 1, success: false, error: 'secret cannot be read: rotate it' },
    ])
    expect(lines.join()).toContain('a delivery cannot be signed')
  })
})

describe('what waits', () => {
  test('of a paused webhook is cancelled, and the history says so', async () => {
    const { receiver, clock, sql } = world
    receiver.answer('/paused', () => 500)
    const webhook = await world.createWebhook('/paused')
    await world.add(draftsOf(webhook, 3))
    const { wake } = world.start()
    await world.untilAttempted(webhook, 3)
    await transact(sql, async (tx) => {
      await tx`update webhooks set active = false where id = ${webhook.id}`
      await cancelPending(tx, webhook.id, clock.now())
    })
    clock.advance(10_000)
    await world.lookAround({ wake })
    expect(receiver.at('/paused')).toHaveLength(3)
    await world.untilStates(webhook, ['cancelled', 'cancelled', 'cancelled'])
    const history = await selectAttempts(sql, webhook)
    expect(history.slice(3)).toMatchObject(
      Array.from({ length: 3 }, () => ({ attempt: 2, success: false, error: 'webhook paused' })),
    )
  })

  test('of a webhook that became inactive by itself is cancelled when its lane is claimed', async () => {
    const webhook = await world.createWebhook('/inactive')
    await world.add(draftsOf(webhook, 1_500))
    await world.sql`update webhooks set active = false where id = ${webhook.id}`
    world.start()
    await untilHolds(async () => {
      const rows = await selectDeliveries(world.sql, webhook)
      expect(rows.every(({ state }) => state === 'cancelled')).toBe(true)
    })
    expect(world.receiver.at('/inactive')).toEqual([])
    expect(await selectAttempts(world.sql, webhook)).toHaveLength(1_500)
    await untilHolds(async () => expect(await selectNextAt(world.sql, webhook)).toBeNull())
  })

  test('of a deleted webhook is forgotten without a word', async () => {
    const webhook = await world.createWebhook('/deleted')
    await world.add([draftOf(webhook, 1)])
    await world.sql`update webhooks set deleted_at = ${new Date(0)} where id = ${webhook.id}`
    world.start()
    await world.untilStates(webhook, ['cancelled'])
    expect(await selectAttempts(world.sql, webhook)).toEqual([])
  })

  test('of a webhook that is polled is never sent', async () => {
    const webhook = await world.createWebhook('/polled')
    await world.add([draftOf(webhook, 1)])
    await world.sql`update webhooks set polled_at = ${new Date(0)} where id = ${webhook.id}`
    const { wake } = world.start()
    await world.lookAround({ wake })
    await world.untilStates(webhook, ['pending'])
    expect(await selectNextAt(world.sql, webhook)).toBeNull()
    expect(world.receiver.at('/polled')).toEqual([])
  })
})

test('the end of an attempt whose webhook was removed meanwhile is let go', async () => {
  let answer = (_status: number) => {}
  world.receiver.answer('/removed', () => new Promise((resolve) => (answer = resolve)))
  const webhook = await world.createWebhook('/removed')
  await world.add([draftOf(webhook, 1)])
  const { wake } = world.start()
  await untilHolds(async () => expect(world.receiver.at('/removed')).toHaveLength(1))
  await world.sql`delete from webhooks where id = ${webhook.id}`
  answer(500)
  await world.lookAround({ wake })
})
