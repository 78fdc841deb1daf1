import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.js'
import { untilLocked } from '../../test/until-locked.js'
import { Plans } from '../accounts/plans.js'
import type { Sql } from '../store/connection.js'
import { transact } from '../store/transaction.js'
import { cancelHeldAbove, enqueue, lockAllowances } from './deliver/enqueue.js'
import { disableWebhooks } from './deliver/record-and-claim.js'
import { draftOf, insertTestWebhook, selectDeliveries } from './deliver/test-webhook.js'
import { deleteUnpolledListeners } from './listen/queries.js'
import { resendDelivery } from './manage/send-again.js'
import { lowerFromSeq } from './match/queries.js'

// Transactions that change the same webhooks lock in one order: none may wait for one that waits for it.

const NOW_MS = Date.UTC(2026, 10, 16, 12)

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const untilWaiting = (count: number) => untilLocked(database.sql, count)

/** What PUT does: it has the webhook locked and then moves the revision. `meanwhile` runs in between. */
async function changeWhile(id: number, meanwhile: (tx: Sql) => Promise<unknown>): Promise<void> {
  await transact(database.sql, async (tx) => {
    await tx`select from webhooks where id = ${id} for no key update`
    await meanwhile(tx)
    await tx`update webhooks set filters = filters where id = ${id}`
  })
}

describe('a change of a webhook and', () => {
  test('the disabling of several', async () => {
    const { sql } = database
    const one = await insertTestWebhook(sql, { nowMs: NOW_MS })
    const two = await insertTestWebhook(sql, { nowMs: NOW_MS })
    await sql`
      insert into webhook_lanes (webhook, account_id, consecutive_failures)
      values (${one.id}, ${one.accountId}, 50), (${two.id}, ${two.accountId}, 50)`
    let disabling: Promise<string[]> | undefined
    await changeWhile(two.id, async () => {
      disabling = disableWebhooks(sql, [one.id, two.id], NOW_MS)
      await untilWaiting(1)
    })
    expect(await disabling).toEqual([one.publicId, two.publicId])
  })

  test('the end of several listeners', async () => {
    const { sql } = database
    const one = await insertTestWebhook(sql, { nowMs: NOW_MS, isPolled: true })
    const two = await insertTestWebhook(sql, { nowMs: NOW_MS, isPolled: true })
    let ending: Promise<void> | undefined
    await changeWhile(two.id, async () => {
      ending = deleteUnpolledListeners(sql, NOW_MS + 121_000)
      await untilWaiting(1)
    })
    await ending
    const gone = await sql`
      select from webhooks where id in (${one.id}, ${two.id}) and deleted_at is not null`
    expect(gone).toHaveLength(2)
  })

  test('a reorganisation, while the dispatcher writes the history of another webhook', async () => {
    const { sql } = database
    const written = await insertTestWebhook(sql, { nowMs: NOW_MS })
    const changed = await insertTestWebhook(sql, { nowMs: NOW_MS })
    await sql`update webhooks set from_seq = 10 where id in (${changed.id}, ${written.id})`
    await sql`
      insert into webhook_lanes (webhook, account_id)
      values (${changed.id}, ${changed.accountId}), (${written.id}, ${written.accountId})`
    let goingBack: Promise<void> | undefined
    let changing: Promise<void> | undefined
    await transact(sql, async (dispatcher) => {
      await dispatcher`select from webhook_lanes where webhook = ${changed.id} for update`
      changing = changeWhile(changed.id, async (tx) => {
        goingBack = transact(sql, (matcher) => lowerFromSeq(matcher, 5))
        await tx`select from webhook_lanes where webhook = ${changed.id} for update`
      })
      await untilWaiting(2)
      await dispatcher`
        insert into webhook_attempts
               (webhook, event_id, event_type, attempt, success, latency_ms, attempted_at)
        values (${written.id}, gen_random_uuid(), 'trade', 1, true, 1, ${new Date(NOW_MS)})`
    })
    await Promise.all([changing, goingBack])
  })
})

test('resending a held delivery and a reorganisation that cancels it', async () => {
  const { sql } = database
  const webhook = await insertTestWebhook(sql, { nowMs: NOW_MS })
  const draft = draftOf(webhook, 1, { confirmations: 5 })
  await transact(sql, (tx) => enqueue(tx, [draft], { plans: new Plans(), nowMs: NOW_MS }))
  let resending: Promise<unknown> | undefined
  await transact(sql, async (matcher) => {
    await matcher`
      select from webhook_deliveries where webhook = ${webhook.id} for update`
    resending = resendDelivery(sql, draft.eventId, {
      webhook: { id: webhook.id, active: true },
      accountId: webhook.accountId,
      plans: new Plans(),
      nowMs: NOW_MS,
    }).catch((error) => error)
    expect(await resending).toMatchObject({ message: 'The delivery is not finished.' })
    await cancelHeldAbove(matcher, 99)
  })
  expect(await selectDeliveries(sql, webhook)).toEqual([])
  const left = await transact(sql, (tx) =>
    lockAllowances(tx, { plans: new Plans(), accountIds: [webhook.accountId], nowMs: NOW_MS }),
  )
  expect(left.get(webhook.accountId)).toBeNull()
})
