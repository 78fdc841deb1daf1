import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.js'
import { readTickCoverage } from './coverage.js'
import { packTicks } from './pack.js'
import { insertGap, insertTicks, type StreamTick } from './queries.js'
import { clearArchive, firstTicks, makeTick, makeTicks, NOON_SEC } from './test-archive.js'

const HOUR_SEC = 3_600
/** Ticks of the last five seconds may be on their way. */
const ON_ITS_WAY_SEC = 5

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())
beforeEach(() => clearArchive(database.sql))

const insert = (ticks: readonly StreamTick[]) => insertTicks(database.sql, ticks)
const pack = (sec: number) => packTicks(database.sql, sec * 1000)

/** As of the time at which all ticks up to that second are in. */
const coverage = (sec: number, hours = 24) =>
  readTickCoverage(database.sql, (sec + ON_ITS_WAY_SEC) * 1000, hours)

const hoursOf = async (sec: number, hours?: number) => {
  const { streams } = await coverage(sec, hours)
  return streams.map(({ hours: list }) =>
    list.map(({ startSec, ...rest }) => ({ hour: (startSec - NOON_SEC) / HOUR_SEC, ...rest })),
  )
}

describe('coverage', () => {
  test('is empty without ticks', async () => {
    expect(await coverage(NOON_SEC)).toEqual({ streams: [], gaps: [] })
  })

  test('shows where each stream begins, and what each hour has and lacks', async () => {
    await insert(makeTicks(NOON_SEC - 10, 1_810))
    await insert(makeTicks(NOON_SEC - 20, 5, { symbol: 'ETH', kind: 'twap30' }))
    await pack(NOON_SEC + 1_200)
    const { streams } = await coverage(NOON_SEC + 1_799)
    expect(streams).toEqual([
      {
        stream: { symbol: 'BTC', kind: 'spot', source: 'platform_oracle' },
        fromSec: NOON_SEC - HOUR_SEC,
        hours: [
          { startSec: NOON_SEC - HOUR_SEC, seconds: 10, missing: 3_590 },
          { startSec: NOON_SEC, seconds: 1_800, missing: 0 },
        ],
      },
      {
        stream: { symbol: 'ETH', kind: 'twap30', source: 'platform_oracle' },
        fromSec: NOON_SEC - HOUR_SEC,
        hours: [
          { startSec: NOON_SEC - HOUR_SEC, seconds: 5, missing: 3_595 },
          { startSec: NOON_SEC, seconds: 0, missing: 1_800 },
        ],
      },
    ])
  })

  test('shows a short hole in the running hour, although newer ticks are in already', async () => {
    await insert(makeTicks(NOON_SEC, 100).filter((_, index) => index < 50 || index > 53))
    const newest = makeTicks(NOON_SEC + 100, ON_ITS_WAY_SEC)
    await insert(newest)
    expect(await hoursOf(NOON_SEC + 99)).toEqual([[{ hour: 0, seconds: 96, missing: 4 }]])
  })

  test('shows the requested number of hours, the running one included', async () => {
    await insert([makeTick(NOON_SEC - 100 * HOUR_SEC), makeTick(NOON_SEC)])
    const hours = (await hoursOf(NOON_SEC, 3))[0]?.map(({ hour }) => hour)
    expect(hours).toEqual([-2, -1, 0])
    expect((await hoursOf(NOON_SEC, 168))[0]).toHaveLength(101)
  })

  test('has the gaps of those hours, the newest first', async () => {
    const add = (fromSec: number, toSec: number) =>
      insertGap(database.sql, { upstream: 'rtds', stream: null, fromSec, toSec, reason: 'closed' })
    await add(NOON_SEC - HOUR_SEC - 9, NOON_SEC - HOUR_SEC - 1)
    await add(NOON_SEC - HOUR_SEC - 9, NOON_SEC - HOUR_SEC)
    await add(NOON_SEC + 5, NOON_SEC + 9)
    const { gaps } = await coverage(NOON_SEC + 60, 2)
    expect(gaps.map(({ toSec }) => toSec - NOON_SEC)).toEqual([9, -HOUR_SEC])
  })
})

test('hours count each second once, in whatever order ticks come and are packed', async () => {
  const secs = fc.integer({ min: NOON_SEC - 800, max: NOON_SEC + 800 })
  const batches = fc.tuple(fc.array(secs, { maxLength: 30 }), secs)
  await fc.assert(
    fc.asyncProperty(fc.array(batches, { maxLength: 5 }), async (list) => {
      await clearArchive(database.sql)
      for (const [batch, packSec] of list) {
        await insert(batch.map((sec) => makeTick(sec)))
        await pack(packSec)
      }
      await pack(NOON_SEC + 2_000)

      const all = firstTicks(list.flatMap(([batch]) => batch).map((sec) => makeTick(sec)))
      const expected = new Map<number, number>()
      for (const { sec } of all) {
        const hour = Math.floor((sec - NOON_SEC) / HOUR_SEC)
        expected.set(hour, (expected.get(hour) ?? 0) + 1)
      }
      const counted = (await hoursOf(NOON_SEC + 2_000))[0] ?? []
      const filled = counted.filter(({ seconds }) => seconds > 0)
      expect(new Map(filled.map(({ hour, seconds }) => [hour, seconds]))).toEqual(expected)
    }),
    { numRuns: 30 },
  )
})
