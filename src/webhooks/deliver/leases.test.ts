import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type ClaimedDelivery, nextState } from './queries.js'
import { recordAndClaim } from './record-and-claim.js'
import type { AttemptResult } from './sender.js'
import { type DispatcherWorld, openDispatcherWorld, untilHolds } from './test-dispatchers.js'
import {
  draftOf,
  draftsOf,
  selectAttempts,
  selectDeliveries,
  selectNextAt,
  type TestWebhook,
  unusedCapacity,
} from './test-webhook.js'

const LEASE_MS = 8_000
const HOUR_MS = 60 * 60_000
const INTERRUPTED = 'interrupted: the service stopped during the attempt'

let world: DispatcherWorld
beforeAll(async () => {
  world = await openDispatcherWorld()
})
afterEach(() => world.stopAll())
afterAll(() => world.close())

/** What a process takes that is killed before it can write anything. */
async function claim(): Promise<ClaimedDelivery[]> {
  const request = { ended: [], capacity: unusedCapacity(200), nowMs: world.clock.now() }
  return (await recordAndClaim(world.sql, request)).claimed
}

const end = (delivery: ClaimedDelivery, success: boolean) => {
  const nowMs = world.clock.now()
  const result: AttemptResult = success
    ? { success, statusCode: 200, latencyMs: 1, error: undefined }
    : { success, statusCode: 500, latencyMs: 1, error: 'http 500' }
  const next = nextState(delivery.attempts + 1, result, nowMs)
  const ended = [{ delivery, startedMs: nowMs, endedMs: nowMs, result, next }]
  return recordAndClaim(world.sql, { ended, capacity: unusedCapacity(0), nowMs })
}

const rowOf = async (webhook: TestWebhook) => (await selectDeliveries(world.sql, webhook))[0]

describe('after a kill', () => {
  test('a lease is taken over when it has run out, and the history tells of both attempts', async () => {
    const { clock, receiver, sql } = world
    const webhook = await world.createWebhook('/killed')
    await world.add([draftOf(webhook, 1)])
    const claimedMs = clock.now()
    expect(await claim()).toHaveLength(1)
    const dispatcher = world.start()
    clock.advance(LEASE_MS - 1)
    await world.lookAround(dispatcher)
    expect(receiver.at('/killed')).toHaveLength(0)
    clock.advance(1)
    dispatcher.wake()
    await world.untilStates(webhook, ['delivered'])
    expect(receiver.at('/killed')).toHaveLength(1)
    expect(await selectAttempts(sql, webhook)).toMatchObject([
      { attempt: 1, success: false, error: INTERRUPTED, attemptedAt: new Date(claimedMs) },
      { attempt: 1, success: true, attemptedAt: new Date(claimedMs + LEASE_MS) },
    ])
  })

  test('ten lost leases let no more than ten attempts run afterwards', async () => {
    const webhook = await world.createWebhook('/lost', { places: 10 })
    await world.add(draftsOf(webhook, 25))
    expect(await claim()).toHaveLength(10)
    world.clock.advance(LEASE_MS)
    expect(await claim()).toHaveLength(10)
    expect(await claim()).toHaveLength(0)
    await world.sql`delete from webhooks where id = ${webhook.id}`
  })
})

describe('a process that wakes up after its lease was taken over', () => {
  const takeOver = async (path: string) => {
    const webhook = await world.createWebhook(path)
    await world.add([draftOf(webhook, 1)])
    const [first] = await claim()
    world.clock.advance(LEASE_MS)
    const [second] = await claim()
    if (first === undefined || second === undefined) return expect.fail('nothing was claimed')
    return { webhook, first, second }
  }

  test('writes its failure into the history, and leaves the delivery to the other', async () => {
    const { webhook, first, second } = await takeOver('/late-failure')
    await end(first, false)
    expect(await rowOf(webhook)).toMatchObject({ state: 'pending', isLeased: true, attempts: 0 })
    await end(second, false)
    expect(await rowOf(webhook)).toMatchObject({ state: 'pending', isLeased: false, attempts: 1 })
    expect(await selectAttempts(world.sql, webhook)).toHaveLength(3)
  })

  test('ends the delivery with its success', async () => {
    const { webhook, first, second } = await takeOver('/late-success')
    await end(first, true)
    expect(await rowOf(webhook)).toMatchObject({ state: 'delivered', isLeased: false })
    await end(second, false)
    expect(await rowOf(webhook)).toMatchObject({ state: 'delivered', attempts: 1 })
  })
})

describe('a stop', () => {
  test('waits a moment for attempts that end, and gives the rest back', async () => {
    const { receiver, sql, clock } = world
    receiver.answer('/stop', ({ body }) =>
      body.includes('"number":0}')
        ? new Promise<number>((resolve) => setTimeout(() => resolve(200), 50))
        : 'hang',
    )
    const webhook = await world.createWebhook('/stop', { places: 10 })
    await world.add(draftsOf(webhook, 3))
    const { stop, registry } = world.start()
    await untilHolds(() => expect(receiver.at('/stop')).toHaveLength(3))
    const startedMs = performance.now()
    await stop()
    expect(performance.now() - startedMs).toBeLessThan(2_000)

    const rows = await selectDeliveries(sql, webhook)
    expect(rows.map(({ state }) => state)).toEqual(['delivered', 'pending', 'pending'])
    expect(rows[1]).toMatchObject({ attempts: 0, isLeased: false, dueAt: new Date(clock.now()) })
    expect(await selectNextAt(sql, webhook)).toEqual(new Date(clock.now()))
    const history = await selectAttempts(sql, webhook)
    expect(history.slice(1)).toMatchObject(
      Array.from({ length: 2 }, () => ({ attempt: 1, success: false, error: INTERRUPTED })),
    )
    expect(await registry.metrics()).toContain('auspex_webhook_attempts_total{result="interrupted"} 2')
    receiver.answer('/stop', () => 200)
    world.start()
    await world.untilStates(webhook, ['delivered', 'delivered', 'delivered'])
    const [, second] = await selectAttempts(sql, webhook)
    const again = (await selectAttempts(sql, webhook)).filter(({ eventId }) => eventId === second?.eventId)
    expect(again).toMatchObject([
      { attempt: 1, success: false },
      { attempt: 1, success: true },
    ])
  })
})

describe('a clock that is set back', () => {
  test('lets no delivery wait longer than the longest step of the table', async () => {
    const { clock, receiver } = world
    receiver.answer('/back', () => 500)
    const webhook = await world.createWebhook('/back')
    await world.add([draftOf(webhook, 1)])
    const dispatcher = world.start()
    await world.untilAttempted(webhook, 1)
    const startMs = clock.now()
    clock.set(startMs - HOUR_MS)
    clock.advance(HOUR_MS + 10_000)
    dispatcher.wake()
    await world.untilAttempted(webhook, 2)
    clock.set(startMs - 24 * HOUR_MS)
    dispatcher.wake()
    await world.untilAttempted(webhook, 3)
    const [, , third] = await selectAttempts(world.sql, webhook)
    expect(third).toMatchObject({ attempt: 3, attemptedAt: new Date(startMs - 24 * HOUR_MS) })
    clock.set(startMs + 2 * HOUR_MS)
  })

  test('sends what is new at once', async () => {
    const { clock } = world
    clock.advance(-HOUR_MS)
    const webhook = await world.createWebhook('/new-after')
    await world.add([draftOf(webhook, 1)])
    world.start()
    await world.untilStates(webhook, ['delivered'])
    clock.advance(HOUR_MS)
  })

  test('does not keep the lease of a process that was killed', async () => {
    const { clock } = world
    const webhook = await world.createWebhook('/lease-ahead')
    await world.add([draftOf(webhook, 1)])
    await claim()
    clock.advance(-2 * HOUR_MS)
    world.start()
    await world.untilStates(webhook, ['delivered'])
    clock.advance(2 * HOUR_MS)
  })
})

test('a clock that is set forward has retries sent early, and a running attempt repeated once', async () => {
  const { clock, receiver } = world
  const answers: ((status: number) => void)[] = []
  receiver.answer('/forward', () => new Promise((resolve) => void answers.push(resolve)))
  const webhook = await world.createWebhook('/forward', { places: 10 })
  await world.add([draftOf(webhook, 1)])
  const dispatcher = world.start()
  await untilHolds(() => expect(answers).toHaveLength(1))
  clock.advance(24 * HOUR_MS)
  dispatcher.wake()
  await untilHolds(() => expect(answers).toHaveLength(2))
  await world.lookAround(dispatcher)
  expect(answers).toHaveLength(2)
  for (const answer of answers) answer(200)
  await world.untilStates(webhook, ['delivered'])
})
