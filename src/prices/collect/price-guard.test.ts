import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { PriceSourceName, PriceTick } from '../../upstreams/prices/source.js'
import { PriceGuard, type PriceRefusal } from './price-guard.js'

const NOW_MS = Date.UTC(2026, 10, 15, 12)
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

const tick = (price: number, timestampMs = NOW_MS, changes: Partial<PriceTick> = {}): PriceTick => ({
  coin: 'btc',
  kind: 'spot',
  source: 'rtds',
  provider: 'chainlink',
  timestampMs,
  price: String(price),
  priceE18: 0n,
  receivedMs: timestampMs,
  ...changes,
})

const guardAt = (price: number, timestampMs = NOW_MS) => new PriceGuard([['BTC', { price, timestampMs }]])

describe('a price', () => {
  test.each<[string, number, number, PriceRefusal | undefined]>([
    ['twice as high within a minute', 200, MINUTE_MS, undefined],
    ['half as high within a minute', 50, MINUTE_MS, undefined],
    ['a little more than twice as high within a minute', 200.01, MINUTE_MS, 'jump'],
    ['a little less than half as high within a minute', 49.99, MINUTE_MS, 'jump'],
    ['ten times as high within a week', 1_000, 7 * DAY_MS, undefined],
    ['more than ten times as high within a week', 1_001, 7 * DAY_MS, 'jump'],
    ['a tenth within a week', 10, MINUTE_MS + 1, undefined],
    ['less than a tenth within a week', 9.99, MINUTE_MS + 1, 'jump'],
    ['a thousand times as high at once', 100_000, 1_000, 'jump'],
    ['that is no number', Number.NaN, 1_000, 'jump'],
    ['without end', Number.POSITIVE_INFINITY, 1_000, 'jump'],
    ['of nothing', 0, 1_000, 'jump'],
    ['after more than a week, in which anything is possible', 100, 7 * DAY_MS + 1, 'unproven'],
  ])('%s: %d after %d ms is %s', (_what, price, afterMs, refusal) => {
    expect(guardAt(100).check('BTC', tick(price, NOW_MS + afterMs))).toBe(refusal)
  })

  test.each(['bid', 'ask'] as const)('is refused with a %s that cannot be true', (side) => {
    const quotes = { bid: '99', ask: '101' }
    expect(guardAt(100).check('BTC', tick(100, NOW_MS, quotes))).toBeUndefined()
    expect(guardAt(100).check('BTC', tick(100, NOW_MS, { ...quotes, [side]: '100000' }))).toBe('jump')
  })

  test('of one coin says nothing about another', () => {
    expect(guardAt(100).check('ETH', tick(100))).toBe('unproven')
  })
})

describe('a timestamp', () => {
  test.each<[PriceSourceName, number]>([
    ['rtds', 5 * MINUTE_MS],
    ['live_v2', 5 * MINUTE_MS],
    ['chainlink', 25 * HOUR_MS],
  ])('%s: %d ms ago is not too late, before that is', (source, lateMsMax) => {
    const at = (timestampMs: number) => tick(100, timestampMs, { source, receivedMs: NOW_MS })
    expect(guardAt(100).check('BTC', at(NOW_MS - lateMsMax))).toBeUndefined()
    expect(guardAt(100).check('BTC', at(NOW_MS - lateMsMax - 1))).toBe('late')
  })

  test('of the past does not move what later prices are measured by', () => {
    const guard = guardAt(100)
    const late = tick(900, NOW_MS - 2 * MINUTE_MS, { receivedMs: NOW_MS })
    expect(guard.check('BTC', late)).toBeUndefined()
    expect(guard.check('BTC', tick(900, NOW_MS + 1_000))).toBe('jump')
    expect(guard.check('BTC', tick(101, NOW_MS + 1_000))).toBeUndefined()
  })
})

describe('of a coin that nothing is known of', () => {
  const orders = [
    [100_000, 100, 101],
    [100, 100_000, 101],
    [100, 101, 100_000],
    [0.1, 100, 101],
    [100, 101, 0.1],
  ]
  test.each(orders)('one price of the first three may be wrong: %d, %d, %d', (...votes) => {
    const guard = new PriceGuard()
    for (const price of votes) expect(guard.check('BTC', tick(price))).toBe('unproven')
    expect(guard.check('BTC', tick(102))).toBeUndefined()
    expect(guard.check('BTC', tick(100_000))).toBe('jump')
    expect(guard.check('BTC', tick(0.1))).toBe('jump')
  })
})

const arrivals = fc.array(
  fc.record({
    magnitude: fc.double({ min: -2, max: 2, noNaN: true }),
    /** Mostly forward, and back now and then. */
    stepMs: fc.integer({ min: -4 * MINUTE_MS, max: 2 * MINUTE_MS }),
  }),
  { maxLength: 60 },
)

test('whatever comes in whatever order, what is believed is near what was believed last', () => {
  fc.assert(
    fc.property(arrivals, fc.boolean(), (all, isKnown) => {
      const guard = isKnown ? guardAt(100) : new PriceGuard()
      let newest = isKnown ? { price: 100, timestampMs: NOW_MS } : undefined
      let nowMs = NOW_MS
      for (const { magnitude, stepMs } of all) {
        const price = 100 * 10 ** magnitude
        const timestampMs = nowMs + stepMs
        nowMs = Math.max(nowMs, timestampMs)
        const refusal = guard.check('BTC', tick(price, timestampMs, { receivedMs: nowMs }))
        if (refusal !== undefined) continue
        const { price: before, timestampMs: beforeMs } = newest ?? { price, timestampMs: 0 }
        const apartMs = Math.abs(timestampMs - beforeMs)
        const factor = Math.max(price, before) / Math.min(price, before)
        // Divided the other way round, a factor of exactly two may come out a little larger.
        const factorMax = apartMs <= MINUTE_MS ? 2 : apartMs <= 7 * DAY_MS ? 10 : Number.POSITIVE_INFINITY
        expect(factor).toBeLessThanOrEqual(factorMax * (1 + 1e-12))
        if (timestampMs > beforeMs) newest = { price, timestampMs }
      }
    }),
  )
})

test('prices that move as prices do are all believed', () => {
  const moves = fc.array(fc.double({ min: 0.6, max: 1.6, noNaN: true }), { maxLength: 100 })
  fc.assert(
    fc.property(moves, (factors) => {
      const guard = guardAt(100)
      let price = 100
      factors.forEach((factor, index) => {
        price = Math.min(Math.max(price * factor, 1), 1e6)
        expect(guard.check('BTC', tick(price, NOW_MS + (index + 1) * 1_000))).toBeUndefined()
      })
    }),
  )
})
