/** What the positions of a wallet add up to. Amounts are whole millionths. */
export type WalletSummary = {
  /** All that were ever held: bought, or received and still there. */
  positions: number
  /** Those with shares, whatever became of the market. */
  openPositions: number
  /** Positions whose profit is above and below zero, unrealized profit included. */
  wins: number
  losses: number
  realized: bigint
  unrealized: bigint
  /** Sums over the positions that won and that lost; `loss` is not positive. */
  profit: bigint
  loss: bigint
  /** Shares ever bought. */
  bought: bigint
}

export const EMPTY_SUMMARY: WalletSummary = {
  positions: 0,
  openPositions: 0,
  wins: 0,
  losses: 0,
  realized: 0n,
  unrealized: 0n,
  profit: 0n,
  loss: 0n,
  bought: 0n,
}

export const addSummaries = (one: WalletSummary, other: WalletSummary): WalletSummary => ({
  positions: one.positions + other.positions,
  openPositions: one.openPositions + other.openPositions,
  wins: one.wins + other.wins,
  losses: one.losses + other.losses,
  realized: one.realized + other.realized,
  unrealized: one.unrealized + other.unrealized,
  profit: one.profit + other.profit,
  loss: one.loss + other.loss,
  bought: one.bought + other.bought,
})

/** What steps of a wallet realized in some time. Steps without profit or loss are none. */
export type RealizedSum = {
  wins: number
  losses: number
  realized: bigint
  profit: bigint
  loss: bigint
}

export const NOTHING_REALIZED: RealizedSum = { wins: 0, losses: 0, realized: 0n, profit: 0n, loss: 0n }

/** What was realized in the bucket that begins at `startSec`. */
export type PnlBucket = RealizedSum & { startSec: number }
