import type { Books, PnlCause, Position, WalletTotals } from './books.js'
import { buy, sell } from './holding.js'

/** Where the realized steps of one entry go. */
type Gains = {
  books: Books
  totals: WalletTotals
  seq: number
  cause: PnlCause
  /** Steps that have a row. */
  rows: number
}

export const openGains = (
  books: Books,
  totals: WalletTotals,
  seq: number,
  cause: PnlCause,
): Gains => ({ books, totals, seq, cause, rows: 0 })

/** Sells out of a position, and books the profit wherever it is summed up. */
export function realize(gains: Gains, position: Position, shares: bigint, usd: bigint): void {
  const before = position.realized
  const amount = sell(position, shares, usd)
  if (amount === 0n) return

  const { totals, seq, cause } = gains
  const { wallet, token } = position
  gains.books.addPnl({ seq, sub: gains.rows, wallet, token, amount, cause })
  gains.rows++
  totals.realized += amount
  if (amount > 0n) totals.profit += amount
  else totals.loss += amount
  countResult(totals, before, -1)
  countResult(totals, position.realized, 1)
}

/** Buys into a position, which counts from its first share on. */
export function acquire(
  position: Position,
  totals: WalletTotals,
  shares: bigint,
  cost: bigint,
): void {
  const wasNeverBought = position.bought === 0n
  buy(position, shares, cost)
  if (wasNeverBought && position.bought > 0n) totals.positions++
}

function countResult(totals: WalletTotals, realized: bigint, count: number): void {
  if (realized > 0n) totals.wins += count
  else if (realized < 0n) totals.losses += count
}
