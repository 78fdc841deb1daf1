import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.js'
import { ManualClock } from '../../test/manual-clock.js'
import type { Pool } from '../store/connection.js'
import { insertAccount, selectUsage } from './queries.js'
import { monthEnd, monthOf, UsageMeter } from './usage-meter.js'

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

describe('UsageMeter', () => {
  test('writes what was counted, each meter for itself', async () => {
    const meter = new UsageMeter(database, new ManualClock(NOW_MS))
    const accountId = await openAccount()
    meter.add(accountId, 'api_requests', 1)
    meter.add(accountId, 'api_requests', 1)
    meter.add(accountId, 'ws_market', 1_234)
    expect(meter.pending(accountId, '2026-11-01', 'api_requests')).toBe(2)
    await meter.flush()
    expect(meter.pending(accountId, '2026-11-01', 'api_requests')).toBe(0)
    meter.add(accountId, 'api_requests', 3)
    await meter.flush()
    await meter.flush()
    expect(await used(accountId)).toEqual({ api_requests: 5, ws_market: 1_234 })
  })

  test('books each count to the UTC month in which it happened', async () => {
    const clock = new ManualClock(NOW_MS)
    const meter = new UsageMeter(database, clock)
    const accountId = await openAccount()
    meter.add(accountId, 'api_requests', 1)
    clock.advance(1_000)
    meter.add(accountId, 'api_requests', 2)
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
            meter.add(accountId, 'api_requests', 1)
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
