import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CANDLE_SEC, type Candle, toCandles } from './candles.js'

const FROM_SEC = 1_793_000_100
const BUCKETS = 4

type SecondPrice = { at: number; price: number }

const price = fc.double({ min: 0.0001, max: 200_000, noNaN: true })
/** Mostly few, so that buckets are empty and begin late. */
const known = fc.uniqueArray(fc.record({ at: fc.nat(BUCKETS * CANDLE_SEC - 1), price }), {
  selector: ({ at }) => at,
  maxLength: 12,
})
const before = fc.option(price, { nil: undefined })

const toSeconds = (ticks: readonly SecondPrice[]): Float64Array => {
  const prices = new Float64Array(BUCKETS * CANDLE_SEC).fill(Number.NaN)
  for (const tick of ticks) prices[tick.at] = tick.price
  return prices
}

/** By the definition alone: every candle looks through all of history. */
function recompute(ticks: readonly SecondPrice[], first: number | undefined): Candle[] {
  const history = [...ticks].sort((a, b) => a.at - b.at)
  return Array.from({ length: BUCKETS }, (_, bucket) => bucket * CANDLE_SEC).flatMap((start) => {
    const earlier = history.filter(({ at }) => at < start).map((tick) => tick.price)
    const own = history.filter(({ at }) => at >= start && at < start + CANDLE_SEC).map((tick) => tick.price)
    const open = earlier.at(-1) ?? first ?? own[0]
    if (open === undefined) return []
    const all = [open, ...own].sort((a, b) => a - b)
    const [low = open] = all
    const time = FROM_SEC + start
    return [{ time, open, high: all.at(-1) ?? open, low, close: own.at(-1) ?? open }]
  })
}

describe('candles', () => {
  test('are what a search through all of history gives', () => {
    fc.assert(
      fc.property(known, before, (ticks, first) => {
        expect(toCandles(toSeconds(ticks), FROM_SEC, first)).toEqual(recompute(ticks, first))
      }),
      { numRuns: 1_000 },
    )
  })

  test('follow each other without a hole, each opening where the one before closed', () => {
    fc.assert(
      fc.property(known, before, (ticks, first) => {
        const candles = toCandles(toSeconds(ticks), FROM_SEC, first)
        for (const [index, { time, open, high, low, close }] of candles.entries()) {
          const previous = candles[index - 1]
          if (previous !== undefined) {
            expect(open).toBe(previous.close)
            expect(time).toBe(previous.time + CANDLE_SEC)
          }
          expect(high).toBeGreaterThanOrEqual(Math.max(open, close))
          expect(low).toBeLessThanOrEqual(Math.min(open, close))
        }
        const running = FROM_SEC + (BUCKETS - 1) * CANDLE_SEC
        if (candles.length > 0) expect(candles.at(-1)?.time).toBe(running)
      }),
    )
  })

  test('without any price there are none', () => {
    expect(toCandles(toSeconds([]), FROM_SEC, undefined)).toEqual([])
  })
})
