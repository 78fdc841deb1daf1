import { expect, onTestFinished, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { decimal, word } from '../../events/test-facts.js'
import { insertTestWebhook } from '../deliver/test-webhook.js'
import type { WebhookFilters } from '../filters.js'
import { Baselines, restoreBaselines } from './baselines.js'

const TOKEN = word('7e5')

async function openBaselines() {
  const { sql, drop } = await createTestDatabase()
  onTestFinished(drop)
  const { id } = await insertTestWebhook(sql, { nowMs: 0 })
  const decide = async (filters: WebhookFilters, before: bigint, ...values: bigint[]) => {
    const bases = new Baselines(sql)
    let last = before
    const pairs = values.map((value, seq) => {
      const change = { wallet: '', token: TOKEN, value, before: last }
      last = value
      return { webhook: id, filters, occurrence: { ...OCCURRENCE, seq, change } }
    })
    const fired = await bases.decide(pairs)
    await bases.store(sql)
    return fired.map(({ matched, base }) => [base, matched.occurrence.change.value])
  }
  const stored = async () => {
    const rows = await sql<{ value: bigint }[]>`select value from webhook_bases`
    return rows.map(({ value }) => value)
  }
  const cancelled = (from: number, to: number) => ({
    webhook: id,
    eventType: 'price_change' as const,
    body: JSON.stringify({
      data: { token_id: decimal(TOKEN), previous_price: from, price: to },
    }),
  })
  return { sql, id, decide, stored, cancelled }
}

const OCCURRENCE = {
  ...({ type: 'price_change', timeSec: 0, identity: '', keys: {}, present: () => ({}) } as const),
}

test('without a threshold every change is an event, and nothing is stored', async () => {
  const { decide, stored } = await openBaselines()
  expect(await decide({}, 5n, 6n, 6n, 5n)).toEqual([
    [5n, 6n],
    [6n, 5n],
  ])
  expect(await stored()).toEqual([])
})

test('the base stays until it is left by the threshold, over passes', async () => {
  const { decide, stored } = await openBaselines()
  const filters = { min_delta_pct: 0.1 }
  expect(await decide(filters, 1_000n, 1_000n)).toEqual([])
  expect(await stored()).toEqual([1_000n])
  expect(await decide(filters, 7n, 1_000n, 1_001n, 1_001n, 1_002n)).toEqual([[1_000n, 1_001n]])
  expect(await stored()).toEqual([1_001n])
  expect(await decide(filters, 7n, 1_003n)).toEqual([[1_001n, 1_003n]])
})

test('from nothing every step is large enough, and back to nothing is one of 100 percent', async () => {
  const { decide } = await openBaselines()
  expect(await decide({ min_delta_pct: 100 }, 0n, 1n, 1n, 0n)).toEqual([
    [0n, 1n],
    [1n, 0n],
  ])
})

test('events that were reverted in any order lead to the base before the first of them', async () => {
  const { sql, stored, decide, cancelled } = await openBaselines()
  await decide({ min_delta_pct: 1 }, 500_000n, 600_000n, 700_000n, 600_000n, 800_000n)
  expect(await stored()).toEqual([800_000n])
  // A path that ends elsewhere is not what made the base.
  await restoreBaselines(sql, [cancelled(0.5, 0.6)])
  expect(await stored()).toEqual([800_000n])
  await restoreBaselines(sql, [
    cancelled(0.6, 0.8),
    cancelled(0.6, 0.7),
    cancelled(0.7, 0.6),
    cancelled(0.5, 0.6),
  ])
  expect(await stored()).toEqual([500_000n])
  await restoreBaselines(sql, [cancelled(0.5, 0.7), cancelled(0.7, 0.5)])
  expect(await stored()).toEqual([500_000n])
})

test('a webhook that was deleted meanwhile gets no base', async () => {
  const { sql, id, decide, stored } = await openBaselines()
  await sql`delete from webhooks where id = ${id}`
  await decide({ min_delta_pct: 1 }, 500_000n, 600_000n)
  expect(await stored()).toEqual([])
})
