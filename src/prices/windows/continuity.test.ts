import { afterAll, beforeAll, expect, test } from 'vitest'
import { randomFrom } from '../../../test/random.js'
import type { PriceKind } from '../../upstreams/prices/source.js'
import { packTicks } from '../archive/pack.js'
import { type CoinSymbol, TICK_SOURCES, type TickSource } from '../streams.js'
import { openWindowApp, readPrice, type WindowApp } from './test-window-app.js'
import { kindsAt, type WindowInterval } from './window.js'

const WINDOWS = 200
const NOW_MS = Date.UTC(2026, 8, 20)

let w: WindowApp
beforeAll(async () => {
  w = await openWindowApp(NOW_MS)
  w.clock.set(NOW_MS)
})
afterAll(() => w.close())

type RandomTick = { kind: PriceKind; source: TickSource; sec: number; price: number }

/** The rule in plain code: a search through all ticks around the boundary. */
function recompute(ticks: readonly RandomTick[], interval: WindowInterval, boundarySec: number) {
  const inTime = ticks.filter(({ sec }) => boundarySec - 60 <= sec && sec <= boundarySec)
  for (const kind of kindsAt(interval, boundarySec)) {
    const rivals = inTime.filter((tick) => tick.kind === kind)
    const newestSec = Math.max(...rivals.map(({ sec }) => sec))
    const newest = rivals.filter(({ sec }) => sec === newestSec)
    const best = newest.find(({ source }) => source === 'oracle_data_streams') ?? newest[0]
    if (best !== undefined) return best.price
  }
  return undefined
}

/** What came around a boundary: of each stream nothing, or some seconds before and after it. */
function ticksAround(boundarySec: number, interval: WindowInterval, random: (n: number) => number) {
  const ticks = new Map<string, RandomTick>()
  const add = (kind: PriceKind, source: TickSource, sec: number) => {
    const name = `${kind} ${source} ${sec}`
    if (!ticks.has(name)) ticks.set(name, { kind, source, sec, price: 1 + random(1e9) / 1e4 })
  }
  for (const kind of ['spot', 'twap30', 'twap60', 'binance'] as const) {
    for (const source of TICK_SOURCES) {
      const count = random(2) * random(5)
      for (let index = 0; index < count; index++) add(kind, source, boundarySec + 3 - random(70))
    }
  }
  // The archive alone shall answer here: what it lacks is the site's business.
  if (recompute([...ticks.values()], interval, boundarySec) === undefined) {
    add('spot', 'platform_oracle', boundarySec - random(61))
  }
  return [...ticks.values()]
}

test.each<[WindowInterval, number, CoinSymbol, string]>([
  ['5m', 300, 'BTC', '2026-08-13T12:00:00Z'],
  ['15m', 900, 'ETH', '2026-08-06T00:00:00Z'],
  ['1h', 3_600, 'SOL', '2026-08-05T00:00:00Z'],
  ['4h', 14_400, 'HYPE', '2026-08-01T00:00:00Z'],
])(
  '200 windows of %s in a row end where the next begins, whatever ticks are missing',
  async (interval, lengthSec, symbol, from) => {
    const random = randomFrom(lengthSec)
    const firstSec = Date.parse(from) / 1000
    const boundaries = Array.from({ length: WINDOWS + 1 }, (_, index) => {
      const sec = firstSec + index * lengthSec
      return { sec, ticks: ticksAround(sec, interval, random) }
    })
    const ticks = boundaries.flatMap((boundary) => boundary.ticks)
    const insertAll = (some: readonly RandomTick[]) =>
      Promise.all(
        some.map(({ kind, source, sec, price }) => w.insert([[sec, price]], { symbol, kind, source })),
      )
    // One half is in blocks, the other is not, second by second.
    await insertAll(ticks.filter((_, index) => index % 2 === 0))
    await packTicks(w.ctx.sql, NOW_MS)
    await insertAll(ticks.filter((_, index) => index % 2 === 1))

    const starts = boundaries.slice(0, WINDOWS)
    const replies = await Promise.all(
      starts.map(({ sec }) => readPrice(w, `symbol=${symbol}&window=${sec}&interval=${interval}`)),
    )
    const expected = boundaries.map(({ sec, ticks: around }) => recompute(around, interval, sec))
    expect(expected).not.toContain(undefined)
    expect(replies.map(({ openPrice }) => openPrice)).toEqual(expected.slice(0, WINDOWS))
    expect(replies.map(({ closePrice }) => closePrice)).toEqual(expected.slice(1))
    expect(replies.every(({ completed }) => completed)).toBe(true)
    expect(w.siteUrls).toEqual([])
  },
)
