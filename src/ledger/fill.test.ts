import { describe, expect, test } from 'vitest'
import {
  ALICE,
  BOB,
  buy,
  EXCHANGE,
  fill,
  inOrder,
  START_SEC,
  sell,
  units,
} from './fixtures/entries.js'
import { foldAll } from './fixtures/read-books.js'

const HOUR = START_SEC / 3600
const UNKNOWN_TOKEN = 99

describe('a fill', () => {
  test('moves shares between the wallet and the exchange, whose row has only a balance', () => {
    const books = foldAll([buy(1, units(10), units(4))])
    expect(books.rows.positions.open(ALICE, 1)).toEqual({
      wallet: ALICE,
      token: 1,
      balance: units(10),
      held: units(10),
      cost: units(4),
      realized: 0n,
      bought: units(10),
      boughtCost: units(4),
      fees: 0n,
      firstSec: START_SEC,
      lastSec: START_SEC,
      filledSec: START_SEC,
    })
    expect(books.rows.positions.open(EXCHANGE, 1)).toMatchObject({
      balance: -units(10),
      held: 0n,
      cost: 0n,
    })
    expect([...books.rows.walletTotals].map((totals) => totals.wallet)).toEqual([ALICE])
  })

  test('with a fee in shares brings fewer shares for the same money; the fee counts at its price', () => {
    const first = { shares: units(100), usd: units(25), fee: units(2), isFeeInShares: true }
    const books = foldAll([fill(first)])
    expect(books.rows.positions.open(ALICE, 1)).toMatchObject({
      balance: units(98),
      held: units(98),
      bought: units(98),
      cost: units(25),
      fees: units(0.5),
    })
    expect(books.rows.positions.open(EXCHANGE, 1).balance).toBe(-units(98))
    expect(books.rows.walletTotals.open(ALICE).fees).toBe(units(0.5))
  })

  test('with a fee in money leaves profit and cost alone', () => {
    const books = foldAll(
      inOrder([
        fill({ shares: units(10), usd: units(4), fee: units(0.1) }),
        fill({ shares: units(10), usd: units(6), fee: units(0.2), isBuy: false }),
      ]),
    )
    expect(books.rows.positions.open(ALICE, 1)).toMatchObject({
      realized: units(2),
      fees: units(0.3),
    })
  })

  test('counts into the totals of its owner', () => {
    const entries = inOrder([
      buy(1, units(10), units(4)),
      sell(1, units(5), units(3)),
      buy(3, units(10), units(5)),
      sell(3, units(10), units(1)),
    ])
    expect(foldAll(entries).rows.walletTotals.open(ALICE)).toEqual({
      wallet: ALICE,
      positions: 2,
      wins: 1,
      losses: 1,
      fills: 4,
      realized: -units(3),
      profit: units(1),
      loss: -units(4),
      volume: units(13),
      fees: 0n,
      firstFill: entries[0]?.seq,
      lastFill: entries[3]?.seq,
    })
  })

  test('that turns a winning position counts it as lost', () => {
    const steps = [buy(1, 10n, 10n), sell(1, 5n, 8n), sell(1, 5n, 0n)]
    const winning = foldAll(inOrder(steps.slice(0, 2)))
    expect(winning.rows.walletTotals.open(ALICE)).toMatchObject({ wins: 1, losses: 0 })
    expect(foldAll(inOrder(steps)).rows.walletTotals.open(ALICE)).toMatchObject({
      wins: 0,
      losses: 1,
    })
  })

  test('of a taker sets the price of its token, and of the other outcome what is left of a dollar', () => {
    const [first, second, third] = inOrder([
      buy(1, units(10), units(4)),
      fill({ token: 2, shares: units(5), usd: units(3), isTaker: false }),
      buy(UNKNOWN_TOKEN, units(5), units(3)),
    ])
    if (!first || !second || !third) throw new Error('three were made')
    const books = foldAll([first, second, third])
    expect([...books.rows.lastPrices]).toEqual([
      { token: 1, seq: first.seq, usd: units(4), shares: units(10) },
      { token: 2, seq: first.seq, usd: units(6), shares: units(10) },
      { token: UNKNOWN_TOKEN, seq: third.seq, usd: units(3), shares: units(5) },
    ])
  })

  test.each([
    ['that cost more than a dollar a share', buy(1, 10n, 11n)],
    ['of three', buy(21, 10n, 4n)],
  ])('prices no other outcome: one %s', (_what, entry) => {
    expect([...foldAll([entry]).rows.lastPrices].map(({ token }) => token)).toEqual([entry.token])
  })

  test('sets no price when it is older than the one that did', () => {
    const [first, second] = inOrder([buy(1, 10n, 4n), buy(1, 10n, 5n)])
    if (!first || !second) throw new Error('two were made')
    expect(foldAll([second, first]).rows.lastPrices.open(1)).toMatchObject({
      seq: second.seq,
      usd: 5n,
    })
  })
})

describe('the hour of a market', () => {
  test('has the volume of takers, and each trader of either outcome once', () => {
    const books = foldAll(
      inOrder([
        fill({ wallet: ALICE, token: 1, shares: 10n, usd: 4n }),
        fill({ wallet: BOB, token: 2, shares: 10n, usd: 6n, isTaker: false }),
        fill({ wallet: ALICE, token: 2, shares: 10n, usd: 5n }),
        fill({ wallet: BOB, token: 2, shares: 10n, usd: 5n, isTaker: false }),
      ]),
    )
    expect([...books.rows.marketHours]).toEqual([
      { condition: 1, hour: HOUR, volume: 9n, trades: 2, traders: 2 },
    ])
  })

  test('counts a trader anew in the next hour', () => {
    const entries = inOrder([buy(1, 1n, 1n), buy(2, 1n, 1n), buy(2, 1n, 1n)], 1800)
    const hours = [...foldAll(entries).rows.marketHours]
    expect(hours.map(({ hour, traders }) => [hour, traders])).toEqual([
      [HOUR, 1],
      [HOUR + 1, 1],
    ])
  })

  test('does not exist while the condition of the token is unknown', () => {
    expect([...foldAll([buy(UNKNOWN_TOKEN, 10n, 4n)]).rows.marketHours]).toEqual([])
  })
})

test('a builder gets every fill that names it, and each wallet once an hour', () => {
  const builder = 7
  const books = foldAll(
    inOrder(
      [
        fill({ builder, shares: 10n, usd: 4n, fee: 1n }),
        fill({ builder, shares: 10n, usd: 5n, fee: 1n, token: 3, isTaker: false }),
        fill({ builder, shares: 10n, usd: 6n, wallet: BOB }),
        fill({ shares: 10n, usd: 6n }),
        fill({ builder, shares: 10n, usd: 7n }),
      ],
      900,
    ),
  )
  expect([...books.rows.builderHours]).toEqual([
    { builder, hour: HOUR, volume: 15n, fees: 2n, fills: 3, traders: 2 },
    { builder, hour: HOUR + 1, volume: 7n, fees: 0n, fills: 1, traders: 1 },
  ])
  expect(books.rows.builderWallets.open(builder, ALICE)).toEqual({
    builder,
    wallet: ALICE,
    volume: 16n,
    fees: 2n,
    fills: 3,
    firstSec: START_SEC,
    lastSec: START_SEC + 3600,
  })
})
