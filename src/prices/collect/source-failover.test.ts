import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.js'
import { ManualClock } from '../../../test/manual-clock.js'
import { insertTicks } from '../archive/queries.js'
import { streamId } from '../streams.js'
import { readPrices, startCollector } from './test-collect.js'
import { openLiveV2, openRtds, rtdsTick } from './test-peers.js'

const NOW_SEC = Date.UTC(2026, 10, 15, 12) / 1_000
/** What BTC cost, from another stream: prices are believed from the first one on. */
const KNOWN = {
  stream: streamId({ symbol: 'BTC', kind: 'twap60', source: 'oracle_data_streams' }),
  sec: NOW_SEC,
  price: 100,
  bid: null,
  ask: null,
}

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())
beforeEach(async () => {
  await database.sql`truncate live_ticks, tick_gaps`
  await insertTicks(database.sql, [KNOWN])
})

async function openBoth() {
  const clock = new ManualClock(NOW_SEC * 1_000)
  const rtds = await openRtds()
  const liveV2 = await openLiveV2()
  const collecting = startCollector(database, clock, (shared) => [
    rtds.connect(shared),
    liveV2.connect(shared),
  ])
  const at = (sec: number) => clock.set((NOW_SEC + sec) * 1_000)
  return {
    at,
    tellFirst: (sec: number, price: number) => rtds.say(collecting, rtdsTick(NOW_SEC + sec, price)),
    tellSecond: (sec: number, price: number) => liveV2.say(collecting, NOW_SEC + sec, price),
    read: async () => {
      await collecting.stop()
      const prices = await readPrices(database.sql)
      return prices.map(([sec, price]) => [sec - NOW_SEC, price])
    },
  }
}

test('ticks of live_v2 are taken only while RTDS is silent, and no longer once it is back', async () => {
  const { at, tellFirst, tellSecond, read } = await openBoth()
  await tellFirst(0, 100)
  at(10)
  await tellSecond(9, 109)
  await tellSecond(10, 110)
  at(11)
  await tellSecond(11, 111)
  at(20)
  await tellSecond(20, 120)
  await tellFirst(19, 119)
  at(21)
  await tellSecond(21, 121)
  await tellFirst(20, 99)
  expect(await read()).toEqual([
    [0, 100],
    // Held until the silence was noticed.
    [9, 109],
    [10, 110],
    [11, 111],
    [19, 119],
    [20, 120],
  ])
})

test('an RTDS that never sends anything is waited for as long', async () => {
  const { at, tellSecond, read } = await openBoth()
  await tellSecond(0, 100)
  at(10)
  await tellSecond(10, 110)
  at(11)
  await tellSecond(11, 111)
  expect(await read()).toEqual([
    [0, 100],
    [10, 110],
    [11, 111],
  ])
})

test('prices that are not believed do not silence the successor', async () => {
  const { at, tellFirst, tellSecond, read } = await openBoth()
  await tellFirst(0, 100)
  at(8)
  await tellFirst(8, 100_000)
  at(11)
  await tellFirst(11, 100_000)
  await tellSecond(11, 111)
  expect(await read()).toEqual([
    [0, 100],
    [11, 111],
  ])
})

test('without RTDS ticks of live_v2 are taken at once', async () => {
  const clock = new ManualClock(NOW_SEC * 1_000)
  const liveV2 = await openLiveV2()
  const collecting = startCollector(database, clock, (shared) => [liveV2.connect(shared)])
  await liveV2.say(collecting, NOW_SEC, 100)
  await collecting.stop()
  expect(await readPrices(database.sql)).toEqual([[NOW_SEC, 100]])
})

test('a first socket that lags behind is as good as silent', async () => {
  const { at, tellFirst, tellSecond, read } = await openBoth()
  at(40)
  await tellFirst(20, 120)
  await tellSecond(40, 140)
  expect(await read()).toEqual([
    [20, 120],
    [40, 140],
  ])
})
