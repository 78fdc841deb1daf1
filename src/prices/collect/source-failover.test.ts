import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.js'
import { ManualClock } from '../../../test/manual-clock.js'
import { openSimulatedPrices, SIMULATED_STREAMS } from '../../../test/simulated-prices.js'
import { until } from '../../../test/until.js'
import type { PriceKind } from '../../upstreams/prices/source.js'
import { insertTicks } from '../archive/queries.js'
import { type Stream, streamId } from '../streams.js'
import { collectFrom, readPrices, startCollector } from './test-collect.js'
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
  const liveV2 = await openLiveV2()
  const rtds = await openRtds()
  const collecting = startCollector(database, clock, (shared) => [
    liveV2.connect(shared),
    rtds.connect(shared),
  ])
  const at = (sec: number) => clock.set((NOW_SEC + sec) * 1_000)
  return {
    at,
    sendFirst: (sec: number, price: number) => liveV2.say(collecting, NOW_SEC + sec, price),
    sendSecond: (sec: number, price: number, kind?: PriceKind, coin?: string) =>
      rtds.say(collecting, rtdsTick(NOW_SEC + sec, price, kind, coin)),
    read: async (stream?: Partial<Stream>) => {
      await collecting.stop()
      const prices = await readPrices(database.sql, stream)
      return prices.map(([sec, price]) => [sec - NOW_SEC, price])
    },
  }
}

test('ticks of RTDS are taken only while live_v2 is silent, and no longer once it is back', async () => {
  const { at, sendFirst, sendSecond, read } = await openBoth()
  await sendFirst(0, 100)
  at(10)
  await sendSecond(9, 109)
  await sendSecond(10, 110)
  at(11)
  await sendSecond(11, 111)
  at(20)
  await sendSecond(20, 120)
  await sendFirst(19, 119)
  at(21)
  await sendSecond(21, 121)
  await sendFirst(20, 99)
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

test('no second is lost over to RTDS and back, whichever of the two is ahead', async () => {
  const { at, sendFirst, sendSecond, read } = await openBoth()
  for (let sec = 0; sec <= 40; sec++) {
    at(sec)
    // RTDS is a second ahead when live_v2 falls silent, and a second late when that is back.
    await sendSecond(sec < 20 ? sec : sec - 1, 100 + sec)
    if (sec <= 5 || sec >= 30) await sendFirst(sec < 20 ? sec - 1 : sec, 200 + sec)
  }
  const secs = (await read()).map(([sec]) => sec)
  expect(secs).toEqual(Array.from({ length: 42 }, (_, index) => index - 1))
})

test('the simulated live_v2 goes and comes back: every second is there, exact, from one or the other', async () => {
  await database.sql`truncate live_ticks`
  const sim = await openSimulatedPrices()
  const collecting = await collectFrom(database, sim, 'live_v2', 'rtds')
  const of = { upstream: 'live_v2' }
  const liveThrough = async (seconds: number) => {
    for (let passed = 0; passed < seconds; passed++) {
      const frames = await collecting.count('auspex_upstream_frames_total', { upstream: 'rtds' })
      sim.liveOn()
      const streams = SIMULATED_STREAMS.rtds.length
      await collecting.untilCount(frames + streams, 'auspex_upstream_frames_total', {
        upstream: 'rtds',
      })
    }
  }
  const fromSec = sim.now() / 1_000
  await liveThrough(4)
  sim.faults.set({ upstream: 'live_v2', mode: 'drop' })
  await vi.waitFor(async () => expect(await collecting.count('auspex_upstream_socket_connected', of)).toBe(0))
  await liveThrough(20)
  expect(await collecting.count('auspex_ticks_total', { source: 'rtds' })).toBeGreaterThan(0)
  sim.faults.set({ upstream: 'live_v2', mode: 'off' })
  await collecting.untilCount(1, 'auspex_upstream_socket_connected', of)
  await until(() => sim.isFollowed('live_v2'))
  await liveThrough(4)
  const stream = { symbol: 'BTC', kind: 'twap60', source: 'platform_oracle' } as const
  const toSec = sim.now() / 1_000
  await collecting.stop()
  const prices = (await readPrices(database.sql, stream)).filter(([sec]) => sec > fromSec && sec < toSec)
  const secs = Array.from({ length: toSec - fromSec - 1 }, (_, index) => fromSec + 1 + index)
  expect(prices).toEqual(secs.map((sec) => [sec, sim.quoteOf(stream, sec).price]))
})

test('a live_v2 that never sends anything is waited for as long', async () => {
  const { at, sendSecond, read } = await openBoth()
  await sendSecond(0, 100)
  at(10)
  await sendSecond(10, 110)
  at(11)
  await sendSecond(11, 111)
  expect(await read()).toEqual([
    [0, 100],
    [10, 110],
    [11, 111],
  ])
})

test.each([
  ['BTC', 'twap30'],
  ['BTC', 'binance'],
  ['HYPE', 'spot'],
] as const)('%s %s, which live_v2 does not have, is taken from RTDS at once', async (symbol, kind) => {
  const { sendSecond, read } = await openBoth()
  // The first three prices of a coin show where it stands.
  for (const sec of [-3, -2, -1, 0]) await sendSecond(sec, 100, kind, symbol.toLowerCase())
  expect(await read({ symbol, kind })).toContainEqual([0, 100])
})

test('prices that are not believed do not silence the other source', async () => {
  const { at, sendFirst, sendSecond, read } = await openBoth()
  await sendFirst(0, 100)
  at(8)
  await sendFirst(8, 100_000)
  at(11)
  await sendFirst(11, 100_000)
  await sendSecond(11, 111)
  expect(await read()).toEqual([
    [0, 100],
    [11, 111],
  ])
})

test('without live_v2 ticks of RTDS are taken at once', async () => {
  const clock = new ManualClock(NOW_SEC * 1_000)
  const rtds = await openRtds()
  const collecting = startCollector(database, clock, (shared) => [rtds.connect(shared)])
  await rtds.say(collecting, rtdsTick(NOW_SEC, 100))
  await collecting.stop()
  expect(await readPrices(database.sql)).toEqual([[NOW_SEC, 100]])
})

test('a first socket that lags counts as silent', async () => {
  const { at, sendFirst, sendSecond, read } = await openBoth()
  at(40)
  await sendFirst(20, 120)
  await sendSecond(40, 140)
  expect(await read()).toEqual([
    [20, 120],
    [40, 140],
  ])
})
