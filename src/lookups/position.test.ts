import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { buy, give, sell } from '../ledger/position.js'
import {
  averagePriceOf,
  initialValueOf,
  marketStatusOf,
  type PositionState,
  redeemablePayoutOf,
  type SharePrice,
  statusOf,
  unrealizedOf,
  winningOutcomeOf,
  wonOf,
} from './position.js'

const EMPTY: PositionState = { balance: 0n, held: 0n, cost: 0n, realized: 0n, bought: 0n, boughtCost: 0n }

const amounts = fc.bigInt({ min: 1n, max: 10n ** 13n })

/** Positions as the ledger books them: bought, sold and given away, with gifts that bear no cost. */
const states = fc
  .array(fc.tuple(fc.constantFrom('buy', 'sell', 'give', 'gift'), amounts, amounts), {
    maxLength: 12,
  })
  .map((steps) => {
    const state = { ...EMPTY }
    for (const [kind, shares, money] of steps) {
      if (kind === 'buy') buy(state, shares, money)
      if (kind === 'sell') sell(state, shares, money)
      if (kind === 'give') give(state, shares)
      const isIn = kind === 'buy' || kind === 'gift'
      state.balance += isIn ? shares : -(shares < state.balance ? shares : state.balance)
    }
    return state
  })

const prices: fc.Arbitrary<SharePrice> = fc
  .tuple(fc.bigInt({ min: 0n, max: 10n ** 9n }), fc.bigInt({ min: 1n, max: 10n ** 9n }))
  .map(([numerator, denominator]) => ({ numerator, denominator }))

/** Whether `rounded` is numerator / denominator without its decimals. */
function expectTruncated(rounded: bigint, numerator: bigint, denominator: bigint): void {
  const rest = numerator - rounded * denominator
  expect(rest < 0n ? -rest : rest).toBeLessThan(denominator)
  if (rest !== 0n) expect(rest > 0n).toBe(numerator > 0n)
}

describe('numbers of a position', () => {
  test('what is unrealized is the exact gain, rounded toward zero to a millionth', () => {
    fc.assert(
      fc.property(states, prices, (state, price) => {
        const exact = state.held * price.numerator - state.cost * price.denominator
        expectTruncated(unrealizedOf(state, price), exact, price.denominator)
      }),
    )
  })

  test('at the average price nothing is gained or lost', () => {
    fc.assert(
      fc.property(states, ({ held, cost, ...rest }) => {
        fc.pre(held > 0n)
        const state = { ...rest, held, cost }
        expect(unrealizedOf(state, { numerator: cost, denominator: held })).toBe(0n)
      }),
    )
  })

  test('a sale at a price realizes what was unrealized at that price', () => {
    fc.assert(
      fc.property(states, amounts, (state, money) => {
        fc.pre(state.held > 0n)
        const expected = unrealizedOf(state, { numerator: money, denominator: state.held })
        expect(sell({ ...state }, state.held, money)).toBe(expected)
      }),
    )
  })

  test('the average price stays after the exit', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(amounts, amounts), { minLength: 1 }), amounts, (buys, money) => {
        const state = { ...EMPTY }
        for (const [shares, cost] of buys) buy(state, shares, cost)
        const before = averagePriceOf(state)
        sell(state, state.held, money)
        expect(state.held).toBe(0n)
        expect(averagePriceOf(state)).toBe(before)
      }),
    )
  })

  test('the initial value is size times average, from the exact average', () => {
    const state = { ...EMPTY, balance: 3_000_000n, held: 3_000_000n, cost: 1_000_000n }
    expect(averagePriceOf(state)).toBe(333_333n)
    expect(initialValueOf(state)).toBe(1_000_000n)
    fc.assert(
      fc.property(states, (held) => {
        if (held.held > 0n) expectTruncated(initialValueOf(held), held.balance * held.cost, held.held)
        if (held.bought === 0n) expect(initialValueOf(held)).toBe(0n)
      }),
    )
  })

  test('shares that were never bought have no average', () => {
    expect(averagePriceOf({ ...EMPTY, balance: 5n })).toBeUndefined()
  })

  test('the payouts of all outcomes are never more than the shares of a set', () => {
    const sets = fc.array(fc.bigInt({ min: 0n, max: 2n ** 255n }), { minLength: 2, maxLength: 5 })
    fc.assert(
      fc.property(sets, amounts, (payouts, balance) => {
        fc.pre(payouts.some((payout) => payout > 0n))
        const state = { ...EMPTY, balance }
        const paid = payouts.map((_, outcome) => redeemablePayoutOf(state, { payouts, outcome }))
        const sum = paid.reduce((all, each) => all + each, 0n)
        expect(sum).toBeLessThanOrEqual(balance)
        expect(balance - sum).toBeLessThan(BigInt(payouts.length))
      }),
    )
  })
})

const held = { ...EMPTY, balance: 1n }
const WIN = { payouts: [0n, 1n], outcome: 1 }
const LOSS = { payouts: [0n, 1n], outcome: 0 }
const HALF = { payouts: [1n, 1n], outcome: 0 }
const UNKNOWN = { payouts: [0n, 1n], outcome: null }

test.each([
  ['held, no result', held, undefined, 'open', 'live'],
  ['left, no result', EMPTY, undefined, 'closed', 'closed'],
  ['held, won', held, WIN, 'redeemable', 'resolved-win'],
  ['held, lost', held, LOSS, 'redeemable', 'resolved-loss'],
  ['held, paid in part', held, HALF, 'redeemable', 'resolved-unknown'],
  ['held, of an unknown outcome', held, UNKNOWN, 'redeemable', 'resolved-unknown'],
  ['left, won', EMPTY, WIN, 'redeemed', 'closed'],
  ['more left than came', { ...EMPTY, balance: -1n }, LOSS, 'redeemed', 'closed'],
] as const)('status of a position: %s', (_case, state, result, status, marketStatus) => {
  expect(statusOf(state, result)).toBe(status)
  expect(marketStatusOf(state, result)).toBe(marketStatus)
})

test.each([
  ['the winner', WIN, true, 1],
  ['a loser', LOSS, false, 1],
  ['a part', HALF, null, null],
  ['an unknown outcome', UNKNOWN, null, 1],
  ['a loser beside two parts', { payouts: [1n, 1n, 0n], outcome: 2 }, false, null],
  ['no payout at all', { payouts: [0n, 0n], outcome: 0 }, null, null],
])('who won: %s', (_case, result, won, winner) => {
  expect(wonOf(result)).toBe(won)
  expect(winningOutcomeOf(result.payouts)).toBe(winner)
})
