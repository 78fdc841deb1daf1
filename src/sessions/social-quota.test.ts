import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.js'
import { ManualClock } from '../../test/manual-clock.js'
import { DEFAULT_PLANS } from '../accounts/plans.js'
import { insertAccount } from '../accounts/queries.js'
import { selectUsage } from '../accounts/usage-queries.js'
import { createLog } from '../lib/log.js'
import { SocialQuota } from './social-quota.js'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const LAST_DAY_MS = Date.UTC(2026, 10, 30, 23, 59, 59)
const log = createLog('error', { write: () => undefined })

/** An account whose month has this many units left. */
async function setup({ left = 3, nowMs = LAST_DAY_MS } = {}) {
  const clock = new ManualClock(nowMs)
  const accountId = await insertAccount(database.sql, { name: 'a', plan: 'starter', nowMs })
  const plan = { ...DEFAULT_PLANS.starter, socialPerMonth: left }
  const openQuota = () => new SocialQuota({ store: { answers: database.sql }, clock, log })
  const usedIn = async (month: string) =>
    (await selectUsage(database.sql, accountId, month)).map(({ meter, used }) => [meter, used])
  const caller = { keyId: 1, accountId, plan }
  return { clock, caller, quota: openQuota(), openQuota, usedIn }
}

const succeed = async () => 'answer'
const fail = async () => {
  throw new Error('boom')
}

describe('SocialQuota', () => {
  test('counts what succeeds, and nothing else', async () => {
    const { quota, caller, usedIn } = await setup()
    expect(await quota.usedBy(caller.accountId)).toBe(0)
    expect(await quota.spend(caller, succeed)).toBe('answer')
    for (let count = 0; count < 5; count++) await expect(quota.spend(caller, fail)).rejects.toThrow('boom')
    expect(await quota.usedBy(caller.accountId)).toBe(1)
    expect(await usedIn('2026-11-01')).toEqual([['social', 1n]])
  })

  test('of many calls at once in two processes, exactly the units that are left are granted', async () => {
    const { caller, openQuota, usedIn } = await setup({ left: 7 })
    const quotas = [openQuota(), openQuota()]
    const calls = Array.from({ length: 30 }, (_, index) =>
      quotas[index % 2]?.spend(caller, () => new Promise((next) => setTimeout(next, 50))),
    )
    const results = await Promise.allSettled(calls)
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(7)
    expect(await usedIn('2026-11-01')).toEqual([['social', 7n]])
  })

  test('429: used up, until the first of the next month', async () => {
    const { quota, caller, clock } = await setup({ left: 1, nowMs: Date.UTC(2026, 10, 30, 23) })
    await quota.spend(caller, succeed)
    await expect(quota.spend(caller, succeed)).rejects.toMatchObject({
      status: 429,
      retryAfterSeconds: 3_600,
      fields: {
        scope: 'social_quota',
        reset_at: Date.UTC(2026, 11) / 1000,
        retryAfterMs: 3_600_000,
      },
    })
    clock.set(Date.UTC(2026, 11))
    expect(await quota.usedBy(caller.accountId)).toBe(0)
    await quota.spend(caller, succeed)
    expect(await quota.usedBy(caller.accountId)).toBe(1)
  })

  test('429: the last unit is under way, and may come back in a moment', async () => {
    const { quota, caller } = await setup({ left: 1 })
    const outer = quota.spend(caller, async () => {
      await expect(quota.spend(caller, succeed)).rejects.toMatchObject({
        status: 429,
        fields: { retryAfterMs: 1_000 },
      })
      throw new Error('boom')
    })
    await expect(outer).rejects.toThrow('boom')
    await quota.spend(caller, succeed)
  })

  test('a process whose clock is slow does not take the unit of another', async () => {
    const { quota, caller, clock, openQuota } = await setup({ left: 1 })
    const lagging = openQuota()
    await quota.spend(caller, async () => {
      clock.advance(-1)
      await expect(lagging.spend(caller, succeed)).rejects.toMatchObject({ status: 429 })
    })
  })

  test('two processes share the units of one month, and then those of the next', async () => {
    const { caller, openQuota, clock, usedIn } = await setup({ left: 4 })
    const quotas = [openQuota(), openQuota()]
    const spendAll = async () => {
      const calls = Array.from({ length: 10 }, (_, n) => quotas[n % 2]?.spend(caller, succeed))
      const results = await Promise.allSettled(calls)
      return results.filter(({ status }) => status === 'fulfilled').length
    }
    expect(await spendAll()).toBe(4)
    clock.advance(999)
    expect(await spendAll()).toBe(0)
    clock.advance(1)
    expect(await spendAll()).toBe(4)
    expect([await usedIn('2026-11-01'), await usedIn('2026-12-01')]).toEqual([
      [['social', 4n]],
      [['social', 4n]],
    ])
  })

  test('a call counts to the month in which it began', async () => {
    const { quota, caller, clock, usedIn } = await setup()
    await quota.spend(caller, async () => clock.set(Date.UTC(2026, 11, 1, 0, 0, 1)))
    expect(await usedIn('2026-11-01')).toEqual([['social', 1n]])
    expect(await usedIn('2026-12-01')).toEqual([])
    expect(await quota.usedBy(caller.accountId)).toBe(0)
  })

  test('a process that ends during a call gives its unit back after a minute', async () => {
    const { quota, openQuota, caller, clock } = await setup({ left: 1, nowMs: 0 })
    await new Promise<void>((begin) => {
      void quota.spend(caller, () => {
        begin()
        return new Promise(() => undefined)
      })
    })
    const other = openQuota()
    const spend = () => other.spend(caller, succeed)
    await expect(spend()).rejects.toMatchObject({ status: 429 })
    clock.advance(59_999)
    await expect(spend()).rejects.toMatchObject({ status: 429 })
    clock.advance(1)
    expect(await spend()).toBe('answer')
  })
})
