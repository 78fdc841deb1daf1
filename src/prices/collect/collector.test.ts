import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { insertPast, openSimulatedPrices, SIMULATED_STREAMS } from '../../../test/simulated-prices.js'
import { createTestApp, type TestApp } from '../../../test/test-app.js'
import { packTicks } from '../archive/pack.js'
import { insertTicks } from '../archive/queries.js'
import { type Stream, streamId } from '../streams.js'
import { collectFrom, readPrices, readTicks, startCollector } from './test-collect.js'
import { openRtds, rtdsFrame, rtdsTick } from './test-peers.js'

let t: TestApp
let key: string
beforeAll(async () => {
  t = await createTestApp()
  key = (await t.createCaller('enterprise')).key
})
afterAll(() => t.close())
beforeEach(async () => {
  await t.ctx.sql`truncate live_ticks, tick_blocks, tick_hours, tick_gaps`
  // Who remembers blocks forgets them.
  await t.ctx.sql`update tick_state set packed_until = 0, revision = revision + 1`
})

test('both sources reach the archive: every second once, exact, with bid and ask where there are any', async () => {
  const sim = await openSimulatedPrices()
  await insertPast(t.ctx.sql, sim)
  const collecting = await collectFrom(t.ctx, sim, 'rtds', 'chainlink')
  const firstSec = sim.now() / 1_000
  for (let second = 1; second <= 5; second++) {
    sim.liveOn()
    for (const [source, streams] of Object.entries(SIMULATED_STREAMS))
      await collecting.untilCount(streams.length * second, 'auspex_ticks_total', { source })
  }
  await collecting.stop()
  const expectTicks = async (stream: Stream, fromSec: number) => {
    const secs = [0, 1, 2, 3, 4].map((index) => fromSec + index)
    const ticks = await readTicks(t.ctx.sql, stream)
    expect(ticks.filter(({ sec }) => sec >= fromSec)).toEqual(
      secs.map((sec) => ({ sec, ...sim.quoteOf(stream, sec) })),
    )
  }
  // The platform sends a second when it is over.
  for (const stream of SIMULATED_STREAMS.rtds) await expectTicks(stream, firstSec)
  for (const stream of SIMULATED_STREAMS.chainlink) await expectTicks(stream, firstSec + 1)
})

describe('of the platform', () => {
  // Ten seconds into a block, so that the one before is over soon.
  const NOW_SEC = Date.UTC(2026, 10, 15, 12, 0, 10) / 1_000
  const KNOWN = {
    stream: streamId({ symbol: 'BTC', kind: 'twap60', source: 'platform_oracle' }),
    sec: NOW_SEC,
    price: 100,
    bid: null,
    ask: null,
  }
  beforeEach(async () => {
    t.clock.set(NOW_SEC * 1_000)
    await insertTicks(t.ctx.sql, [KNOWN])
  })

  const open = async () => {
    const rtds = await openRtds()
    const start = () => startCollector(t.ctx, t.clock, (shared) => [rtds.connect(shared)])
    return { rtds, start }
  }

  /** As a client sees them, each with its id. */
  const readAnswer = async (): Promise<[id: string, price: number][]> => {
    const range = `from=${(NOW_SEC - 3_600) * 1_000}&to=${(NOW_SEC + 3_600) * 1_000}`
    const url = `/v1/crypto/ticks?symbol=BTC&${range}`
    const reply = await t.app.inject({ url, headers: { 'x-api-key': key } })
    const { ticks }: { ticks: { id: string; data: { price: number } }[] } = reply.json()
    return ticks.map(({ id, data }) => [id, data.price])
  }
  const idOf = (sec: number) => `${sec}000-0`

  test('the first tick of a second stays: after a repetition, a second price, a reconnect, a snapshot, a restart', async () => {
    const { rtds, start } = await open()
    const first = start()
    const second = (sec: number, ms: number, value: number) =>
      rtdsFrame({ timestamp: sec * 1_000 + ms, value })
    const a = NOW_SEC - 4
    await rtds.say(first, second(a, 0, 100), second(a, 0, 100), second(a, 0, 101))
    await rtds.say(first, second(a, 500, 102), second(a + 1, 999, 103), second(a + 1, 0, 104))
    await rtds.hangUp()
    const snapshot = [a, a + 1, a + 2].map((sec) => ({ timestamp: sec * 1_000 + 1, value: 105 }))
    await rtds.say(first, rtdsFrame({ data: snapshot }))
    await first.stop()
    const later = start()
    await rtds.say(later, rtdsTick(a, 106), rtdsTick(a + 2, 107), rtdsTick(a + 3, 108))
    await later.stop()
    // A price from within a second counts at its end.
    expect(await readAnswer()).toEqual([
      [idOf(a), 100],
      [idOf(a + 1), 102],
      [idOf(a + 2), 103],
      [idOf(a + 3), 105],
    ])
  })

  test('ticks that come out of order land where they belong', async () => {
    const { rtds, start } = await open()
    const collecting = start()
    const offsets = [5, 1, 4, 2, 0, 3]
    await rtds.say(collecting, ...offsets.map((offset) => rtdsTick(NOW_SEC - offset, 100 + offset)))
    await collecting.stop()
    const sorted = offsets.toSorted((a, b) => b - a)
    expect(await readAnswer()).toEqual(sorted.map((offset) => [idOf(NOW_SEC - offset), 100 + offset]))
  })

  test('a tick of five minutes that are packed already joins them, and is no news twice', async () => {
    const { rtds, start } = await open()
    const early = start()
    await rtds.say(early, rtdsTick(NOW_SEC - 20, 120), rtdsTick(NOW_SEC - 18, 118))
    await early.stop()
    t.clock.advance(150_000)
    await packTicks(t.ctx.sql, t.clock.now())
    expect(await readPrices(t.ctx.sql)).toEqual([])

    const late = start()
    await rtds.say(late, ...[20, 19, 18].map((offset) => rtdsTick(NOW_SEC - offset, 119)))
    await late.stop()
    const expected = [120, 119, 118].map((price) => [idOf(NOW_SEC + 100 - price), price])
    expect(await readAnswer()).toEqual(expected)
    await packTicks(t.ctx.sql, t.clock.now())
    expect(await readAnswer()).toEqual(expected)
  })

  test('a coin that is not one of the seven is ignored', async () => {
    const { rtds, start } = await open()
    const collecting = start()
    await rtds.say(collecting, rtdsTick(NOW_SEC, 5, 'spot', 'zec'), rtdsTick(NOW_SEC, 100))
    await collecting.stop()
    expect(await readAnswer()).toEqual([[idOf(NOW_SEC), 100]])
    expect(await collecting.count('auspex_ticks_refused_total')).toBe(0)
  })
})
