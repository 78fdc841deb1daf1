import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.js'
import {
  insertPast,
  openSimulatedPrices,
  SIMULATED_STREAMS,
  type SimulatedPrices,
} from '../../../test/simulated-prices.js'
import { packTicks } from '../archive/pack.js'
import { insertTicks } from '../archive/queries.js'
import { streamId } from '../streams.js'
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
      ...{ ...sim.quoteOf(each, sim.now() / 1_000), bid: undefined, ask: undefined },
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

  test('chainlink: what an earlier life did not get to fetch is fetched, too, wherever the newest tick is', async () => {
    const sim = await openSimulatedPrices()
    await insertPast(database.sql, sim)
    const lastSec = sim.now() / 1_000
    const { length } = SIMULATED_STREAMS.chainlink
    sim.liveOn(AWAY_SEC)
    const early = await collectFrom(database, sim, 'chainlink')
    sim.faults.set({ upstream: 'chainlink', mode: '500' })
    sim.liveOn()
    await early.untilCount(length, 'auspex_ticks_total')
    await early.stop()
    sim.faults.set({ upstream: 'chainlink', mode: 'off' })
    // Whether it is packed or not.
    await packTicks(database.sql, (lastSec + 300) * 1_000)

    const late = await collectFrom(database, sim, 'chainlink')
    sim.liveOn()
    await late.untilCount((AWAY_SEC + 2) * length, 'auspex_ticks_total')
    await late.stop()
    await expectWhole(sim, lastSec + 1, lastSec + AWAY_SEC + 2)
  })
})

describe('chainlink: the reports of the past are read', () => {
  const HOUR_SEC = 3_600

  const firstPage = async (sim: SimulatedPrices) => {
    await collectFrom(database, sim, 'chainlink')
    sim.liveOn()
    await vi.waitFor(() => expect(sim.pages().length).toBeGreaterThan(0))
    return Number(sim.pages()[0]?.searchParams.get('startTimestamp'))
  }

  test('from three hours ago on in a new archive', async () => {
    const sim = await openSimulatedPrices()
    const nowSec = sim.now() / 1_000
    expect(await firstPage(sim)).toBe(nowSec - 3 * HOUR_SEC + 1)
  })

  test('from the last tick on in an old one', async () => {
    const sim = await openSimulatedPrices()
    const lastSec = sim.now() / 1_000 - 20 * HOUR_SEC
    const ticks = SIMULATED_STREAMS.chainlink.map((each) => ({
      stream: streamId(each),
      sec: lastSec,
      ...{ ...sim.quoteOf(each, lastSec), bid: undefined, ask: undefined },
    }))
    await insertTicks(database.sql, ticks)
    expect(await firstPage(sim)).toBe(lastSec + 1)
  })

  test('from the first long hole of the day on, wherever the newest tick is, and not for a single second', async () => {
    const sim = await openSimulatedPrices()
    const nowSec = sim.now() / 1_000
    const startSec = nowSec - 20 * HOUR_SEC
    const holeSec = startSec + 400
    const offsets = Array.from({ length: 500 }, (_, index) => index)
    const known = offsets.filter((offset) => offset !== 7 && (offset < 400 || offset > 450))
    const ticks = SIMULATED_STREAMS.chainlink.flatMap((each) => {
      const quote = { ...sim.quoteOf(each, startSec), bid: undefined, ask: undefined }
      const secs = [...known.map((offset) => startSec + offset), nowSec]
      return secs.map((sec) => ({ stream: streamId(each), sec, ...quote }))
    })
    await insertTicks(database.sql, ticks)
    expect(await firstPage(sim)).toBe(holeSec)
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
