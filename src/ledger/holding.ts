import type { Position } from './books.js'

/**
 * The part of a position that bears cost. Cost is an exact total, never an average; it can be
 * negative, because a conversion may pay out more money than its tokens cost. Divisions truncate
 * toward zero, and what they leave over stays with the shares that are still held: the last share
 * to go takes the whole cost along.
 */
export type Holding = Pick<Position, 'held' | 'cost' | 'realized' | 'bought' | 'boughtCost'>

/** Money for no shares at all (a fill that rounds to nothing) buys nothing and is not booked. */
export function buy(holding: Holding, shares: bigint, cost: bigint): void {
  if (shares <= 0n) return
  holding.held += shares
  holding.cost += cost
  holding.bought += shares
  holding.boughtCost += cost
}

/**
 * Returns the profit. Shares that came in unseen (a plain transfer) earn nothing: the sale counts
 * up to what is held, with as much of the money, rounded down.
 */
export function sell(holding: Holding, shares: bigint, usd: bigint): bigint {
  const sold = heldOf(holding, shares)
  if (sold === 0n) return 0n
  const profit = (usd * sold) / shares - take(holding, sold)
  holding.realized += profit
  return profit
}

/** Shares leave for what they cost, as far as they are held. Returns that cost. */
export function give(holding: Holding, shares: bigint): bigint {
  const given = heldOf(holding, shares)
  return given === 0n ? 0n : take(holding, given)
}

/** So many of these shares bear cost. */
export const heldOf = (holding: Holding, shares: bigint): bigint =>
  shares < holding.held ? shares : holding.held

function take(holding: Holding, shares: bigint): bigint {
  const cost = (holding.cost * shares) / holding.held
  holding.held -= shares
  holding.cost -= cost
  return cost
}
