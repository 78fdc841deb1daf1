import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { insertAccount } from '../../accounts/queries.js'
import { transact } from '../../store/transaction.js'
import { forgetFailures } from './queries.js'
import { recordAndClaim } from './record-and-claim.js'
import { type DispatcherWorld, openDispatcherWorld, untilHolds } from './test-dispatchers.js'
import {
  draftOf,
  draftsOf,
  selectAttempts,
  selectDeliveries,
  type TestWebhook,
  unusedCapacity,
} from './test-webhook.js'

const HOUR_MS = 60 * 60_000

let world: DispatcherWorld
beforeAll(async () => {
  world = await openDispatcherWorld()
})
afterEach(async () => {
  await world.stopAll()
  await world.sql`delete from webhooks`
})
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

test('a receiver that never answers has its ten requests, and holds up no other', async () => {
  const { receiver, sql } = world
  receiver.answer('/hangs', () => 'hang')
  const slow = await world.createWebhook('/hangs', { places: 10 })
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
})

/** Webhooks whose receivers do not answer, with ten deliveries each. */
async function crowd(prefix: string, accountIds: readonly (number | undefined)[]) {
  const { receiver } = world
  const webhooks = await Promise.all(
    accountIds.map((accountId, n) => {
      receiver.answer(`/${prefix}-${n}`, () => 'hang')
      const account = accountId === undefined ? {} : { accountId }
      return world.createWebhook(`/${prefix}-${n}`, { places: 10, ...account })
    }),
  )
  await world.add(webhooks.flatMap((webhook) => draftsOf(webhook, 10)))
  return {
    /** Requests of all of them that were sent. */
    sent: () => receiver.requests.filter(({ path }) => path.startsWith(`/${prefix}-`)).length,
    sentTo: (n: number) => receiver.at(`/${prefix}-${n}`).length,
  }
}

const createAccount = () =>
  insertAccount(world.sql, { name: 'x', plan: 'enterprise', nowMs: world.clock.now() })

test('receivers that were slow before get half of a busy process, and others find free slots', async () => {
  const slow = await crowd('slow', new Array(60).fill(undefined))
  await world.sql`update webhook_lanes set is_healthy = false`
  const { wake } = world.start()
  // Each as many as are left free: 24 have 9 and the others 8, which leaves 8 of 512.
  await untilHolds(() => expect(slow.sent()).toBe(504))
  await world.lookAround({ wake })
  expect(slow.sent()).toBe(504)
})

test('an account gets half of the slots, the next one half of the rest, and one with less all it needs', async () => {
  const [big, other] = [await createAccount(), await createAccount()]
  const first = await crowd('big', new Array(55).fill(big))
  const { wake, registry } = world.start()
  await untilHolds(() => expect(first.sent()).toBe(512))
  await world.lookAround({ wake })
  expect(first.sent()).toBe(512)
  const text = await registry.metrics()
  expect(text).toContain('auspex_webhook_held 512')
  expect(text).toContain('auspex_webhook_held_accounts 1')
  expect(text).toMatch(/auspex_webhook_passed_over_total [1-9]/)

  const second = await crowd('other', new Array(28).fill(other))
  const small = await crowd('small', [undefined, undefined])
  wake()
  await untilHolds(() => expect([small.sentTo(0), small.sentTo(1)]).toEqual([10, 10]))
  await untilHolds(() => expect(second.sent()).toBe(246))
})

test('lanes of one account that are due before all others do not hide those', async () => {
  const { sql, clock } = world
  const big = await createAccount()
  await crowd('before', new Array(100).fill(big))
  await sql`update webhook_lanes set next_at = ${new Date(clock.now() - 60_000)} where next_at is not null`
  const held = new Map([[big, 50]])
  const one = await world.createWebhook('/one')
  await world.add(draftsOf(one, 3))
  const capacity = { free: 50, freeForSlow: 50, held }
  const request = { ended: [], capacity, nowMs: clock.now() }
  const { claimed, passedOver } = await recordAndClaim(sql, request)
  expect(claimed.map(({ webhook }) => webhook)).toEqual([one.id])
  expect(passedOver).toBe(64)
})

test('successive claims reach all accounts when more have lanes due than one claim reads', async () => {
  const { sql, clock } = world
  const webhooks = await Promise.all(Array.from({ length: 140 }, (_, n) => world.createWebhook(`/turn-${n}`)))
  await world.add(webhooks.map((webhook) => draftOf(webhook, 0)))
  const claimed: number[] = []
  let afterAccount = 0
  do {
    const request = { ended: [], capacity: unusedCapacity(1_000), afterAccount, nowMs: clock.now() }
    const result = await recordAndClaim(sql, request)
    claimed.push(...result.claimed.map(({ webhook }) => webhook))
    afterAccount = result.afterAccount
  } while (afterAccount > 0)
  expect(new Set(claimed)).toEqual(new Set(webhooks.map(({ id }) => id)))
})

test('a free slot goes to the account that holds the fewest, the longest due delivery first', async () => {
  const { sql, clock } = world
  const few = await world.createWebhook('/few', { places: 10 })
  const more = await world.createWebhook('/more', { places: 10 })
  await world.add([...draftsOf(more, 10), ...draftsOf(few, 10)])
  const held = new Map([
    [few.accountId, 1],
    [more.accountId, 4],
  ])
  const capacity = { free: 12, freeForSlow: 12, held }
  const { claimed } = await recordAndClaim(sql, { ended: [], capacity, nowMs: clock.now() })
  const of = ({ id }: TestWebhook) => claimed.filter(({ webhook }) => webhook === id).length
  // Each holds 6 afterwards, and 5 are free.
  expect([of(few), of(more)]).toEqual([5, 2])
})

describe('the slots of a webhook', () => {
  const slotsOf = async ({ id }: TestWebhook) => {
    const [row] = await world.sql<{ places: number }[]>`
      select places from webhook_lanes where webhook = ${id}`
    return row?.places
  }

  test('a new one has one request at a time until its receiver has answered', async () => {
    const { receiver } = world
    const answers: ((status: number) => void)[] = []
    receiver.answer('/new', () => new Promise((resolve) => void answers.push(resolve)))
    const webhook = await world.createWebhook('/new')
    await world.add(draftsOf(webhook, 20))
    const { wake } = world.start()
    await untilHolds(() => expect(answers).toHaveLength(1))
    await world.lookAround({ wake })
    expect(answers).toHaveLength(1)
    answers[0]?.(200)
    await untilHolds(() => expect(answers.length).toBeGreaterThanOrEqual(3))
    receiver.answer('/new', () => 200)
    for (const answer of answers) answer(200)
    await world.untilStates(webhook, new Array(20).fill('delivered'))
  })

  test('double with each quick answer up to ten, and halve with each slow or failed one down to one', async () => {
    const { sql, clock } = world
    const webhook = await world.createWebhook('/earns')
    const slots: (number | undefined)[] = []
    const answers = [5, 5, 5, 5, 5, 4_500, 4_500, 0, 0, 0, 5]
    await world.add(draftsOf(webhook, answers.length))
    for (const latencyMs of answers) {
      clock.advance(1)
      const nowMs = clock.now()
      const [delivery] = (await recordAndClaim(sql, { ended: [], capacity: unusedCapacity(1), nowMs }))
        .claimed
      if (delivery === undefined) return expect.fail('nothing was claimed')
      const success = latencyMs > 0
      const result = { success, statusCode: 200, latencyMs, error: undefined }
      const next = { state: 'delivered', attempts: 1, dueMs: undefined } as const
      const ended = [{ delivery, startedMs: nowMs, endedMs: nowMs, result, next }]
      await recordAndClaim(sql, { ended, capacity: unusedCapacity(0), nowMs })
      slots.push(await slotsOf(webhook))
    }
    expect(slots).toEqual([2, 4, 8, 10, 10, 5, 2, 1, 1, 1, 2])
    await transact(sql, (tx) => forgetFailures(tx, webhook.id))
    expect(await slotsOf(webhook)).toBe(1)
  })
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
