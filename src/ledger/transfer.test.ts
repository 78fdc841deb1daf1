import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Position } from './books.js'
import type { Entry, TransferEntry } from './entry.js'
import { fold } from './fold.js'
import {
  ALICE,
  BOB,
  buy,
  conversion,
  fill,
  inOrder,
  migration,
  START_SEC,
  sell,
  transfer,
  units,
} from './test-entries.js'
import { possibleHistories } from './test-possible-histories.js'
import { foldAll, readRows } from './test-read-books.js'

const aliceAfter = (...entries: Entry[]): Position =>
  foldAll(inOrder<Entry>(entries)).rows.positions.open(ALICE, 1)

describe('a transfer out', () => {
  test('takes its part of the cost along, and the receiver gets no cost', () => {
    const entries = inOrder<Entry>([buy(1, 10n, 5n), transfer(ALICE, BOB, 1, 4n)])
    const books = foldAll(entries)
    const timeSec = entries[1]?.timeSec
    expect(books.rows.positions.open(ALICE, 1)).toMatchObject({
      balance: 6n,
      held: 6n,
      cost: 3n,
      realized: 0n,
      bought: 10n,
      boughtCost: 5n,
      firstSec: START_SEC,
      lastSec: timeSec,
    })
    expect(books.rows.positions.open(BOB, 1)).toMatchObject({
      balance: 4n,
      held: 0n,
      cost: 0n,
      bought: 0n,
      firstSec: timeSec,
      lastSec: timeSec,
      filledSec: 0,
    })
  })

  test('realizes nothing, and leaves counts and what was bought as they are', () => {
    const bought = inOrder<Entry>([buy(1, 10n, 5n), sell(1, 2n, 3n)])
    const given = inOrder<Entry>([...bought, transfer(ALICE, BOB, 1, 8n)])
    const [before, after] = [foldAll(bought), foldAll(given)]
    expect(readRows(after.rows.walletTotals)).toEqual(readRows(before.rows.walletTotals))
    expect(after.pnl).toEqual(before.pnl)
    expect(after.rows.positions.open(ALICE, 1)).toMatchObject({
      balance: 0n,
      held: 0n,
      cost: 0n,
      realized: 2n,
      bought: 10n,
      boughtCost: 5n,
    })
  })

  test('takes shares without a cost first', () => {
    const gift = [buy(1, 10n, 5n), transfer(BOB, ALICE, 1, 6n)]
    expect(aliceAfter(...gift)).toMatchObject({ balance: 16n, held: 10n, cost: 5n })
    expect(aliceAfter(...gift, transfer(ALICE, BOB, 1, 6n))).toMatchObject({
      balance: 10n,
      held: 10n,
      cost: 5n,
    })
    expect(aliceAfter(...gift, transfer(ALICE, BOB, 1, 8n))).toMatchObject({
      balance: 8n,
      held: 8n,
      cost: 4n,
    })
  })

  test('leaves the next sale the basis of the shares that stayed', () => {
    const sold = aliceAfter(
      buy(1, units(100), units(40)),
      transfer(ALICE, BOB, 1, units(75)),
      buy(1, units(25), units(20)),
      sell(1, units(50), units(35)),
    )
    expect(sold).toMatchObject({ held: 0n, cost: 0n, realized: units(5) })
  })

  test('to a contract or to the zero address is the same', () => {
    for (const to of [0, 1, 2])
      expect(aliceAfter(buy(1, 10n, 5n), transfer(ALICE, to, 1, 4n))).toMatchObject({ cost: 3n })
  })

  test('takes its part of a negative cost along', () => {
    const paidMore = [buy(2, 10n, 1n), buy(4, 10n, 1n), conversion([2, 4], [1], 10n)]
    const received = transfer(2, ALICE, 1, 10n, false)
    expect(aliceAfter(...paidMore, received)).toMatchObject({ held: 10n, cost: -8n })
    expect(aliceAfter(...paidMore, received, transfer(ALICE, BOB, 1, 5n))).toMatchObject({
      held: 5n,
      cost: -4n,
    })
  })

  test('to oneself changes nothing', () => {
    expect(aliceAfter(buy(1, 10n, 5n), transfer(ALICE, ALICE, 1, 4n))).toMatchObject({
      balance: 10n,
      held: 10n,
      cost: 5n,
    })
  })

  test('and back is a gift that was received', () => {
    const moves = [transfer(ALICE, BOB, 1, 4n), transfer(BOB, ALICE, 1, 4n)]
    expect(aliceAfter(buy(1, 10n, 5n), ...moves)).toMatchObject({ balance: 10n, held: 6n, cost: 3n })
  })

  test('of shares from before the ledger takes no more than it moves', () => {
    const old = [fill({ shares: 300n, usd: 90n, isBuy: false }), buy(1, 10n, 5n)]
    expect(aliceAfter(...old, transfer(ALICE, BOB, 1, 4n))).toMatchObject({
      balance: -294n,
      held: 6n,
      cost: 3n,
    })
  })
})

describe('a transfer whose cost another entry bears moves the balance alone', () => {
  test.each<[string, Entry]>([
    ['a conversion', conversion([1, 3], [5], 4n)],
    ['a migration', migration(1, 31, 4n)],
  ])('%s', (_what, act) => {
    const moved = transfer(ALICE, 2, 1, 4n, false)
    expect(aliceAfter(buy(1, 10n, 5n), act, moved)).toMatchObject({ balance: 6n, held: 6n, cost: 3n })
    // Its balance is a change since the start of the ledger.
    const old = fill({ shares: 300n, usd: 90n, isBuy: false })
    expect(aliceAfter(old, buy(1, 10n, 5n), act, moved)).toMatchObject({ held: 6n, cost: 3n })
  })
})

test('after every transaction a wallet that began with nothing holds from 0 to its balance', () => {
  const isUnsound = ({ wallet, held, balance }: Position): boolean =>
    held < 0n || held > (wallet === ALICE || wallet === BOB ? balance : 0n)
  fc.assert(
    fc.property(possibleHistories, (transactions) => {
      const books = foldAll([])
      for (const entries of transactions) {
        for (const entry of entries) fold(books, entry)
        expect([...books.rows.positions].filter(isUnsound)).toEqual([])
      }
    }),
  )
})

test('a transfer changes balances, and of the giver what is held and its cost in proportion', () => {
  fc.assert(
    fc.property(possibleHistories, (transactions) => {
      const books = foldAll([])
      for (const entry of transactions.flat()) {
        const giver = entry.kind === 'transfer' ? entry : undefined
        const before = giver === undefined ? undefined : readGiver(giver)
        const others = giver === undefined ? [] : readOthers(giver)
        fold(books, entry)
        if (giver === undefined || before === undefined) continue
        expect(readOthers(giver)).toEqual(others)
        const after = readGiver(giver)
        const left = before.held - after.held
        // The cost is cut toward zero, and the last share takes the rest.
        const cost = before.cost - after.cost
        expect(cost * (before.held || 1n)).toBe(
          before.cost * left - ((before.cost * left) % (before.held || 1n)),
        )
      }

      function readGiver({ from, token }: TransferEntry) {
        const { held, cost } = books.rows.positions.open(from, token)
        return { held, cost }
      }
      function readOthers({ from, token }: TransferEntry) {
        const rows = [...books.rows.positions].map((row) =>
          row.wallet === from && row.token === token
            ? { ...row, balance: 0n, held: 0n, cost: 0n, firstSec: 0, lastSec: 0 }
            : { ...row, balance: 0n, firstSec: 0, lastSec: 0 },
        )
        return [...readRows(rows), ...readRows(books.rows.walletTotals), books.pnl.length]
      }
    }),
  )
})

test('the cost that is held, sold and given away is the cost that was bought', () => {
  fc.assert(
    fc.property(possibleHistories, (transactions) => {
      const books = foldAll([])
      let [paid, received, givenAway] = [0n, 0n, 0n]
      for (const entry of transactions.flat()) {
        if (entry.kind === 'transfer') {
          const before = sumOf('cost')
          fold(books, entry)
          givenAway += before - sumOf('cost')
        } else if (entry.kind === 'fill' && !entry.isBuy) {
          const { held } = books.rows.positions.open(entry.wallet, entry.token)
          const sold = held < entry.shares ? held : entry.shares
          received += (entry.usd * sold) / entry.shares
          fold(books, entry)
        } else if (entry.kind === 'fill') {
          paid += entry.usd
          fold(books, entry)
        } else if (entry.kind === 'split' && !entry.isMerge) {
          paid += entry.amount
          fold(books, entry)
        }
      }
      expect(sumOf('boughtCost')).toBe(paid)
      expect(sumOf('cost') + givenAway + received - sumOf('realized')).toBe(paid)

      function sumOf(column: 'cost' | 'realized' | 'boughtCost'): bigint {
        let sum = 0n
        for (const row of books.rows.positions) sum += row[column]
        return sum
      }
    }),
  )
})
