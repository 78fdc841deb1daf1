import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Catalogue } from './catalogue.js'
import { Fair, normalCdf } from './fair.js'
import type { Market, MarketEvent } from './market.js'
import { worthOf } from './outcomes.js'
import { Prices } from './prices.js'

const SEED = 12
const MINUTE_MS = 60_000
const START_MS = Date.UTC(2026, 10, 9)

const prices = new Prices(SEED)
const fair = new Fair(SEED, prices)
const v1StartMs = Date.UTC(2026, 3, 20, 14)
const events = new Catalogue({ seed: SEED, startMs: START_MS, v1StartMs, prices }).extendTo(
  START_MS + 2 * 86_400_000,
)
const ofKind = (kind: MarketEvent['model']['kind']) => events.filter(({ model }) => model.kind === kind)
const windows = ofKind('window').filter((_, index) => index % 17 === 0)
const topics = [...ofKind('opinion'), ...ofKind('strikes')]
const markets = [...windows, ...topics].flatMap((event) => event.markets)

/** A market, and a moment of its life as a share of it. */
const moment = fc.record({
  market: fc.constantFrom(...markets),
  share: fc.double({ min: 0, max: 1.2, noNaN: true }),
})
const timeOf = ({ createdMs, endMs }: { createdMs: number; endMs: number }, share: number) =>
  Math.floor(createdMs + share * (endMs - createdMs))

describe('what an outcome is worth', () => {
  test('lies strictly between nothing and all, and is the same again', () => {
    fc.assert(
      fc.property(moment, ({ market, share }) => {
        const atMs = timeOf(market, share)
        const value = fair.at(market, atMs)
        expect(value).toBeGreaterThan(0)
        expect(value).toBeLessThan(1)
        expect(new Fair(SEED, new Prices(SEED)).at(market, atMs)).toBe(value)
      }),
      { numRuns: 300 },
    )
  })

  test('is the truth from the end on', () => {
    for (const market of markets) {
      const worth = worthOf(fair.truth(market), 0)
      expect(Math.abs(fair.at(market, market.endMs) - worth)).toBeLessThan(0.01)
    }
  })

  test('comes close to the truth before that', () => {
    const misses = (share: number) => {
      const decided = topics
        .flatMap((event) => event.markets)
        .filter((market) => worthOf(fair.truth(market), 0) !== 0.5)
      const sum = decided.reduce((total, market) => {
        const value = fair.at(market, timeOf(market, share))
        return total + Math.abs(value - worthOf(fair.truth(market), 0))
      }, 0)
      return sum / decided.length
    }
    expect(misses(0.999)).toBeLessThan(0.5 * misses(0.3))
    expect(misses(0.999)).toBeLessThan(0.15)
  })

  test('of exclusive questions is one together', () => {
    const exclusive = topics.filter(({ negRisk }) => negRisk !== undefined)
    expect(exclusive.length).toBeGreaterThan(10)
    for (const event of exclusive) {
      for (const share of [0, 0.4, 0.8, 0.97]) {
        const atMs = timeOf(event, share)
        const sum = event.markets.reduce((total, market) => total + fair.at(market, atMs), 0)
        // No probability is ever quite 0 or 1, which adds a little.
        expect(Math.abs(sum - 1)).toBeLessThan(0.005 * event.markets.length)
      }
      const winners = event.markets.filter((market) => fair.truth(market)[0] === 1)
      expect(winners).toHaveLength(1)
    }
  })

  test('of a level falls with the level', () => {
    const ladders = topics.filter(({ model, negRisk }) => model.kind === 'strikes' && !negRisk)
    expect(ladders.length).toBeGreaterThan(2)
    for (const event of ladders) {
      const values = event.markets.map((market) => fair.at(market, timeOf(event, 0.5)))
      expect(values).toEqual(values.toSorted((a, b) => b - a))
    }
  })

  test('is honest: what is worth p comes true with about that probability', () => {
    const calls = windows.flatMap((event) => {
      const { window, markets: own } = event
      const [market] = own
      if (window === undefined || market === undefined) return []
      const atMs = window.startMs + (window.endMs - window.startMs) / 2
      return [{ value: fair.at(market, atMs), truth: fair.truth(market)[0] }]
    })
    const bold = calls.filter(({ value }) => value > 0.75 || value < 0.25)
    const right = bold.filter(({ value, truth }) => value > 0.5 === (truth === 1))
    const expected = bold.reduce((sum, { value }) => sum + Math.max(value, 1 - value), 0)
    expect(bold.length).toBeGreaterThan(100)
    expect(right.length / expected).toBeGreaterThan(0.85)
    expect(right.length / expected).toBeLessThan(1.15)
  })
})

describe('a window', () => {
  const upIn = (market: Market, atMs: number) => fair.at(market, atMs)

  test('is even until it opens, and up when it ends at least where it began', () => {
    for (const { window, markets: own } of windows) {
      const [market] = own
      if (window === undefined || market === undefined) continue
      expect(upIn(market, window.startMs - 1)).toBe(0.5)
      const isUp = prices.closeE8(window) >= prices.openE8(window)
      expect(fair.truth(market)).toEqual(isUp ? [1, 0] : [0, 1])
    }
  })

  test('is all but decided a few seconds before its end', () => {
    const sure = windows.filter(({ window, markets: own }) => {
      const [market] = own
      if (window === undefined || market === undefined) return false
      const value = upIn(market, window.endMs - 3_000)
      return Math.abs(value - worthOf(fair.truth(market), 0)) < 0.1
    })
    expect(sure.length / windows.length).toBeGreaterThan(0.9)
  })

  test('moves with the price: a minute changes what it is worth', () => {
    const changes = windows.filter(({ window, markets: own }) => {
      const [market] = own
      if (window === undefined || market === undefined) return false
      const middleMs = (window.startMs + window.endMs) / 2
      return upIn(market, middleMs) !== upIn(market, middleMs + MINUTE_MS)
    })
    expect(changes.length / windows.length).toBeGreaterThan(0.9)
  })
})

test('the normal distribution', () => {
  for (const [x, known] of [
    [0, 0.5],
    [1, 0.8413447],
    [-1, 0.1586553],
    [1.96, 0.9750021],
    [-3, 0.0013499],
  ] as const) {
    expect(normalCdf(x)).toBeCloseTo(known, 6)
  }
})
