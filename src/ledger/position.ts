import type { Books, PnlCause, Position, WalletTotals } from './books.js'

/**
 * The part of a position that bears cost. Cost is an exact total, never an average. It can be
 * negative, because a conversion may pay out more money than its tokens cost. Divisions truncate
 * toward zero, and the remainder stays with the shares that are still held: the last share that
 * leaves takes the whole cost with it.
 */
export type Holding = Pick<Position, 'held' | 'cost' | 'realized' | 'bought' | 'boughtCost'>

/** Money for no shares at all (a fill that rounds to zero shares) buys nothing and is not booked. */
export function buy(holding: Holding, shares: bigint, cost: bigint): void {
  if (shares <= 0n) return
  holding.held += shares
  holding.cost += cost
  holding.bought += shares
  holding.boughtCost += cost
}

/**
 * Returns the profit. Shares that came by a plain transfer earn nothing: the sale counts up to what
 * is held, with the same part of the money, rounded down.
 */
export function sell(holding: Holding, shares: bigint, usd: bigint): bigint {
  const sold = heldOf(holding, shares)
  if (sold === 0n) return 0n
  const profit = (usd * sold) / shares - removeCost(holding, sold)
  holding.realized += profit
  return profit
}

/** Shares leave at cost, as far as they are held. Returns that cost. */
export function give(holding: Holding, shares: bigint): bigint {
  const given = heldOf(holding, shares)
  return given === 0n ? 0n : removeCost(holding, given)
}

/** How many of these shares bear cost. */
export const heldOf = (holding: Holding, shares: bigint): bigint =>
  shares < holding.held ? shares : holding.held

function removeCost(holding: Holding, shares: bigint): bigint {
  const cost = (holding.cost * shares) / holding.held
  holding.held -= shares
  holding.cost -= cost
  return cost
}

/** Of the wallet and the token; a row that is new learns whether the token is a combo. */
export function openPosition(books: Books, wallet: number, token: number): Position {
  const position = books.rows.positions.open(wallet, token)
  if (position.firstSec === 0 && books.isCombo(token)) position.isCombo = 1
  return position
}

export const openPositions = (books: Books, wallet: number, tokens: readonly number[]): Position[] =>
  tokens.map((token) => openPosition(books, wallet, token))

/** The totals that the position counts into. */
export function openTotals(books: Books, { wallet, isCombo }: Position): WalletTotals {
  const { walletTotals, comboTotals } = books.rows
  return (isCombo === 0 ? walletTotals : comboTotals).open(wallet)
}

/** Buys into a position. The wallet's count of positions grows with the first share ever bought. */
export function acquire(position: Position, totals: WalletTotals, shares: bigint, cost: bigint): void {
  if (shares <= 0n) return
  if (position.bought === 0n) totals.positions++
  totals.bought += shares
  buy(position, shares, cost)
}

/** Where the profits and losses of one entry are booked. */
export type Gains = {
  books: Books
  seq: number
  cause: PnlCause
  /** Number of P&L rows so far. */
  rows: number
}

/** Sells out of a position, and books the profit to the position, the wallet and the P&L rows. */
export function realize(gains: Gains, position: Position, shares: bigint, usd: bigint): void {
  const before = position.realized
  const amount = sell(position, shares, usd)
  if (amount === 0n) return

  const { books, seq, cause } = gains
  const { wallet, token } = position
  books.addPnl({ seq, sub: gains.rows, wallet, token, amount, cause })
  gains.rows++
  const totals = openTotals(books, position)
  totals.realized += amount
  countResult(totals, before, -1)
  countResult(totals, position.realized, 1)
}

/** Counts a position among those that won or lost (`count` 1), or no longer (-1). */
function countResult(totals: WalletTotals, realized: bigint, count: 1 | -1): void {
  const change = count === 1 ? realized : -realized
  if (realized > 0n) {
    totals.wins += count
    totals.profit += change
  } else if (realized < 0n) {
    totals.losses += count
    totals.loss += change
  }
}

export function changeBalance(position: Position, change: bigint, timeSec: number): void {
  position.balance += change
  noteTime(position, timeSec)
}

/**
 * Shares leave by a transfer, before the balance says so. Those that bear no cost leave first, then
 * others with their part of the cost.
 */
export function giveAway(position: Position, shares: bigint): void {
  const costless = position.balance > position.held ? position.balance - position.held : 0n
  if (shares > costless) give(position, shares - costless)
}

export function noteTime(position: Position, timeSec: number): void {
  if (position.firstSec === 0 || timeSec < position.firstSec) position.firstSec = timeSec
  if (timeSec > position.lastSec) position.lastSec = timeSec
}
