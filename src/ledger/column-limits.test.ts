import { describe, expect, test } from 'vitest'
import { AMOUNT_MAX } from '../core/money.js'
import { type Entry, type SupplyEntry, ZERO_WALLET } from './entry.js'
import { fold } from './fold.js'
import type { MemoryBooks } from './memory-books.js'
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
  START_SEC,
  sell,
  split,
  transfer,
} from './test-entries.js'
import { foldAll, readBooks } from './test-read-books.js'

const FULL = 2n ** 60n
const HOUR = START_SEC / 3600
const MINUTE = START_SEC / 60
const DAY = Math.floor(START_SEC / 86_400)
const ABSURD = 2n ** 255n

const supply = (minted: bigint, burned: bigint): SupplyEntry => {
  const { seq, timeSec } = fill({})
  return { kind: 'supply', seq, timeSec, token: 1, minted, burned }
}

const PAST: Entry[] = inOrder<Entry>([
  fill({ shares: 100n, usd: 40n, builder: 7 }),
  split({ amount: 50n }),
  supply(50n, 0n),
  buy(4, 100n, 70n),
])

const redeemed = redemption({ tokens: [1], amounts: [5n], payout: 5n, payouts: [1n, 0n] })

describe('an entry with an absurd amount is refused and changes nothing', () => {
  test.each<[string, Entry]>([
    ['usd of a fill', fill({ shares: 5n, usd: ABSURD })],
    ['shares of a fill', fill({ shares: AMOUNT_MAX + 1n, usd: 5n })],
    ['fee of a fill', fill({ shares: 5n, usd: 5n, fee: ABSURD })],
    ['a split', split({ amount: ABSURD })],
    ['a merge', split({ amount: ABSURD, isMerge: true })],
    ['amount of a redemption', { ...redeemed, amounts: [ABSURD] }],
    ['payout of a redemption', { ...redeemed, payout: ABSURD }],
    ['amount of a conversion', conversion([2, 4], [5, 7], ABSURD)],
    ['money of a conversion', { ...conversion([2, 4], [5, 7], 5n), cash: ABSURD }],
    ['tokens of a conversion', { ...conversion([2, 4], [5, 7], 5n), received: ABSURD }],
    ['a migration', migration(1, 31, ABSURD)],
    ['a transfer', transfer(ALICE, BOB, 1, ABSURD)],
    ['a negative transfer', transfer(ALICE, BOB, 1, -1n)],
    ['what was minted', supply(ABSURD, 0n)],
    ['what was burned', supply(0n, ABSURD)],
  ])('%s', (_what, entry) => {
    const books = foldAll(PAST)
    const before = readBooks(books)
    fold(books, entry)
    expect(readBooks(books)).toEqual(before)
    expect(books.refusals).toEqual([{ seq: entry.seq, reason: 'absurd_amount' }])
  })
})

describe('an entry that meets a full column is refused and changes nothing', () => {
  const traded = fill({ shares: 5n, usd: 2n, fee: 1n, builder: 7 })
  const merged = split({ amount: 5n, isMerge: true })
  const converted = conversion([2, 4], [5, 7], 5n)

  test.each<[string, Entry, (rows: MemoryBooks['rows']) => void]>([
    ['balance', traded, (rows) => (rows.positions.open(ALICE, 1).balance = FULL)],
    ['held', traded, (rows) => (rows.positions.open(ALICE, 1).held = FULL)],
    ['cost', traded, (rows) => (rows.positions.open(ALICE, 1).cost = -FULL)],
    ['realized', sell(1, 5n, 2n), (rows) => (rows.positions.open(ALICE, 1).realized = -FULL)],
    ['bought', traded, (rows) => (rows.positions.open(ALICE, 1).bought = FULL)],
    ['bought cost', traded, (rows) => (rows.positions.open(ALICE, 1).boughtCost = FULL)],
    ['fees', traded, (rows) => (rows.positions.open(ALICE, 1).fees = FULL)],
    ['balance of the exchange', traded, (rows) => (rows.positions.open(EXCHANGE, 1).balance = FULL)],
    ['profit', traded, (rows) => (rows.walletTotals.open(ALICE).profit = FULL)],
    ['loss', traded, (rows) => (rows.walletTotals.open(ALICE).loss = -FULL)],
    ['volume', traded, (rows) => (rows.walletTotals.open(ALICE).volume = FULL)],
    ['fees of a wallet', traded, (rows) => (rows.walletTotals.open(ALICE).fees = FULL)],
    ['bought of a wallet', traded, (rows) => (rows.walletTotals.open(ALICE).bought = FULL)],
    ['volume of a minute', traded, (rows) => (rows.minuteCandles.open(1, MINUTE).volume = FULL)],
    ['shares of a minute', traded, (rows) => (rows.minuteCandles.open(1, MINUTE).shares = FULL)],
    ['fees of an hour', traded, (rows) => (rows.hourCandles.open(1, HOUR).fees = FULL)],
    ['volume of a token', traded, (rows) => (rows.tokenTotals.open(1).volume = FULL)],
    ['bought of a builder', traded, (rows) => (rows.builderTotals.open(7).buyShares = FULL)],
    ['money of a builder', traded, (rows) => (rows.builderTotals.open(7).sellUsd = FULL)],
    ['sold on a day', traded, (rows) => (rows.builderDays.open(7, DAY).sellShares = FULL)],
    ['fees with a builder', traded, (rows) => (rows.builderWallets.open(7, ALICE).fees = FULL)],
    [
      'combos of a wallet',
      fill({ token: 41, shares: 5n, usd: 2n }),
      (rows) => (rows.comboTotals.open(ALICE).volume = FULL),
    ],
    [
      'balance of the zero wallet in a merge',
      merged,
      (rows) => (rows.positions.open(ZERO_WALLET, 2).balance = FULL),
    ],
    ['second leg of a merge', merged, (rows) => (rows.positions.open(ALICE, 2).realized = FULL)],
    ['money in', merged, (rows) => (rows.reserves.open(1).paidIn = FULL)],
    ['money out', redeemed, (rows) => (rows.reserves.open(1).paidOut = FULL)],
    ['wallet of a redemption', redeemed, (rows) => (rows.walletTotals.open(ALICE).loss = -FULL)],
    ['given token', converted, (rows) => (rows.positions.open(ALICE, 4).held = FULL)],
    ['taken token', converted, (rows) => (rows.positions.open(ALICE, 7).cost = FULL)],
    ['wallet of a conversion', converted, (rows) => (rows.walletTotals.open(ALICE).volume = FULL)],
    [
      'cost of all given tokens',
      converted,
      (rows) => {
        rows.positions.open(ALICE, 2).cost = FULL - 1n
        rows.positions.open(ALICE, 4).cost = 1n - FULL
      },
    ],
    ['old token', migration(1, 31, 5n), (rows) => (rows.positions.open(ALICE, 1).cost = FULL)],
    ['new token', migration(1, 31, 5n), (rows) => (rows.positions.open(ALICE, 31).cost = FULL)],
    ['giver', transfer(ALICE, BOB, 1, 5n), (rows) => (rows.positions.open(ALICE, 1).balance = -FULL)],
    ['taker', transfer(ALICE, BOB, 1, 5n), (rows) => (rows.positions.open(BOB, 1).balance = FULL)],
    ['minted', supply(5n, 0n), (rows) => (rows.supplies.open(1).minted = FULL)],
    ['burned', supply(5n, 0n), (rows) => (rows.supplies.open(1).burned = FULL)],
  ])('%s', (_column, entry, fillUp) => {
    const books = foldAll(PAST)
    fillUp(books.rows)
    const before = readBooks(books)
    fold(books, entry)
    expect(readBooks(books)).toEqual(before)
    expect(books.refusals).toEqual([{ seq: entry.seq, reason: 'column_full' }])
  })
})

test('no column below the limit leaves 2^62, whatever the entry', () => {
  const almost = FULL - 1n
  const books = foldAll([])
  const given = Array.from({ length: 256 }, (_, index) => 1000 + index)
  for (const token of given) {
    Object.assign(books.rows.positions.open(ALICE, token), {
      held: AMOUNT_MAX,
      cost: almost / 256n,
    })
  }
  const loser = books.rows.positions.open(ALICE, 1)
  Object.assign(loser, { held: 1n, cost: almost, realized: -almost })
  Object.assign(books.rows.walletTotals.open(ALICE), { realized: -almost, loss: -almost })
  fold(books, sell(1, AMOUNT_MAX, 0n))
  expect(books.refusals).toEqual([])
  expect(loser.realized).toBe(-2n * almost)
  expect(loser.realized).toBeGreaterThan(-(2n ** 62n))

  Object.assign(books.rows.walletTotals.open(ALICE), { realized: -almost, loss: -almost })
  fold(books, { ...conversion(given, [], AMOUNT_MAX), cash: 0n })
  expect(books.refusals).toEqual([])
  expect(books.rows.walletTotals.open(ALICE).loss).toBeGreaterThan(-(2n ** 62n))
})
