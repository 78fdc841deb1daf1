import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.js'
import { Plans } from '../../accounts/plans.js'
import { transact } from '../../store/transaction.js'
import { cancelHeldAbove, type DeliveryDraft, enqueue, releaseHeld } from './enqueue.js'
import { cancelPending } from './queries.js'
import {
  draftOf,
  draftsOf,
  insertTestWebhook,
  selectAttempts,
  selectDeliveries,
  selectNextAt,
  type TestWebhook,
} from './test-webhook.js'

const NOW_MS = Date.UTC(2026, 10, 15, 12)
const HOUR_MS = 60 * 60_000

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const createWebhook = (more: Partial<Parameters<typeof insertTestWebhook>[1]> = {}) =>
  insertTestWebhook(database.sql, { nowMs: NOW_MS, ...more })

const add = (drafts: readonly DeliveryDraft[], nowMs = NOW_MS) =>
  transact(database.sql, (tx) => enqueue(tx, drafts, { plans: new Plans(), nowMs }))

const statesOf = async (webhook: TestWebhook) =>
  (await selectDeliveries(database.sql, webhook)).map(({ state }) => state)

async function usedOn(day: string, { accountId }: TestWebhook): Promise<number> {
  const [row] = await database.sql<{ deliveries: bigint }[]>`
    select deliveries from webhook_days where account_id = ${accountId} and day = ${day}`
  return Number(row?.deliveries ?? 0n)
}

describe('what is queued', () => {
  test('is due at once, and the dispatcher is to look', async () => {
    const webhook = await createWebhook()
    await add([draftOf(webhook, 1)])
    const [row] = await selectDeliveries(database.sql, webhook)
    const { eventId, body } = draftOf(webhook, 1)
    expect(row).toMatchObject({ eventId, body, state: 'pending', attempts: 0, isLeased: false })
    expect(row?.dueAt).toEqual(new Date(NOW_MS))
    expect(await selectNextAt(database.sql, webhook)).toEqual(new Date(NOW_MS))
  })

  test('is queued once, however often it is found', async () => {
    const webhook = await createWebhook({ plan: 'starter' })
    await add([draftOf(webhook, 1), draftOf(webhook, 1)])
    await add(draftsOf(webhook, 2))
    expect(await statesOf(webhook)).toEqual(['pending', 'pending'])
    expect(await usedOn('2026-11-15', webhook)).toBe(2)
  })

  test('keeps quotes, line breaks and other scripts of its body', async () => {
    const webhook = await createWebhook()
    const body = JSON.stringify({ text: 'a "quoted" \\ {brace}, NULL\n\u0000 ünï 🎲' })
    await add([draftOf(webhook, 1, { body })])
    expect((await selectDeliveries(database.sql, webhook))[0]?.body).toBe(body)
  })

  test('is nothing for a webhook that was paused or deleted meanwhile', async () => {
    const [paused, deleted] = [await createWebhook(), await createWebhook()]
    await database.sql`update webhooks set active = false where id = ${paused.id}`
    await database.sql`update webhooks set deleted_at = ${new Date(NOW_MS)} where id = ${deleted.id}`
    const gone = { ...deleted, id: 1_000_000 }
    await add([draftOf(paused, 1), draftOf(deleted, 1), draftOf(gone, 1)])
    expect([await statesOf(paused), await statesOf(deleted)]).toEqual([[], []])
  })

  test('waits for those who ask for it, not for the dispatcher, where a webhook is polled', async () => {
    const webhook = await createWebhook({ isPolled: true })
    await add([draftOf(webhook, 1)])
    expect(await statesOf(webhook)).toEqual(['pending'])
    expect(await selectNextAt(database.sql, webhook)).toBeUndefined()
  })

  test('does not let a lane wait longer than it would have', async () => {
    const webhook = await createWebhook()
    await add([draftOf(webhook, 1)])
    await add([draftOf(webhook, 2)], NOW_MS + 5_000)
    expect(await selectNextAt(database.sql, webhook)).toEqual(new Date(NOW_MS))
  })
})

describe('the allowance of a day', () => {
  const almostUse = async (webhook: TestWebhook, deliveries: number, day = '2026-11-15') => {
    await database.sql`
      insert into webhook_days (account_id, day, deliveries)
      values (${webhook.accountId}, ${day}, ${deliveries})`
  }

  test('is used to the last delivery, and the history says once an hour that it is', async () => {
    const webhook = await createWebhook({ plan: 'starter' })
    await almostUse(webhook, 49_998)
    await add(draftsOf(webhook, 3))
    await add(draftsOf(webhook, 2, 3), NOW_MS + 1_000)
    expect(await statesOf(webhook)).toEqual(['pending', 'pending'])
    expect(await usedOn('2026-11-15', webhook)).toBe(50_000)
    const note = { attempt: 0, success: false, statusCode: null, error: 'daily delivery limit reached' }
    const { eventId } = draftOf(webhook, 2)
    expect(await selectAttempts(database.sql, webhook)).toMatchObject([
      { ...note, eventId, attemptedAt: new Date(NOW_MS) },
    ])
    await add([draftOf(webhook, 9)], NOW_MS + HOUR_MS - 1)
    expect(await selectAttempts(database.sql, webhook)).toHaveLength(1)
    await add([draftOf(webhook, 9)], NOW_MS + HOUR_MS)
    expect(await selectAttempts(database.sql, webhook)).toHaveLength(2)
  })

  test('is not used by what was queued before', async () => {
    const webhook = await createWebhook({ plan: 'starter' })
    await add(draftsOf(webhook, 5))
    await database.sql`update webhook_days set deliveries = 49_999 where account_id = ${webhook.accountId}`
    await add(draftsOf(webhook, 6))
    expect(await statesOf(webhook)).toHaveLength(6)
    expect(await selectAttempts(database.sql, webhook)).toEqual([])
  })

  test('is shared by the webhooks of an account, and by no others', async () => {
    const first = await createWebhook({ plan: 'starter' })
    const second = await createWebhook({ accountId: first.accountId })
    const other = await createWebhook({ plan: 'starter' })
    await almostUse(first, 49_999)
    await add([draftOf(first, 1), draftOf(second, 1), draftOf(other, 1)])
    expect([await statesOf(first), await statesOf(second), await statesOf(other)]).toEqual([
      ['pending'],
      [],
      ['pending'],
    ])
    expect(await selectAttempts(database.sql, second)).toHaveLength(1)
  })

  test('is whole again at midnight UTC, and what was refused is not sent then', async () => {
    const webhook = await createWebhook({ plan: 'starter' })
    const midnightMs = Date.UTC(2026, 10, 16)
    await almostUse(webhook, 50_000)
    await add([draftOf(webhook, 1)], midnightMs - 1)
    expect(await statesOf(webhook)).toEqual([])
    await add([draftOf(webhook, 2)], midnightMs)
    expect(await statesOf(webhook)).toEqual(['pending'])
    expect(await usedOn('2026-11-16', webhook)).toBe(1)
  })

  test('has no end on a plan without limit, and none of it is there on the free plan', async () => {
    const [unlimited, free] = [await createWebhook(), await createWebhook({ plan: 'free' })]
    await almostUse(unlimited, 10_000_000)
    await add([draftOf(unlimited, 1), draftOf(free, 1)])
    expect([await statesOf(unlimited), await statesOf(free)]).toEqual([['pending'], []])
  })

  test('holds across the chunks of a large batch', async () => {
    const webhook = await createWebhook({ plan: 'starter' })
    await almostUse(webhook, 47_500)
    await add(draftsOf(webhook, 4_500))
    expect(await statesOf(webhook)).toHaveLength(2_500)
    expect(await usedOn('2026-11-15', webhook)).toBe(50_000)
    expect(await selectAttempts(database.sql, webhook)).toHaveLength(1)
  })
})

describe('held deliveries', () => {
  const held = (webhook: TestWebhook, number: number, block: number) =>
    draftOf(webhook, number, { block, confirmations: 3 })
  const release = (headBlock: number, nowMs = NOW_MS) =>
    transact(database.sql, (tx) => releaseHeld(tx, headBlock, nowMs))

  test('are due when the head is this many blocks above', async () => {
    const webhook = await createWebhook()
    await add([held(webhook, 1, 100), held(webhook, 2, 101)])
    expect(await selectNextAt(database.sql, webhook)).toBeUndefined()
    await release(102)
    expect(await statesOf(webhook)).toEqual(['held', 'held'])
    await release(103, NOW_MS + 500)
    expect(await statesOf(webhook)).toEqual(['pending', 'held'])
    expect(await selectNextAt(database.sql, webhook)).toEqual(new Date(NOW_MS + 500))
    expect((await selectDeliveries(database.sql, webhook))[0]?.dueAt).toEqual(new Date(NOW_MS + 500))
    await release(104)
  })

  test('of blocks that were reverted are gone, and do not count', async () => {
    const webhook = await createWebhook()
    await add([held(webhook, 1, 200), held(webhook, 2, 201), held(webhook, 3, 202)])
    const taken = await transact(database.sql, (tx) => cancelHeldAbove(tx, 200))
    const { body } = draftOf(webhook, 2)
    expect(taken).toHaveLength(2)
    expect(taken).toContainEqual({ webhook: webhook.id, eventType: 'trade', body })
    expect(await statesOf(webhook)).toEqual(['held'])
    expect(await usedOn('2026-11-15', webhook)).toBe(1)
    await add([held(webhook, 2, 205)])
    expect(await statesOf(webhook)).toEqual(['held', 'held'])
    await release(300)
  })

  test('are cancelled when the webhook was paused in between, though it is active again', async () => {
    const [paused, resumed, deleted, young] = [
      await createWebhook(),
      await createWebhook(),
      await createWebhook(),
      await createWebhook(),
    ]
    await add([paused, resumed, deleted, young].map((webhook) => held(webhook, 1, 400)))
    const later = new Date(NOW_MS + 1)
    await database.sql`update webhooks set active = false where id = ${paused.id}`
    await database.sql`
      update webhooks set from_seq = 400::bigint << 20 where id = ${resumed.id}`
    // Made by a process whose clock is ahead of the matcher's.
    await database.sql`update webhooks set active_since = ${later} where id = ${young.id}`
    await database.sql`update webhooks set deleted_at = ${later} where id = ${deleted.id}`
    await release(500)
    for (const webhook of [paused, resumed]) {
      expect(await statesOf(webhook)).toEqual(['cancelled'])
      expect(await selectAttempts(database.sql, webhook)).toMatchObject([
        { attempt: 1, success: false, error: 'webhook paused' },
      ])
    }
    expect(await selectAttempts(database.sql, deleted)).toEqual([])
    expect(await statesOf(young)).toEqual(['pending'])
  })
})

test('what waits of a paused webhook is cancelled, but for attempts that run', async () => {
  const webhook = await createWebhook()
  await add(draftsOf(webhook, 3))
  const { eventId } = draftOf(webhook, 1)
  await database.sql`
    update webhook_deliveries set is_leased = true where webhook = ${webhook.id} and event_id = ${eventId}`
  await transact(database.sql, (tx) => cancelPending(tx, webhook.id, NOW_MS + 7))
  const rows = await selectDeliveries(database.sql, webhook)
  expect(rows.map(({ state }) => state)).toEqual(['cancelled', 'pending', 'cancelled'])
  expect(rows[0]).toMatchObject({ dueAt: null, finishedAt: new Date(NOW_MS + 7) })
  expect(await selectAttempts(database.sql, webhook)).toMatchObject([
    { attempt: 1, error: 'webhook paused' },
    { attempt: 1, error: 'webhook paused' },
  ])
})
