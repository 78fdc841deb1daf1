import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { COINS } from './coins.js'
import type { Window } from './market.js'
import { Prices, restlessness } from './prices.js'
import { INTERVALS, windowAt } from './windows.js'

const HOUR_SEC = 3_600
const DAY_SEC = 24 * HOUR_SEC
const START_SEC = Date.UTC(2026, 10, 2) / 1000

const prices = new Prices(17)
const coin = fc.constantFrom(...COINS.map((facts) => facts.coin))
const second = fc.integer({ min: START_SEC - 400 * DAY_SEC, max: START_SEC + 400 * DAY_SEC })

const deviation = (values: readonly number[]) =>
  Math.sqrt(values.reduce((sum, value) => sum + value * value, 0) / values.length)

/** Moves of the logarithm over steps of that many seconds. */
function moves(of: (typeof COINS)[number]['coin'], fromSec: number, stepSec: number, count: number) {
  return Array.from({ length: count }, (_, index) => {
    const sec = fromSec + index * stepSec
    return Math.log(prices.glimpseE8(of, sec + stepSec) / prices.glimpseE8(of, sec))
  })
}

describe('the price of a second', () => {
  test('does not depend on the order or the way in which it is asked for', () => {
    const seconds = Array.from({ length: 2_000 }, (_, index) => START_SEC - 1_000 + index)
    const inOrder = seconds.map((sec) => prices.spotE8('eth', sec))
    const other = new Prices(17)
    const backwards = seconds.toReversed().map((sec) => other.spotE8('eth', sec))
    expect(backwards.reverse()).toEqual(inOrder)
    fc.assert(
      fc.property(coin, second, (of, sec) => {
        expect(new Prices(17).spotE8(of, sec)).toBe(prices.spotE8(of, sec))
        expect(prices.glimpseE8(of, sec)).toBe(prices.spotE8(of, sec))
        expect(prices.spot(of, sec).priceE8).toBe(prices.spotE8(of, sec))
      }),
    )
  })

  test('is another with another seed', () => {
    expect(new Prices(18).spotE8('btc', START_SEC)).not.toBe(prices.spotE8('btc', START_SEC))
  })

  test('is a whole number between bid and ask, not far from where the coin belongs', () => {
    fc.assert(
      fc.property(coin, second, (of, sec) => {
        const { priceE8, bidE8, askE8 } = prices.spot(of, sec)
        for (const value of [priceE8, bidE8, askE8]) expect(Number.isSafeInteger(value)).toBe(true)
        expect(bidE8).toBeLessThan(priceE8)
        expect(askE8).toBeGreaterThan(priceE8)
        const baseE8 = 1e8 * (COINS.find((facts) => facts.coin === of)?.baseUsd ?? 0)
        expect(priceE8 / baseE8).toBeGreaterThan(0.4)
        expect(priceE8 / baseE8).toBeLessThan(2.5)
      }),
    )
  })

  test('at the exchange is within a few hundredths of a percent', () => {
    fc.assert(
      fc.property(coin, second, (of, sec) => {
        expect(Math.abs(prices.binanceE8(of, sec) / prices.spotE8(of, sec) - 1)).toBeLessThan(4e-4)
      }),
    )
  })
})

describe('how prices move', () => {
  test.each(COINS)('$coin: in a day about as much as its volatility says', (facts) => {
    const daily = deviation(moves(facts.coin, START_SEC - 200 * DAY_SEC, DAY_SEC, 400))
    expect(daily / facts.volatility).toBeGreaterThan(0.7)
    expect(daily / facts.volatility).toBeLessThan(1.4)
  })

  test('like a random walk: over a quarter of the time half as much', () => {
    const over = (stepSec: number) => deviation(moves('btc', START_SEC, stepSec, 400))
    for (const stepSec of [240, 3_600, 14_400]) {
      const ratio = over(4 * stepSec) / over(stepSec)
      expect(ratio).toBeGreaterThan(1.5)
      expect(ratio).toBeLessThan(2.6)
    }
  })

  test('less at night than in the busiest hours', () => {
    const inHour = (hour: number) =>
      Array.from({ length: 12 }, (_, day) =>
        moves('btc', START_SEC + day * DAY_SEC + hour * HOUR_SEC, 10, 120),
      ).flat()
    expect(restlessness(3.5 * HOUR_SEC)).toBeCloseTo(0.55)
    expect(restlessness(15.5 * HOUR_SEC)).toBeCloseTo(1.45)
    expect(deviation(inHour(3))).toBeLessThan(0.6 * deviation(inHour(15)))
  })

  test('now and then at once', () => {
    const usual = 0.024 * Math.sqrt(60 / DAY_SEC)
    const hours = Array.from({ length: 1_000 }, (_, hour) => START_SEC - hour * HOUR_SEC)
    const jumps = hours
      .flatMap((fromSec) => moves('btc', fromSec, 60, 60))
      .filter((move) => Math.abs(move) > 6 * usual)
    expect(jumps.length).toBeGreaterThan(5)
  })
})

describe('means', () => {
  test('are of the last seconds, the given one included', () => {
    fc.assert(
      fc.property(coin, second, fc.integer({ min: 1, max: 700 }), (of, sec, seconds) => {
        let sum = 0
        for (let at = sec - seconds + 1; at <= sec; at++) sum += prices.spotE8(of, at)
        expect(prices.twapE8(of, sec, seconds)).toBe(Math.round(sum / seconds))
      }),
    )
    expect(prices.twapE8('btc', START_SEC, 1)).toBe(prices.spotE8('btc', START_SEC))
  })

  test('the end of a window is the beginning of the next', () => {
    fc.assert(
      fc.property(coin, fc.constantFrom(...INTERVALS), second, (of, { interval }, sec) => {
        const window = windowAt(of, interval, sec * 1000)
        expect(prices.closeE8(window)).toBe(prices.openE8(windowAt(of, interval, window.endMs)))
      }),
    )
  })

  test.each([
    ['5m', 'twap'],
    ['15m', 'twap'],
    ['1h', 'exchange'],
    ['4h', 'twap'],
    ['1d', 'exchange'],
  ] as const)('%s windows settle on the %s', (interval, source) => {
    const window: Window = windowAt('sol', interval, START_SEC * 1000)
    const sec = window.endMs / 1000
    expect(prices.closeE8(window)).toBe(
      source === 'twap' ? prices.twapE8('sol', sec, 60) : prices.binanceE8('sol', sec),
    )
  })
})
