import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.js'
import {
  insertPast,
  openSimulatedPrices,
  SIMULATED_STREAMS,
  type SimulatedPrices,
} from '../../../test/simulated-prices.js'
import { until } from '../../../test/until.js'
import { insertTicks } from '../archive/queries.js'
import { SYMBOLS, streamId } from '../streams.js'
import { collectFrom, readTicks } from './test-collect.js'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())
beforeEach(() => database.sql`truncate live_ticks, tick_blocks, tick_hours, tick_gaps`)

const selectGaps = () => database.sql`
  select upstream, stream, from_sec, to_sec, reason from tick_gaps order by stream`

/** Of the oracle's own streams every second from the first to the last one is there, and right. */
async function expectWhole(sim: SimulatedPrices, fromSec: number, toSec: number) {
  for (const stream of SIMULATED_STREAMS.chainlink) {
    const ticks = (await readTicks(database.sql, stream)).filter(({ sec }) => sec >= fromSec)
    const secs = Array.from({ length: toSec - fromSec + 1 }, (_, index) => fromSec + index)
    expect(ticks).toEqual(secs.map((sec) => ({ sec, ...sim.quoteOf(stream, sec) })))
  }
}

describe('after a restart', () => {
  const AWAY_SEC = 90

  test('rtds: what was missed is a gap of each stream', async () => {
    const sim = await openSimulatedPrices()
    const stream = streamId({ symbol: 'BTC', kind: 'spot', source: 'platform_oracle' })
    const known = SIMULATED_STREAMS.rtds.map((each) => ({
      stream: streamId(each),
      sec: sim.now() / 1_000 - 1,
      ...sim.quoteOf(each, sim.now() / 1_000),
      bid: null,
      ask: null,
    }))
    await insertTicks(database.sql, known)
    const { length } = SIMULATED_STREAMS.rtds
    const early = await collectFrom(database, sim, 'rtds')
    sim.liveOn()
    await early.untilCount(length, 'auspex_ticks_total')
    await early.stop()
    const lastSec = sim.now() / 1_000 - 1
    expect(await selectGaps()).toEqual([])

    sim.liveOn(AWAY_SEC)
    const late = await collectFrom(database, sim, 'rtds')
    sim.liveOn()
    await late.untilCount(length, 'auspex_ticks_total')
    await late.stop()
    const gaps = await selectGaps()
    expect(gaps).toHaveLength(length)
    expect(gaps).toContainEqual({
      upstream: 'rtds',
      stream,
      fromSec: lastSec,
      toSec: lastSec + AWAY_SEC + 1,
      reason: 'missing',
    })
    expect(await late.count('auspex_tick_gaps_total', { source: 'rtds' })).toBe(length)
  })

  test('chainlink: what was missed is fetched, and there is no gap', async () => {
    const sim = await openSimulatedPrices()
    await insertPast(database.sql, sim)
    const lastSec = sim.now() / 1_000
    sim.liveOn(AWAY_SEC)
    const late = await collectFrom(database, sim, 'chainlink')
    sim.liveOn()
    const { length } = SIMULATED_STREAMS.chainlink
    await late.untilCount((AWAY_SEC + 1) * length, 'auspex_ticks_total')
    await late.stop()
    await expectWhole(sim, lastSec + 1, lastSec + AWAY_SEC + 1)
    expect(await selectGaps()).toEqual([])
  })

  test('chainlink: what an earlier process did not get to fetch is fetched, wherever the newest tick is', async () => {
    const sim = await openSimulatedPrices()
    const fromSec = sim.now() / 1_000 - 400
    const secs = Array.from({ length: AWAY_SEC }, (_, index) => fromSec + index)
    await insertPast(database.sql, sim, new Set(secs))
    const { length } = SIMULATED_STREAMS.chainlink
    const late = await collectFrom(database, sim, 'chainlink')
    await late.untilCount(AWAY_SEC * length, 'auspex_ticks_total')
    await late.stop()
    for (const stream of SIMULATED_STREAMS.chainlink) {
      const ticks = (await readTicks(database.sql, stream)).filter(({ sec }) => secs.includes(sec))
      expect(ticks).toEqual(secs.map((sec) => ({ sec, ...sim.quoteOf(stream, sec) })))
    }
  })
})

describe('chainlink: the reports of the past are read', () => {
  const BTC_FEED = '0x00039d9e45394f473ab1f050a1b963e6b05351e52d71e507509ada0c95ed75b8'

  /** The seconds at which pages of Bitcoin's price begin. */
  const pagesOf = (sim: SimulatedPrices) =>
    sim
      .pages()
      .filter(({ searchParams }) => searchParams.get('feedID') === BTC_FEED)
      .map(({ searchParams }) => Number(searchParams.get('startTimestamp')))

  test('of the last day in a new archive, backwards and all coins side by side', async () => {
    const sim = await openSimulatedPrices()
    const nowSec = sim.now() / 1_000
    const collecting = await collectFrom(database, sim, 'chainlink')
    await until(() => sim.pages().length > 30)
    await collecting.stop()
    expect(pagesOf(sim).slice(0, 3)).toEqual([nowSec - 99, nowSec - 199, nowSec - 299])
    const feeds = sim.pages().map(({ searchParams }) => searchParams.get('feedID'))
    const counts = [...new Set(feeds)].map((id) => feeds.filter((each) => each === id).length)
    // Means come later.
    expect(counts).toHaveLength(SYMBOLS.length)
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1)
    const [first] = await database.sql`select min(sec) as sec from live_ticks`
    expect(first?.sec).toBeGreaterThan(nowSec - 1_000)
  })

  test('after the last tick of an old one', async () => {
    const sim = await openSimulatedPrices()
    const nowSec = sim.now() / 1_000
    await insertPast(database.sql, sim)
    sim.liveOn(120)
    const collecting = await collectFrom(database, sim, 'chainlink')
    const { length } = SIMULATED_STREAMS.chainlink
    await collecting.untilCount(120 * length, 'auspex_ticks_total')
    expect(pagesOf(sim)).toEqual([nowSec + 21, nowSec + 1])
  })

  test('of every long hole of the day, wherever the newest tick is, and not for single seconds', async () => {
    const sim = await openSimulatedPrices()
    const nowSec = sim.now() / 1_000
    const run = (fromSec: number, seconds: number) =>
      Array.from({ length: seconds }, (_, index) => fromSec + index)
    const [long, short] = [run(nowSec - 7_200, 60), run(nowSec - 3_600, 10)]
    const single = run(nowSec - 60, 9)
    await insertPast(database.sql, sim, new Set([...long, ...short, ...single]))
    const collecting = await collectFrom(database, sim, 'chainlink')
    const { length } = SIMULATED_STREAMS.chainlink
    await collecting.untilCount(70 * length, 'auspex_ticks_total')
    expect(pagesOf(sim)).toEqual([nowSec - 3_600, nowSec - 7_200])
  })

  test('never, where nothing is missing', async () => {
    const sim = await openSimulatedPrices()
    await insertPast(database.sql, sim)
    const collecting = await collectFrom(database, sim, 'chainlink')
    sim.liveOn()
    await collecting.untilCount(SIMULATED_STREAMS.chainlink.length, 'auspex_ticks_total')
    await collecting.stop()
    expect(sim.pages()).toEqual([])
  })
})
