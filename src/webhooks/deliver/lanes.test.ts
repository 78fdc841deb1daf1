import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.js'
import { ManualClock } from '../../../test/manual-clock.js'
import { randomFrom } from '../../../test/random.js'
import { Plans } from '../../accounts/plans.js'
import { transact } from '../../store/transaction.js'
import { enqueue, releaseHeld } from './enqueue.js'
import {
  type ClaimedDelivery,
  cancelPending,
  type EndedAttempt,
  forgetFailures,
  nextState,
} from './queries.js'
import { recordAndClaim } from './record-and-claim.js'
import type { AttemptResult } from './sender.js'
import { draftOf, insertTestWebhook, type TestWebhook, unusedCapacity } from './test-webhook.js'

const STEPS = 400

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

test('a lane is never claimed later than the first delivery that may be sent is due', async () => {
  const { sql } = database
  const clock = new ManualClock()
  const random = randomFrom(17)
  const webhooks: TestWebhook[] = []
  for (let n = 0; n < 3; n++) {
    webhooks.push(await insertTestWebhook(sql, { nowMs: clock.now(), isPolled: n === 2 }))
  }
  const running: ClaimedDelivery[] = []
  let number = 0

  const anyWebhook = () => webhooks[random(webhooks.length)] ?? expect.fail()
  const actions = [
    async () => {
      const webhook = anyWebhook()
      const drafts = Array.from({ length: 1 + random(8) }, () =>
        draftOf(webhook, number++, { block: number, confirmations: random(4) === 0 ? 5 : 0 }),
      )
      await transact(sql, (tx) => enqueue(tx, drafts, { plans: new Plans(), nowMs: clock.now() }))
    },
    async () => transact(sql, (tx) => releaseHeld(tx, number - random(20), clock.now())),
    async () => clock.advance(random(2) === 0 ? random(20_000) : random(2_000_000)),
    async () => {
      const count = random(running.length + 1)
      const ended = running.splice(0, count).map(endAttempt)
      const request = { ended, capacity: unusedCapacity(random(50)), nowMs: clock.now() }
      const result = await recordAndClaim(sql, request)
      expect(result.settled.size).toBe(count)
      // A process that is killed never ends what it has claimed.
      if (random(8) > 0) running.push(...result.claimed)
    },
    async () => {
      const { id } = anyWebhook()
      const isActive = random(3) > 0
      await transact(sql, async (tx) => {
        const now = new Date(clock.now())
        await tx`update webhooks set active = ${isActive}, active_since = ${now} where id = ${id}`
        if (isActive) await forgetFailures(tx, id)
        else await cancelPending(tx, id, clock.now())
      })
    },
  ]
  const endAttempt = (delivery: ClaimedDelivery): EndedAttempt => {
    const nowMs = clock.now()
    const success = random(3) === 0
    const result: AttemptResult = {
      success,
      statusCode: success ? 200 : 500,
      latencyMs: random(3_000),
      error: success ? undefined : 'http 500',
    }
    const next = nextState(delivery.attempts + 1, result, nowMs)
    return { delivery, startedMs: nowMs, endedMs: nowMs, result, next }
  }

  let claimable = 0
  for (let step = 0; step < STEPS; step++) {
    await actions[random(20) < 18 ? random(4) : 4]?.()
    for (const row of await selectLaneFacts()) {
      claimable += row.firstDue === null ? 0 : 1
      expect(row.leased).toBeLessThanOrEqual(10)
      const dueMs = [row.leaseEnd, row.leased < row.places ? row.firstDue : null]
        .filter((at) => at !== null)
        .map((at) => at.getTime())
      const nextMs = row.nextAt?.getTime() ?? Number.POSITIVE_INFINITY
      if (dueMs.length > 0) expect(nextMs).toBeLessThanOrEqual(Math.min(...dueMs))
    }
  }
  expect(claimable).toBeGreaterThan(STEPS / 4)

  type LaneFacts = {
    nextAt: Date | null
    places: number
    leased: number
    leaseEnd: Date | null
    firstDue: Date | null
  }
  function selectLaneFacts() {
    return sql<LaneFacts[]>`
      select lane.next_at, coalesce(lane.places, 1) as places, count(*) filter (where d.is_leased)::int as leased,
             min(d.due_at) filter (where d.is_leased) as lease_end,
             min(d.due_at) filter (where d.state = 'pending' and not d.is_leased) as first_due
        from webhooks w
        left join webhook_lanes lane on lane.webhook = w.id
        left join webhook_deliveries d on d.webhook = w.id
       where w.active and w.polled_at is null
       group by w.id, lane.next_at, lane.places`
  }
})
