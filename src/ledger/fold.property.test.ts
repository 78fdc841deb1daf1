import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Position } from './books.js'
import { type Entry, type FillEntry, type SplitEntry, ZERO_WALLET } from './entry.js'
import type { MemoryBooks } from './memory-books.js'
import { histories, suppliesOf, tradingHistories } from './test-histories.js'
import type { Ratio } from './test-ratio.js'
import { foldAll, readBooks, readRows } from './test-read-books.js'
import { SlowModel } from './test-slow-model.js'

const sum = (values: Iterable<bigint>): bigint => {
  let all = 0n
  for (const value of values) all += value
  return all
}

/** The totals of a wallet, without combos and of combos, and the positions that count into them. */
function* eachTotals({ rows }: MemoryBooks) {
  for (const [table, isCombo] of [[rows.walletTotals, 0] as const, [rows.comboTotals, 1] as const])
    for (const totals of table) {
      const isCounted = (row: Position) => row.wallet === totals.wallet && row.isCombo === isCombo
      yield { totals, positions: [...rows.positions].filter(isCounted) }
    }
}

const positionsOf = (books: MemoryBooks, wallet: number): Position[] =>
  [...books.rows.positions].filter((position) => position.wallet === wallet)

test('a flat position carries no cost', () => {
  fc.assert(
    fc.property(histories, (entries) => {
      for (const { held, cost } of foldAll(entries).rows.positions) {
        expect(held).toBeGreaterThanOrEqual(0n)
        if (held === 0n) expect(cost).toBe(0n)
      }
    }),
  )
})

test('profit less the cost of what is held is the money received less the money paid', () => {
  fc.assert(
    fc.property(tradingHistories, (history) => {
      const entries = withoutSurplus(history)
      const books = foldAll(entries)
      for (const wallet of new Set(entries.map((entry) => entry.wallet))) {
        const positions = positionsOf(books, wallet)
        const realized = sum(positions.map((position) => position.realized))
        const cost = sum(positions.map((position) => position.cost))
        expect(realized - cost).toBe(sum(entries.map((entry) => moneyOf(entry, wallet))))
      }
    }),
  )
})

test('the balances of a token add up to what was made less what was destroyed', () => {
  fc.assert(
    fc.property(histories, (entries) => {
      const books = foldAll(entries.flatMap((entry) => [entry, ...suppliesOf(entry)]))
      const balances = new Map<number, bigint>()
      for (const { wallet, token, balance } of books.rows.positions) {
        if (wallet === ZERO_WALLET) continue
        balances.set(token, (balances.get(token) ?? 0n) + balance)
      }
      for (const [token, balance] of balances) {
        const { minted, burned } = books.rows.supplies.open(token)
        expect(balance).toBe(minted - burned)
        expect(books.rows.positions.open(ZERO_WALLET, token).balance).toBe(-balance)
      }
    }),
  )
})

test('P&L rows, positions and totals of a wallet tell the same profit', () => {
  fc.assert(
    fc.property(histories, (entries) => {
      const books = foldAll(entries)
      for (const { totals, positions } of eachTotals(books)) {
        const { wallet, realized, profit, loss } = totals
        const tokens = new Set(positions.map(({ token }) => token))
        const steps = books.pnl.filter((row) => row.wallet === wallet && tokens.has(row.token))
        expect(sum(steps.map(({ amount }) => amount))).toBe(realized)
        const results = positions.map((position) => position.realized)
        expect(sum(results)).toBe(realized)
        expect(sum(results.filter((result) => result > 0n))).toBe(profit)
        expect(sum(results.filter((result) => result < 0n))).toBe(loss)
        expect(sum(positions.map((position) => position.bought))).toBe(totals.bought)
        expect(sum(positions.map((position) => position.fees))).toBe(totals.fees)
      }
    }),
  )
})

test('P&L rows count from zero within a seq, and none is without profit or loss', () => {
  fc.assert(
    fc.property(histories, (entries) => {
      const counts = new Map<number, number>()
      for (const { seq, sub, amount } of foldAll(entries).pnl) {
        expect(amount).not.toBe(0n)
        expect(sub).toBe(counts.get(seq) ?? 0)
        counts.set(seq, sub + 1)
      }
    }),
  )
})

test('positions, wins and losses are those of the rows, and nothing wins that was never bought', () => {
  fc.assert(
    fc.property(histories, (entries) => {
      const books = foldAll(entries)
      for (const { totals, positions: rows } of eachTotals(books)) {
        const { positions, wins, losses } = totals
        expect(positions).toBe(rows.filter((row) => row.bought > 0n).length)
        expect(wins).toBe(rows.filter((row) => row.realized > 0n).length)
        expect(losses).toBe(rows.filter((row) => row.realized < 0n).length)
        expect(wins + losses).toBeLessThanOrEqual(positions)
      }
    }),
  )
})

// What a transfer takes from its giver depends on what the giver did before.
test('the order of entries of different wallets does not matter', () => {
  fc.assert(
    fc.property(histories, fc.array(fc.nat()), (history, picks) => {
      const entries = history.filter((entry) => entry.kind !== 'transfer' || !entry.bearsCost)
      const shuffled = interleave(entries, picks, walletOf)
      expect(readBooks(foldAll(shuffled))).toEqual(readBooks(foldAll(entries)))
    }),
  )
})

// Only the days of a builder depend on the last fill of a wallet, so they need the wallet's order.
test('the order of fills in different positions does not matter for anything but active days', () => {
  fc.assert(
    fc.property(histories, fc.array(fc.nat()), (history, picks) => {
      const fills = history.filter((entry) => entry.kind === 'fill')
      const pairOf = (entry: FillEntry) => `${entry.wallet} ${entry.token}`
      expect(readWithoutDays(foldAll(interleave(fills, picks, pairOf)))).toEqual(
        readWithoutDays(foldAll(fills)),
      )
    }),
  )
})

test('a wallet folded alone is the wallet folded among others', () => {
  fc.assert(
    fc.property(histories, fc.constantFrom(10, 11, 12), (entries, wallet) => {
      const own = entries.filter((entry) => involves(entry, wallet))
      expect(readWallet(foldAll(own), wallet)).toEqual(readWallet(foldAll(entries), wallet))
    }),
  )
})

test('agrees with a model that never rounds: shares exactly, money within the rounding', () => {
  fc.assert(
    fc.property(histories, (entries) => {
      const books = foldAll(entries)
      const model = new SlowModel()
      for (const entry of entries) model.book(entry)
      // A division is off by less than a millionth; an entry makes at most eight on a position.
      const slack = 8n * BigInt(entries.length)
      for (const exact of model.positions.values()) {
        const position = books.rows.positions.open(exact.wallet, exact.token)
        const { balance, held, bought } = exact
        expect(position).toMatchObject({ balance, held, bought })
        expectNear(position.cost, exact.cost, slack)
        expectNear(position.realized, exact.realized, slack)
        expectNear(position.boughtCost, exact.boughtCost, slack)
      }
    }),
  )
})

function expectNear(value: bigint, { top, bottom }: Ratio, slack: bigint): void {
  const distance = value * bottom - top
  expect(distance < 0n ? -distance : distance).toBeLessThanOrEqual(slack * bottom)
}

/** Leaves out what sells more than the books say is held: only a part of its money would count. */
function withoutSurplus(history: readonly Entry[]): (FillEntry | SplitEntry)[] {
  const kept: (FillEntry | SplitEntry)[] = []
  const held = new Map<string, bigint>()
  for (const entry of history) {
    if (entry.kind !== 'fill' && entry.kind !== 'split') continue
    const change = sharesOf(entry)
    const keys = tokensOf(entry).map((token) => `${entry.wallet} ${token}`)
    if (keys.some((key) => (held.get(key) ?? 0n) + change < 0n) || change === 0n) continue
    for (const key of keys) held.set(key, (held.get(key) ?? 0n) + change)
    kept.push(entry)
  }
  return kept
}

const tokensOf = (entry: FillEntry | SplitEntry): readonly number[] =>
  entry.kind === 'fill' ? [entry.token] : entry.tokens

function sharesOf(entry: FillEntry | SplitEntry): bigint {
  if (entry.kind === 'split') return bearsCost(entry) ? sign(!entry.isMerge) * entry.amount : 0n
  return sign(entry.isBuy) * (entry.isFeeInShares ? entry.shares - entry.fee : entry.shares)
}

function moneyOf(entry: FillEntry | SplitEntry, wallet: number): bigint {
  if (entry.wallet !== wallet) return 0n
  if (entry.kind === 'split') return bearsCost(entry) ? sign(entry.isMerge) * entry.amount : 0n
  return sign(!entry.isBuy) * entry.usd
}

const bearsCost = (entry: SplitEntry): boolean => entry.isUser && entry.tokens.length === 2
const sign = (isPositive: boolean): bigint => (isPositive ? 1n : -1n)

/** Mixes the groups at random, each of them in its own order. */
function interleave<Each extends Entry>(
  entries: readonly Each[],
  picks: readonly number[],
  groupOf: (entry: Each) => string,
): Each[] {
  const names = [...new Set(entries.map(groupOf))]
  const groups = names.map((name) => entries.filter((entry) => groupOf(entry) === name))
  const mixed: Each[] = []
  for (let step = 0; mixed.length < entries.length; step++) {
    const open = groups.filter((group) => group.length > 0)
    const next = open[(picks[step % (picks.length || 1)] ?? step) % open.length]?.shift()
    if (next !== undefined) mixed.push(next)
  }
  return mixed
}

const walletOf = (entry: Entry): string =>
  entry.kind === 'transfer' || entry.kind === 'supply' ? '' : `${entry.wallet}`

function involves(entry: Entry, wallet: number): boolean {
  if (entry.kind === 'transfer') return entry.from === wallet || entry.to === wallet
  return entry.kind !== 'supply' && entry.wallet === wallet
}

function readWallet(books: MemoryBooks, wallet: number) {
  const isOwn = (row: { wallet: number }) => row.wallet === wallet
  return {
    positions: readRows([...books.rows.positions].filter(isOwn)),
    totals: readRows([...books.rows.walletTotals].filter(isOwn)),
    comboTotals: readRows([...books.rows.comboTotals].filter(isOwn)),
    builders: readRows([...books.rows.builderWallets].filter(isOwn)),
    pnl: books.pnl.filter(isOwn),
  }
}

function readWithoutDays(books: MemoryBooks) {
  for (const row of books.rows.builderDays) Object.assign(row, { wallets: 0, newWallets: 0 })
  for (const row of books.rows.builderWallets) row.activeDays = 0
  return readBooks(books)
}
