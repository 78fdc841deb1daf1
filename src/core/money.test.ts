import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseMillionths, toDecimal, toDecimalText, toPrice, toPriceText } from './money.js'

const millionths = fc.bigInt({ min: 0n, max: 10n ** 15n })

describe('millionths', () => {
  test('become a text of six decimals and come back as they were', () => {
    fc.assert(
      fc.property(millionths, (amount) => {
        expect(parseMillionths(toDecimalText(amount))).toBe(amount)
        expect(toDecimalText(-amount)).toBe(
          amount === 0n ? '0.000000' : `-${toDecimalText(amount)}`,
        )
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
