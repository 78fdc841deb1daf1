import fc from 'fast-check'
import { expect, test } from 'vitest'
import { proceedsOf } from './sets.js'

const amounts = fc.oneof(fc.bigInt(1n, 20n), fc.bigInt(1n, 2n ** 53n))
const results = fc
  .tuple(fc.bigInt(0n, 10n), fc.bigInt(0n, 10n))
  .filter(([first, second]) => first + second > 0n)

const payoutOf = (given: readonly bigint[], [first, second]: readonly [bigint, bigint]): bigint[] =>
  given.map((amount, leg) => (amount * (leg === 0 ? first : second)) / (first + second))

const sum = (values: readonly bigint[]): bigint => values.reduce((all, value) => all + value, 0n)

test('one token gets the whole payout', () => {
  expect(proceedsOf([7n], 3n, undefined)).toEqual([3n])
  expect(proceedsOf([], 0n, undefined)).toEqual([])
})

test('a known result pays each token its part, rounded down', () => {
  const worth = [
    { numerator: 1n, denominator: 3n },
    { numerator: 2n, denominator: 3n },
  ]
  expect(proceedsOf([10n, 10n], 9n, worth)).toEqual([3n, 6n])
})

test('a known result never pays more than the payout', () => {
  const worth = [
    { numerator: 1n, denominator: 2n },
    { numerator: 1n, denominator: 2n },
  ]
  expect(proceedsOf([10n, 10n], 7n, worth)).toEqual([5n, 2n])
})

test.each([
  ['the first outcome won', [100n, 40n], 100n, [100n, 0n]],
  ['the second outcome won', [100n, 40n], 40n, [0n, 40n]],
  ['both are worth half', [100n, 40n], 70n, [50n, 20n]],
  ['equal amounts hide the result: half each, the odd unit to the first', [7n, 7n], 7n, [4n, 3n]],
])('without the result the values follow from the payout: %s', (_what, given, payout, expected) => {
  expect(proceedsOf(given, payout, undefined)).toEqual(expected)
})

test('an inferred result shares out the payout to the last unit, and nothing below zero', () => {
  fc.assert(
    fc.property(amounts, amounts, results, (first, second, result) => {
      const payout = sum(payoutOf([first, second], result))
      const proceeds = proceedsOf([first, second], payout, undefined)
      expect(sum(proceeds)).toBe(payout)
      for (const each of proceeds) expect(each).toBeGreaterThanOrEqual(0n)
    }),
  )
})

test('an inferred result of all or nothing is exact', () => {
  fc.assert(
    fc.property(amounts, amounts, fc.boolean(), (first, second, firstWins) => {
      fc.pre(first !== second)
      const expected = firstWins ? [first, 0n] : [0n, second]
      expect(proceedsOf([first, second], sum(expected), undefined)).toEqual(expected)
    }),
  )
})
