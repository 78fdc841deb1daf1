import { describe, expect, test } from 'vitest'
import { type Entry, ZERO_WALLET } from './entry.js'
import {
  ALICE,
  BOB,
  buy,
  conversion,
  EXCHANGE,
  fill,
  inOrder,
  migration,
  redemption,
  sell,
  split,
  transfer,
} from './test-entries.js'
import { foldAll } from './test-read-books.js'

describe('a split', () => {
  test('costs half a dollar for each outcome, the odd unit for the first', () => {
    const books = foldAll([split({ amount: 7n })])
    expect(books.rows.positions.open(ALICE, 1)).toMatchObject({ balance: 7n, held: 7n, cost: 4n })
    expect(books.rows.positions.open(ALICE, 2)).toMatchObject({ balance: 7n, held: 7n, cost: 3n })
    expect(books.rows.positions.open(ZERO_WALLET, 2)).toMatchObject({ balance: -7n, held: 0n })
    expect(books.rows.reserves.open(1)).toMatchObject({ paidIn: 7n, paidOut: 0n })
    expect(books.rows.walletTotals.open(ALICE)).toMatchObject({
      positions: 2,
      fills: 0,
      volume: 0n,
    })
  })

  test('and its merge come back to nothing', () => {
    const books = foldAll(inOrder([split({ amount: 7n }), split({ amount: 7n, isMerge: true })]))
    for (const token of [1, 2]) {
      const nothing = { balance: 0n, held: 0n, cost: 0n, realized: 0n }
      expect(books.rows.positions.open(ALICE, token)).toMatchObject(nothing)
    }
    expect(books.rows.reserves.open(1)).toMatchObject({ paidIn: 7n, paidOut: 7n })
    expect(books.pnl).toEqual([])
  })

  test('inside a match moves tokens and collateral, and bears no cost', () => {
    const books = foldAll([split({ wallet: EXCHANGE, amount: 7n, isUser: false })])
    expect(books.rows.positions.open(EXCHANGE, 1)).toMatchObject({
      balance: 7n,
      held: 0n,
      cost: 0n,
    })
    expect(books.rows.reserves.open(1).paidIn).toBe(7n)
    expect([...books.rows.walletTotals]).toEqual([])
  })

  test('of an adapter event bears cost, and moves nothing', () => {
    const books = foldAll([split({ amount: 8n, isCore: false })])
    expect(books.rows.positions.open(ALICE, 1)).toMatchObject({ balance: 0n, held: 8n, cost: 4n })
    expect([...books.rows.reserves]).toEqual([])
  })

  test('of three outcomes bears no cost', () => {
    const books = foldAll([split({ condition: 5, tokens: [21, 22, 23], amount: 9n })])
    expect(books.rows.positions.open(ALICE, 22)).toMatchObject({ balance: 9n, held: 0n, cost: 0n })
    expect(books.rows.reserves.open(5).paidIn).toBe(9n)
    expect([...books.rows.walletTotals]).toEqual([])
  })
})

describe('a redemption', () => {
  const bought = [buy(1, 100n, 60n), buy(2, 40n, 10n)]
  const given = { tokens: [1, 2], amounts: [100n, 40n] }

  test.each([
    ['by the result', { ...given, payout: 70n, payouts: [1n, 1n] }],
    ['by its payout when the result is not known', { ...given, payout: 70n }],
  ])('sells each token for its worth: %s', (_how, fields) => {
    const books = foldAll(inOrder<Entry>([...bought, redemption(fields)]))
    expect(books.pnl.map(({ token, amount, cause, sub }) => [token, amount, cause, sub])).toEqual([
      [1, -10n, 'redemption', 0],
      [2, 10n, 'redemption', 1],
    ])
    expect(books.rows.positions.open(ALICE, 1)).toMatchObject({ balance: 0n, held: 0n })
    expect(books.rows.positions.open(ZERO_WALLET, 1).balance).toBe(100n)
    expect(books.rows.reserves.open(1)).toMatchObject({ paidOut: 70n, redeemedLegs: 2 })
  })

  test('finds the worth of a token by its outcome, in whatever order they were given', () => {
    const payouts = [0n, 1n]
    const turned = { tokens: [2, 1], amounts: [40n, 100n], payout: 40n, payouts }
    const books = foldAll(inOrder<Entry>([...bought, redemption(turned)]))
    expect(books.rows.positions.open(ALICE, 1).realized).toBe(-60n)
    expect(books.rows.positions.open(ALICE, 2).realized).toBe(30n)
  })

  test('of a worthless token loses what it cost', () => {
    const lost = redemption({ tokens: [1], amounts: [100n], payout: 0n, payouts: [0n, 1n] })
    const books = foldAll(inOrder<Entry>([...bought, lost]))
    expect(books.rows.walletTotals.open(ALICE)).toMatchObject({ realized: -60n, losses: 1 })
  })

  test('of nothing changes no position', () => {
    const books = foldAll([redemption({ payout: 0n, payouts: [1n, 0n] })])
    expect([...books.rows.positions]).toEqual([])
    expect(books.rows.reserves.open(1)).toMatchObject({ paidOut: 0n, redeemedLegs: 0 })
  })

  test('of three outcomes moves tokens and collateral only', () => {
    const fields = { condition: 5, tokens: [21, 22], amounts: [9n, 9n], payout: 6n }
    for (const payouts of [[1n, 1n, 1n], undefined]) {
      const books = foldAll(inOrder<Entry>([buy(21, 9n, 1n), redemption({ ...fields, payouts })]))
      expect(books.pnl).toEqual([])
      expect(books.rows.positions.open(ALICE, 21)).toMatchObject({
        balance: 0n,
        held: 9n,
        cost: 1n,
      })
      expect(books.rows.reserves.open(5)).toMatchObject({ paidOut: 6n, redeemedLegs: 2 })
    }
  })
})

test('three tokens of an unknown condition bear no cost when they are redeemed', () => {
  const [tokens, amounts] = [
    [91, 92, 93],
    [9n, 9n, 9n],
  ]
  const fields = { condition: 90, tokens, amounts, payout: 9n }
  expect(foldAll(inOrder<Entry>([buy(91, 9n, 1n), redemption(fields)])).pnl).toEqual([])
})

describe('a conversion', () => {
  test('moves no balance', () => {
    const books = foldAll(inOrder<Entry>([buy(2, 10n, 7n), conversion([2], [3, 5, 7], 10n)]))
    expect(books.rows.positions.open(ALICE, 2)).toMatchObject({ balance: 10n, held: 0n })
    expect(books.rows.positions.open(ALICE, 3)).toMatchObject({
      balance: 0n,
      held: 10n,
      bought: 10n,
    })
  })

  test('shares the cost out equally, and gives what is left over to the first', () => {
    const books = foldAll(inOrder<Entry>([buy(2, 10n, 8n), conversion([2], [3, 5, 7], 10n)]))
    expect([3, 5, 7].map((token) => books.rows.positions.open(ALICE, token).cost)).toEqual([4n, 2n, 2n])
    expect(books.rows.walletTotals.open(ALICE).positions).toBe(4)
  })

  test('that pays more than the tokens cost leaves a negative cost', () => {
    const books = foldAll(inOrder<Entry>([buy(2, 10n, 1n), buy(4, 10n, 1n), conversion([2, 4], [5, 7], 10n)]))
    expect([5, 7].map((token) => books.rows.positions.open(ALICE, token).cost)).toEqual([-4n, -4n])
  })

  test('of every question sells each token for an equal share of the money', () => {
    const books = foldAll(
      inOrder<Entry>([
        buy(2, 10n, 5n),
        buy(4, 10n, 7n),
        buy(6, 10n, 7n),
        { ...conversion([2, 4, 6], [], 10n), cash: 20n },
      ]),
    )
    expect(books.pnl.map(({ token, amount, cause, sub }) => [token, amount, cause, sub])).toEqual([
      [2, 3n, 'conversion', 0],
      [4, -1n, 'conversion', 1],
      [6, -1n, 'conversion', 2],
    ])
    expect(books.rows.walletTotals.open(ALICE).realized).toBe(20n - 19n)
  })

  test.each([
    ['some', [5, 7]],
    ['no', []],
  ])('of tokens that came as a gift earns nothing and costs nothing, with %s YES', (_n, taken) => {
    const books = foldAll(
      inOrder<Entry>([
        transfer(BOB, ALICE, 2, 10n),
        transfer(BOB, ALICE, 4, 10n),
        conversion([2, 4], taken, 10n),
      ]),
    )
    expect(books.pnl).toEqual([])
    for (const { held, cost, bought } of books.rows.positions) {
      expect({ held, cost, bought }).toEqual({ held: 0n, cost: 0n, bought: 0n })
    }
  })

  test('of tokens that are a gift in part books the other part of money and tokens', () => {
    const books = foldAll(
      inOrder<Entry>([buy(2, 10n, 8n), transfer(BOB, ALICE, 4, 10n), conversion([2, 4], [5, 7], 10n)]),
    )
    for (const token of [5, 7]) {
      expect(books.rows.positions.open(ALICE, token)).toMatchObject({
        held: 5n,
        cost: 1n + (token === 5 ? 1n : 0n),
      })
    }
  })
})

test('a conversion that brings less than a millionth of a share realizes what was given', () => {
  const books = foldAll(
    inOrder<Entry>([buy(2, 1n, 1n), transfer(BOB, ALICE, 2, 9n), conversion([2, 4, 6], [7], 10n)]),
  )
  expect(books.rows.walletTotals.open(ALICE).realized).toBe(-1n)
  expect(books.rows.positions.open(ALICE, 7)).toMatchObject({ held: 0n, cost: 0n })
})

describe('a migration', () => {
  test('takes cost and purchase along, without profit', () => {
    const books = foldAll(inOrder<Entry>([buy(1, 10n, 4n), migration(1, 31, 10n)]))
    expect(books.rows.positions.open(ALICE, 1)).toMatchObject({ held: 0n, cost: 0n, bought: 0n })
    expect(books.rows.positions.open(ALICE, 1).boughtCost).toBe(0n)
    const moved = { balance: 0n, held: 10n, cost: 4n, bought: 10n, boughtCost: 4n }
    expect(books.rows.positions.open(ALICE, 31)).toMatchObject(moved)
    expect(books.pnl).toEqual([])
    expect(books.rows.walletTotals.open(ALICE).positions).toBe(1)
  })

  test('of a part leaves the rest, and both positions count', () => {
    const books = foldAll(
      inOrder<Entry>([
        buy(1, 10n, 4n),
        migration(1, 31, 5n),
        sell(1, 5n, 4n),
        fill({ token: 31, shares: 5n, usd: 4n, isBuy: false }),
      ]),
    )
    expect(books.rows.walletTotals.open(ALICE)).toMatchObject({
      positions: 2,
      wins: 2,
      realized: 4n,
    })
  })

  test('of gifts moves no cost', () => {
    const books = foldAll(inOrder<Entry>([transfer(BOB, ALICE, 1, 10n), migration(1, 31, 10n)]))
    expect(books.rows.positions.open(ALICE, 31)).toMatchObject({ held: 0n, cost: 0n, bought: 0n })
    expect([...books.rows.walletTotals]).toEqual([])
  })
})
