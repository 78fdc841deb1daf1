import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.js'
import { ManualClock } from '../../test/manual-clock.js'
import type { Pool } from '../store/connection.js'
import { createKey } from './accounts.js'
import { Plans } from './plans.js'
import { insertAccount, selectKeys } from './queries.js'
import { monthEnd, monthOf, UsageMeter } from './usage-meter.js'
import { selectUsage } from './usage-queries.js'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const NOW_MS = Date.UTC(2026, 10, 30, 23, 59, 59)
const openAccount = () => insertAccount(database.sql, { name: 'a', plan: 'free', nowMs: NOW_MS })
const used = async (accountId: number, month = '2026-11-01') =>
  Object.fromEntries(
    (await selectUsage(database.sql, accountId, month)).map((row) => [row.meter, Number(row.used)]),
  )

const TRADES = { operation: 'listTrades', family: 'trades' }
const count = (meter: UsageMeter, key: { accountId: number; keyId: number }, requests: number) => {
  for (let left = requests; left > 0; left--) meter.addRequest(key, TRADES, 'counted', 100)
}

describe('UsageMeter', () => {
  test('writes what was counted, each meter for itself', async () => {
    const meter = new UsageMeter(database, new ManualClock(NOW_MS))
    const accountId = await openAccount()
    count(meter, { accountId, keyId: 1 }, 2)
    meter.addTransfer({ accountId, keyId: 1 }, 'ws_market', 1_234)
    expect(meter.pending(accountId, '2026-11-01', 'api_requests')).toBe(2)
    await meter.flush()
    expect(meter.pending(accountId, '2026-11-01', 'api_requests')).toBe(0)
    count(meter, { accountId, keyId: 1 }, 3)
    await meter.flush()
    await meter.flush()
    expect(await used(accountId)).toEqual({ api_requests: 5, ws_market: 1_234 })
  })

  test('writes what each key used on each UTC day by family, and when a key was last used', async () => {
    const clock = new ManualClock(NOW_MS)
    const meter = new UsageMeter(database, clock)
    const accountId = await openAccount()
    const request = { accountId, name: 'k', nowMs: NOW_MS, plans: new Plans() }
    const { id: keyId } = await createKey(database.sql, request)
    const lastUse = async () => (await selectKeys(database.sql, accountId, 1))[0]?.lastUsedAt?.getTime()
    count(meter, { accountId, keyId }, 2)
    meter.addTransfer({ accountId, keyId }, 'ws_market', 70)
    clock.advance(1_000)
    count(meter, { accountId, keyId }, 1)
    await meter.flush()
    expect(
      await database.sql`
        select key_id, day::text, family, requests::int, bytes::int from usage_days
         where account_id = ${accountId} order by day, family`,
    ).toEqual([
      { keyId, day: '2026-11-30', family: 'trades', requests: 2, bytes: 0 },
      { keyId, day: '2026-11-30', family: 'ws_market', requests: 0, bytes: 70 },
      { keyId, day: '2026-12-01', family: 'trades', requests: 1, bytes: 0 },
    ])
    expect(await lastUse()).toBe(NOW_MS + 1_000)

    // A busy key is one write a minute, and a use that is not counted is noted too.
    clock.advance(59_999)
    meter.note({ accountId, keyId })
    await meter.flush()
    expect(await lastUse()).toBe(NOW_MS + 1_000)
    clock.advance(1)
    meter.note({ accountId, keyId })
    await meter.flush()
    expect(await lastUse()).toBe(NOW_MS + 61_000)
    const revision = () => database.sql`select revision from accounts_revision`
    const before = await revision()
    clock.advance(60_000)
    meter.note({ accountId, keyId })
    await meter.flush()
    expect(await revision()).toEqual(before)
  })

  test('writes what an account used by operation, with what was refused and what failed', async () => {
    const meter = new UsageMeter(database, new ManualClock(NOW_MS))
    const accountId = await openAccount()
    const exports = { operation: 'exportTrades', family: 'trades' }
    for (const keyId of [1, 2]) {
      count(meter, { accountId, keyId }, 1)
      meter.addRequest({ accountId, keyId }, TRADES, 'refused', 10)
      meter.addRequest({ accountId, keyId }, exports, 'failed', 5)
      await meter.flush()
    }
    meter.addTransfer({ accountId, keyId: 1 }, 'ws_market', 70)
    await meter.flush()
    expect(
      await database.sql`
        select day::text, operation, requests::int, bytes::int, refused::int, failed::int
          from usage_operations where account_id = ${accountId} order by operation`,
    ).toEqual([
      { day: '2026-11-30', operation: 'exportTrades', requests: 0, bytes: 10, refused: 0, failed: 2 },
      { day: '2026-11-30', operation: 'listTrades', requests: 2, bytes: 220, refused: 2, failed: 0 },
      { day: '2026-11-30', operation: 'ws_market', requests: 0, bytes: 70, refused: 0, failed: 0 },
    ])
    // Neither a row of the day nor the month has what does not count.
    expect(await used(accountId)).toEqual({ api_requests: 2, ws_market: 70 })
    const days = await database.sql`select family from usage_days where account_id = ${accountId}`
    expect(days.map(({ family }) => family).sort()).toEqual(['trades', 'trades', 'ws_market'])
  })

  test('books each count to the UTC month in which it happened', async () => {
    const clock = new ManualClock(NOW_MS)
    const meter = new UsageMeter(database, clock)
    const accountId = await openAccount()
    count(meter, { accountId, keyId: 1 }, 1)
    clock.advance(1_000)
    count(meter, { accountId, keyId: 1 }, 2)
    await meter.flush()
    expect(await used(accountId)).toEqual({ api_requests: 1 })
    expect(await used(accountId, '2026-12-01')).toEqual({ api_requests: 2 })
  })

  test('adds a batch once when its acknowledgement is lost, and loses none that was not written', async () => {
    const accountId = await openAccount()
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('written', 'not written', 'acknowledgement lost'), {
          maxLength: 8,
        }),
        async (fates) => {
          const before = (await used(accountId)).api_requests ?? 0
          const faulty = new FaultyStore()
          const meter = new UsageMeter(faulty, new ManualClock(NOW_MS))
          for (const fate of fates) {
            count(meter, { accountId, keyId: 1 }, 1)
            faulty.fate = fate
            await meter.flush().catch(() => undefined)
          }
          faulty.fate = 'written'
          await meter.flush()
          await meter.flush()
          expect((await used(accountId)).api_requests ?? 0).toBe(before + fates.length)
        },
      ),
      { numRuns: 30 },
    )
  })
})

/** The real database behind a connection that fails before or after a statement. */
class FaultyStore {
  fate = 'written'

  get sql(): Pool {
    const send = async (strings: TemplateStringsArray, ...values: never[]) => {
      if (this.fate === 'not written') throw new Error('connection lost')
      const rows = await database.sql(strings, ...values)
      if (this.fate === 'acknowledgement lost') throw new Error('connection lost')
      return rows
    }
    return send as unknown as Pool
  }
}

test('months are UTC months', () => {
  expect(monthOf(Date.UTC(2026, 11, 31, 23, 59, 59, 999))).toBe('2026-12-01')
  expect(monthEnd(Date.UTC(2026, 11, 31))).toBe(Date.UTC(2027, 0, 1))
})
