import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/database.js'
import { ManualClock } from '../../../test/manual-clock.js'
import { insertPast, openSimulatedPrices, SIMULATED_STREAMS } from '../../../test/simulated-prices.js'
import { isOnLiveV2 } from '../../upstreams/prices/live-v2.js'
import { insertTicks } from '../archive/queries.js'
import { feedOf, SYMBOLS, streamId } from '../streams.js'
import { type Collecting, collectFrom, startCollector } from './test-collect.js'
import { openRtds, rtdsTick } from './test-peers.js'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())
beforeEach(() => database.sql`truncate live_ticks, tick_gaps`)

const textsOf = ({ events }: Collecting) =>
  events.map(({ text }) => {
    const { seq, ...message } = JSON.parse(text)
    expect(seq).toBeGreaterThan(0)
    return message
  })

test('one message a second, feed and price source, in order, however many sources deliver it', async () => {
  const SECONDS = 20
  const sim = await openSimulatedPrices()
  await insertPast(database.sql, sim)
  const collecting = await collectFrom(database, sim, 'live_v2', 'rtds', 'chainlink')
  const firstSec = sim.now() / 1_000
  const { rtds, chainlink } = SIMULATED_STREAMS
  const [first, second] = [true, false].map((isFirst) =>
    rtds.filter(({ symbol, kind }) => isOnLiveV2(symbol.toLowerCase(), kind) === isFirst),
  )
  const streams = { live_v2: first, rtds: second, chainlink }
  const SNAPSHOT_SECONDS = { live_v2: 120, rtds: 0, chainlink: 0 }
  for (let seconds = 1; seconds <= SECONDS; seconds++) {
    sim.liveOn()
    for (const source of ['live_v2', 'rtds', 'chainlink'] as const) {
      const count = (streams[source]?.length ?? 0) * (SNAPSHOT_SECONDS[source] + seconds)
      await collecting.untilCount(count, 'auspex_ticks_total', { source })
    }
  }
  await collecting.stop()
  const published = new Map<string, number[]>()
  for (const { keys, timestampMs } of collecting.events) {
    const name = `${keys.feed} ${keys.priceSource}`
    published.set(name, [...(published.get(name) ?? []), timestampMs / 1_000])
  }
  const kinds = ['spot', 'twap30', 'twap60']
  const names = SYMBOLS.flatMap((symbol) => kinds.map((kind) => `${feedOf(symbol)} ${kind}`))
  expect([...published.keys()].sort()).toEqual(names.sort())
  for (const secs of published.values()) {
    expect(secs.length).toBeGreaterThanOrEqual(SECONDS - 1)
    expect(secs).toEqual(secs.map((_, index) => (secs[0] ?? 0) + index))
  }
  const lastSec = firstSec + SECONDS
  const stream = { symbol: 'BTC', kind: 'spot', source: 'platform_oracle' } as const
  const { price } = sim.quoteOf(stream, lastSec)
  // Bid and ask are those of Chainlink's own stream if that was the first to deliver it.
  const quotes = { bid: expect.any(Number), ask: expect.any(Number) }
  expect(textsOf(collecting)).toContainEqual({
    type: 'price_feed',
    feed: 'BTC/USD',
    timestamp: lastSec,
    data: { feed: 'BTC/USD', price, ...quotes, timestamp: lastSec, source: expect.any(String) },
  })
})

describe('of the platform', () => {
  const NOW_SEC = Date.UTC(2026, 10, 15, 12) / 1_000
  const clock = new ManualClock(NOW_SEC * 1_000)
  const KNOWN = {
    stream: streamId({ symbol: 'BTC', kind: 'spot', source: 'oracle_data_streams' }),
    sec: NOW_SEC,
    price: 100,
    bid: null,
    ask: null,
  }

  async function open() {
    await insertTicks(database.sql, [KNOWN])
    const rtds = await openRtds()
    const collecting = startCollector(database, clock, (shared) => [rtds.connect(shared)])
    return { collecting, say: (...frames: string[]) => rtds.say(collecting, ...frames) }
  }

  test('a published price stands in for bid and ask, and says what mean it is', async () => {
    const { collecting, say } = await open()
    await say(rtdsTick(NOW_SEC, 101))
    await say(rtdsTick(NOW_SEC, 102, 'twap30'), rtdsTick(NOW_SEC, 103, 'twap60'))
    const data = (price: number) => ({
      feed: 'BTC/USD',
      price,
      bid: price,
      ask: price,
      timestamp: NOW_SEC,
      source: 'platform_oracle',
    })
    const head = { type: 'price_feed', feed: 'BTC/USD', timestamp: NOW_SEC }
    const mean = (seconds: number) => ({ is_twap: true, twap_window_seconds: seconds })
    expect(textsOf(collecting)).toEqual([
      { ...head, data: data(101) },
      { ...head, ...mean(30), data: { ...data(102), ...mean(30) } },
      { ...head, ...mean(60), data: { ...data(103), ...mean(60) } },
    ])
    expect(collecting.events.map(({ keys }) => [keys.feed, keys.priceSource])).toEqual([
      ['BTC/USD', 'spot'],
      ['BTC/USD', 'twap30'],
      ['BTC/USD', 'twap60'],
    ])
  })

  test('prices of the exchange are not published', async () => {
    const { collecting, say } = await open()
    await say(rtdsTick(NOW_SEC, 100, 'binance'))
    expect(await collecting.count('auspex_ticks_total')).toBe(1)
    expect(collecting.events).toEqual([])
  })

  test('a price that is older than ten seconds or than the last published one is stored and not published', async () => {
    const { collecting, say } = await open()
    await say(rtdsTick(NOW_SEC - 11, 100), rtdsTick(NOW_SEC - 10, 100), rtdsTick(NOW_SEC - 3, 100))
    await say(rtdsTick(NOW_SEC - 4, 100), rtdsTick(NOW_SEC - 2, 100_000), rtdsTick(NOW_SEC - 1, 100))
    expect(textsOf(collecting).map(({ timestamp }) => timestamp - NOW_SEC)).toEqual([-10, -3, -1])
    expect(await collecting.count('auspex_ticks_total')).toBe(5)
  })
})
