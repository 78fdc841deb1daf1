import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  parseMillionths,
  roundToMillionths,
  toDecimal,
  toDecimalText,
  toPrice,
  toPriceText,
} from './money.js'

const millionths = fc.bigInt({ min: 0n, max: 10n ** 15n })

describe('millionths', () => {
  test('become a text of six decimals and come back as they were', () => {
    fc.assert(
      fc.property(millionths, (amount) => {
        expect(parseMillionths(toDecimalText(amount))).toBe(amount)
        expect(toDecimalText(-amount)).toBe(amount === 0n ? '0.000000' : `-${toDecimalText(amount)}`)
      }),
    )
  })

  test('up to a billion dollars print as their decimal', () => {
    fc.assert(
      fc.property(millionths, (amount) => {
        expect(toDecimal(amount)).toBe(Number(toDecimalText(amount)))
      }),
    )
  })

  test.each([
    ['12.5', 12_500_000n],
    ['0.000001', 1n],
    ['7', 7_000_000n],
  ])('%s dollars are %s', (text, amount) => expect(parseMillionths(text)).toBe(amount))
})

test.each([
  [310_000n, 1_000_000n, 0.31, '0.3100'],
  [12_345n, 100_000n, 0.1235, '0.1235'],
  [5n, 0n, 0, '0.0000'],
])('%s for %s shares is a price of %d', (usd, shares, price, text) => {
  expect(toPrice(usd, shares)).toBe(price)
  expect(toPriceText(usd, shares)).toBe(text)
})

const amounts = fc.bigInt({ min: 0n, max: 2n ** 53n - 1n })

/** A share costs at most a dollar. */
const fills = fc
  .record({ shares: fc.bigInt({ min: 1n, max: 2n ** 53n - 1n }), part: amounts })
  .map(({ shares, part }) => ({ shares, usd: part % (shares + 1n) }))

describe('toDecimal', () => {
  test.each([
    [0n, 0],
    [1n, 0.000001],
    [25_000_000n, 25],
    [-1_500_000n, -1.5],
    [999_999_999_999_999n, 999_999_999.999999],
  ])('%s millionths are %s', (millionths, decimal) => {
    expect(toDecimal(millionths)).toBe(decimal)
  })

  test('is the number that the decimal digits stand for', () => {
    fc.assert(
      fc.property(amounts, (amount) => {
        const digits = amount.toString().padStart(7, '0')
        expect(toDecimal(amount)).toBe(Number(`${digits.slice(0, -6)}.${digits.slice(-6)}`))
      }),
    )
  })
})

describe('toPrice', () => {
  test.each([
    ['exact', 640_000n, 1_000_000n, 0.64],
    ['half a step goes up', 5n, 100_000n, 0.0001],
    ['less than half goes down', 4n, 100_000n, 0],
    ['two thirds', 2n, 3n, 0.6667],
    ['no shares', 5n, 0n, 0],
  ])('%s', (_what, usd, shares, price) => {
    expect(toPrice(usd, shares)).toBe(price)
  })

  test('is the multiple of a ten-thousandth that is nearest, the upper one of two', () => {
    fc.assert(
      fc.property(fills, ({ usd, shares }) => {
        const steps = BigInt(Math.round(toPrice(usd, shares) * 1e4))
        // usd/shares - 1/2 step < price <= usd/shares + 1/2 step, in whole numbers.
        const distance = 2n * (steps * shares - usd * 10_000n)
        expect(distance > -shares && distance <= shares).toBe(true)
      }),
    )
  })
})

describe('roundToMillionths', () => {
  test.each([
    ['0', 0n],
    ['12.5', 12_500_000n],
    ['-0.25', -250_000n],
    ['0.0000004', 0n],
    ['0.0000005', 1n],
    ['-0.0000005', -1n],
    ['0.5333333333333333', 533_333n],
    ['0.9999999', 1_000_000n],
    ['9007199254.740991', 9_007_199_254_740_991n],
  ])('%s', (decimal, millionths) => {
    expect(roundToMillionths(decimal)).toBe(millionths)
  })

  test('six decimals are exact', () => {
    fc.assert(
      fc.property(fc.bigInt(-(10n ** 18n), 10n ** 18n), (millionths) => {
        expect(roundToMillionths(toDecimalText(millionths))).toBe(millionths)
      }),
    )
  })
})
