import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toDecimalText } from '../core/money.js'
import { roundToMillionths } from './millionths.js'

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
