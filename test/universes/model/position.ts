/**
 * A position by the rules of docs/ledger.md, written a second time from that page alone: what was bought bears its
 * cost as a total, divisions cut towards zero, and the last share takes what is left of the cost.
 */
export type ModelPosition = {
  wallet: string
  /** Decimal. */
  token: string
  balance: bigint
  held: bigint
  cost: bigint
  realized: bigint
  bought: bigint
  boughtCost: bigint
  lastSec: number
  /** 0: there was no fill. */
  filledSec: number
}

export const newPosition = (wallet: string, token: string): ModelPosition => ({
  wallet,
  token,
  balance: 0n,
  held: 0n,
  cost: 0n,
  realized: 0n,
  bought: 0n,
  boughtCost: 0n,
  lastSec: 0,
  filledSec: 0,
})

export function buyShares(position: ModelPosition, shares: bigint, usd: bigint): void {
  if (shares <= 0n) return
  position.held += shares
  position.cost += usd
  position.bought += shares
  position.boughtCost += usd
}

/** Only what bears cost counts, with its part of the money. Returns the profit. */
export function sellShares(position: ModelPosition, shares: bigint, usd: bigint): bigint {
  const sold = heldPart(position, shares)
  if (sold === 0n) return 0n
  const profit = (usd * sold) / shares - takeCost(position, sold)
  position.realized += profit
  return profit
}

/** Shares leave with their part of the cost, and without profit. Returns that cost. */
export function takeCost(position: ModelPosition, shares: bigint): bigint {
  const taken = heldPart(position, shares)
  if (taken === 0n) return 0n
  const cost = (position.cost * taken) / position.held
  position.held -= taken
  position.cost -= cost
  return cost
}

/** A gift: shares without a cost go first. Before the balance is changed. */
export function giveShares(position: ModelPosition, shares: bigint): void {
  const costless = position.balance > position.held ? position.balance - position.held : 0n
  if (shares > costless) takeCost(position, shares - costless)
}

export const heldPart = ({ held }: ModelPosition, shares: bigint): bigint => (shares < held ? shares : held)
