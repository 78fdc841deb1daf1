import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fillGaps, type TokenCandle } from './candle.js'

const candleAt = (timeSec: number, close: bigint, shares = 5n): TokenCandle => ({
  token: 1,
  timeSec,
  trades: 1,
  open: 1n,
  high: 9n,
  low: 1n,
  close,
  volume: 3n,
  shares,
  buyVolume: 1n,
  first: { seq: 1, timeSec },
  last: { seq: 2, timeSec },
})

const WINDOW = {
  token: 1,
  firstSec: 60,
  lastSec: 360,
  seconds: 60,
  nowSec: 1_000,
  closeBefore: null,
}

const pricesOf = (candles: readonly TokenCandle[]) =>
  candles.map(({ timeSec, trades, close }) => [timeSec, trades, close])

test('gaps have the price before them, and there are none before the first price', () => {
  const filled = fillGaps([candleAt(120, 7n), candleAt(240, 4n)], WINDOW)
  expect(pricesOf(filled)).toEqual([
    [120, 1, 7n],
    [180, 0, 7n],
    [240, 1, 4n],
    [300, 0, 4n],
    [360, 0, 4n],
  ])
  expect(filled[1]).toEqual({
    token: 1,
    timeSec: 180,
    trades: 0,
    open: 7n,
    high: 7n,
    low: 7n,
    close: 7n,
    volume: 0n,
    shares: 0n,
    buyVolume: 0n,
    first: null,
    last: null,
  })
})

test('a price from before the window fills its beginning', () => {
  const filled = fillGaps([], { ...WINDOW, closeBefore: 3n })
  expect(pricesOf(filled).map(([timeSec]) => timeSec)).toEqual([60, 120, 180, 240, 300, 360])
})

test('buckets that have not begun are not added', () => {
  const filled = fillGaps([candleAt(360, 8n)], { ...WINDOW, closeBefore: 3n, nowSec: 179 })
  expect(pricesOf(filled).map(([timeSec]) => timeSec)).toEqual([60, 120, 360])
})

test('a candle without shares has no price to go on with', () => {
  const filled = fillGaps([candleAt(60, 7n), candleAt(120, 0n, 0n)], WINDOW)
  expect(pricesOf(filled).slice(1, 3)).toEqual([
    [120, 1, 0n],
    [180, 0, 7n],
  ])
})

test('no candle is lost, changed or out of order', () => {
  const times = fc.uniqueArray(fc.integer({ min: 1, max: 6 }).map((bucket) => bucket * 60))
  fc.assert(
    fc.property(times, (input) => {
      const candles = input.sort((a, b) => a - b).map((timeSec) => candleAt(timeSec, BigInt(timeSec)))
      const filled = fillGaps(candles, WINDOW)
      expect(filled.filter(({ trades }) => trades > 0)).toEqual(candles)
      const sorted = filled.map(({ timeSec }) => timeSec)
      expect(sorted).toEqual([...new Set(sorted)].sort((a, b) => a - b))
    }),
  )
})
