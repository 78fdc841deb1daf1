import { describe, expect, test } from 'vitest'
import { AMOUNT_MAX } from '../core/money.js'
import { ALICE, BOB, buy, EXCHANGE, fill, inOrder, START_SEC, sell, units } from './test-entries.js'
import { COMBO_TOKENS, foldAll } from './test-read-books.js'

const HOUR = START_SEC / 3600
const MINUTE = START_SEC / 60
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
      isCombo: 0,
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
      fill({ shares: units(5), usd: units(3), isBuy: false, fee: 2n }),
      fill({ token: 3, shares: units(10), usd: units(5), fee: 1n }),
      sell(3, units(10), units(1)),
    ])
    expect(foldAll(entries).rows.walletTotals.open(ALICE)).toEqual({
      wallet: ALICE,
      positions: 2,
      wins: 1,
      losses: 1,
      fills: 4,
      feeFills: 2,
      realized: -units(3),
      profit: units(1),
      loss: -units(4),
      bought: units(20),
      volume: units(13),
      fees: 3n,
      firstFill: entries[0]?.seq,
      lastFill: entries[3]?.seq,
      firstFee: entries[1]?.seq,
      lastFee: entries[2]?.seq,
    })
  })

  test('that turns a winning position counts it as lost', () => {
    const steps = [buy(1, 10n, 10n), sell(1, 5n, 8n), sell(1, 5n, 0n)]
    const winning = foldAll(inOrder(steps.slice(0, 2)))
    expect(winning.rows.walletTotals.open(ALICE)).toMatchObject({ wins: 1, losses: 0, profit: 3n, loss: 0n })
    expect(foldAll(inOrder(steps)).rows.walletTotals.open(ALICE)).toMatchObject({
      wins: 0,
      losses: 1,
      profit: 0n,
      loss: -2n,
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

describe('a fill of a combo', () => {
  const [yes = 0] = COMBO_TOKENS

  test('marks the positions, and counts into the combo totals of its owner alone', () => {
    const books = foldAll(
      inOrder([
        fill({ token: yes, shares: units(10), usd: units(4), builder: 7 }),
        fill({ token: yes, shares: units(10), usd: units(5), isBuy: false }),
      ]),
    )
    expect(books.rows.positions.open(ALICE, yes).isCombo).toBe(1)
    expect(books.rows.positions.open(EXCHANGE, yes).isCombo).toBe(1)
    expect([...books.rows.comboTotals]).toMatchObject([
      { wallet: ALICE, fills: 2, positions: 1, wins: 1, realized: units(1), volume: units(9) },
    ])
    expect([...books.rows.walletTotals]).toEqual([])
    expect([...books.rows.builderTotals]).toEqual([])
  })

  test('counts into the candles of its token', () => {
    const books = foldAll([fill({ token: yes, shares: 10n, usd: 4n })])
    expect([...books.rows.minuteCandles]).toMatchObject([{ token: yes, trades: 1 }])
  })
})

describe('the candles of a token', () => {
  test('have the prices and the volume of takers, by minute and by hour', () => {
    const entries = inOrder(
      [
        fill({ shares: 10n, usd: 4n, fee: 1n }),
        fill({ shares: 10n, usd: 9n, isTaker: false, wallet: BOB }),
        fill({ shares: 10n, usd: 7n, isBuy: false, fee: 1n }),
        fill({ shares: 30n, usd: 10n }),
        fill({ shares: 10n, usd: 5n, token: 2 }),
      ],
      25,
    )
    const [first, , third, fourth, fifth] = entries.map(({ seq }) => seq)
    const ofFirst = { token: 1, trades: 2, open: 400_000, high: 700_000, low: 400_000 }
    const sums = { volume: 11n, shares: 20n, buyVolume: 4n, fees: 2n }
    const { minuteCandles, hourCandles, tokenTotals } = foldAll(entries).rows
    expect([...minuteCandles].filter(({ token }) => token === 1)).toEqual([
      { ...ofFirst, ...sums, minute: MINUTE, close: 700_000, firstSeq: first, lastSeq: third },
      {
        token: 1,
        minute: MINUTE + 1,
        trades: 1,
        firstSeq: fourth,
        lastSeq: fourth,
        open: 333_333,
        high: 333_333,
        low: 333_333,
        close: 333_333,
        volume: 10n,
        shares: 30n,
        buyVolume: 10n,
        fees: 0n,
      },
    ])
    const all = { trades: 3, firstSeq: first, lastSeq: fourth }
    const allSums = { volume: 21n, shares: 50n, buyVolume: 14n, fees: 2n }
    expect([...hourCandles]).toMatchObject([
      { ...ofFirst, ...all, ...allSums, hour: HOUR, low: 333_333, close: 333_333 },
      { token: 2, hour: HOUR, open: 500_000, firstSeq: fifth },
    ])
    expect(tokenTotals.open(1)).toEqual({ token: 1, ...all, ...allSums })
  })

  test('round a price half up, and bound it', () => {
    const closeOf = (usd: bigint, shares: bigint) =>
      foldAll([fill({ usd, shares })]).rows.hourCandles.open(1, HOUR).close
    expect(closeOf(1n, 2_000_000n)).toBe(1)
    expect(closeOf(1n, 2_000_001n)).toBe(0)
    expect(closeOf(2n, 3n)).toBe(666_667)
    expect(closeOf(AMOUNT_MAX, 1n)).toBe(Number(AMOUNT_MAX))
  })

  test('count a fill without shares, which sets no price', () => {
    const [paid, ...rest] = inOrder([
      fill({ shares: 0n, usd: 3n }),
      fill({ shares: 10n, usd: 4n }),
      fill({ shares: 0n, usd: 3n }),
    ])
    if (paid === undefined) throw new Error('three were made')
    const none = { open: 0, high: 0, low: 0, close: 0 }
    expect([...foldAll([paid]).rows.hourCandles]).toMatchObject([
      { ...none, trades: 1, volume: 3n, shares: 0n },
    ])
    const one = { open: 400_000, high: 400_000, low: 400_000, close: 400_000 }
    expect([...foldAll([paid, ...rest]).rows.hourCandles]).toMatchObject([
      { ...one, trades: 3, volume: 10n, shares: 10n, firstSeq: paid.seq, lastSeq: rest[1]?.seq },
    ])
  })
})

test('a builder gets every fill that names it, and each wallet once and once a day', () => {
  const builder = 7
  const entries = inOrder(
    [
      fill({ builder, shares: 10n, usd: 4n, fee: 1n }),
      fill({ builder, shares: 10n, usd: 5n, fee: 1n, token: 3, isTaker: false }),
      fill({ builder, shares: 10n, usd: 6n, wallet: BOB, isBuy: false }),
      fill({ shares: 10n, usd: 6n }),
      fill({ builder, shares: 10n, usd: 7n }),
    ],
    7 * 3600,
  )
  const { rows } = foldAll(entries)
  expect([...rows.builderTotals]).toEqual([
    {
      builder,
      fills: 4,
      wallets: 2,
      firstSeq: entries[0]?.seq,
      lastSeq: entries[4]?.seq,
      buyShares: 30n,
      sellShares: 10n,
      buyUsd: 16n,
      sellUsd: 6n,
      fees: 2n,
    },
  ])
  const day = Math.floor(START_SEC / 86_400)
  expect([...rows.builderDays]).toEqual([
    { builder, day, fills: 3, wallets: 2, newWallets: 2, buyShares: 20n, sellShares: 10n, fees: 2n },
    { builder, day: day + 1, fills: 1, wallets: 1, newWallets: 0, buyShares: 10n, sellShares: 0n, fees: 0n },
  ])
  expect(rows.builderWallets.open(builder, ALICE)).toEqual({
    builder,
    wallet: ALICE,
    fills: 3,
    activeDays: 2,
    firstSec: START_SEC,
    lastSec: START_SEC + 28 * 3600,
    buyShares: 30n,
    sellShares: 0n,
    fees: 2n,
  })
})
