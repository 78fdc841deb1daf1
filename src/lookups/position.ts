import type { Position } from '../ledger/books.js'

/**
 * What follows from a position, its price and the result of its market. Amounts are whole millionths.
 * Every division is the last step and is rounded toward zero: a number is never further from zero than
 * the exact one, and less than a millionth away from it.
 */
export type PositionState = Pick<Position, 'balance' | 'held' | 'cost' | 'realized' | 'bought' | 'boughtCost'>

/** Dollars for a share. */
export type SharePrice = { numerator: bigint; denominator: bigint }

/** What the chain reports about a condition that is resolved: the part of each outcome. */
type Payouts = readonly bigint[]

export const POSITION_STATUSES = ['open', 'closed', 'redeemable', 'redeemed'] as const
export type PositionStatus = (typeof POSITION_STATUSES)[number]

export const MARKET_STATUSES = [
  'live',
  'closed',
  'resolved-win',
  'resolved-loss',
  'resolved-unknown',
] as const
export type MarketStatus = (typeof MARKET_STATUSES)[number]

const MILLION = 1_000_000n

/** Shares on the chain. A history that begins late may have seen more leave than come. */
export const sharesOf = ({ balance }: PositionState): bigint => (balance > 0n ? balance : 0n)

/**
 * The average cost of the shares that bear cost, in millionths of a dollar; of all that were ever bought
 * when none is left. `undefined`: none was ever bought.
 */
export function averagePriceOf(state: PositionState): bigint | undefined {
  const price = averageOf(state)
  return price === undefined ? undefined : worthOf(MILLION, price)
}

function averageOf({ held, cost, bought, boughtCost }: PositionState): SharePrice | undefined {
  if (held > 0n) return { numerator: cost, denominator: held }
  return bought > 0n ? { numerator: boughtCost, denominator: bought } : undefined
}

/** These shares at this price. A price without a denominator is none, and worth nothing. */
export const worthOf = (shares: bigint, { numerator, denominator }: SharePrice): bigint =>
  denominator === 0n ? 0n : (shares * numerator) / denominator

/**
 * What the shares that bear cost would earn at this price. Those that came as a gift earn nothing, and a
 * position without shares earns nothing more. `unrealizedPnl` of position-sql.ts is the same for sums.
 */
export function unrealizedOf({ balance, held, cost }: PositionState, price: SharePrice): bigint {
  if (balance <= 0n) return 0n
  const { numerator, denominator } = price
  return denominator === 0n ? -cost : (held * numerator - cost * denominator) / denominator
}

/** The shares at the average price; 0 when there is none. */
export function initialValueOf(state: PositionState): bigint {
  const price = averageOf(state)
  return price === undefined ? 0n : worthOf(sharesOf(state), price)
}

/** What the chain pays for the shares; 0 while the market has no result, or the outcome is unknown. */
export function redeemablePayoutOf(state: PositionState, result: TokenResult | undefined): bigint {
  const price = result === undefined ? undefined : payoutOf(result)
  return price === undefined ? 0n : worthOf(sharesOf(state), price)
}

/** The result of the token's condition. Some tokens of a condition are of no known outcome: null. */
export type TokenResult = { payouts: Payouts; outcome: number | null }

export function payoutOf({ payouts, outcome }: TokenResult): SharePrice | undefined {
  const numerator = outcome === null ? undefined : payouts[outcome]
  return numerator === undefined ? undefined : { numerator, denominator: sumOf(payouts) }
}

export function statusOf(state: PositionState, result: TokenResult | undefined): PositionStatus {
  const isHeld = sharesOf(state) > 0n
  if (result === undefined) return isHeld ? 'open' : 'closed'
  return isHeld ? 'redeemable' : 'redeemed'
}

/** A position without shares is closed, whatever came of the market. */
export function marketStatusOf(state: PositionState, result: TokenResult | undefined): MarketStatus {
  if (sharesOf(state) === 0n) return 'closed'
  if (result === undefined) return 'live'
  const won = wonOf(result)
  if (won === null) return 'resolved-unknown'
  return won ? 'resolved-win' : 'resolved-loss'
}

/** Null: the outcome gets a part of the money, or is unknown. */
export function wonOf(result: TokenResult): boolean | null {
  const payout = payoutOf(result)
  if (payout === undefined || payout.denominator === 0n) return null
  if (payout.numerator === 0n) return false
  return payout.numerator === payout.denominator ? true : null
}

/** The only outcome that is paid. Null: several are. */
export function winningOutcomeOf(payouts: Payouts): number | null {
  const paid = payouts.flatMap((payout, index) => (payout > 0n ? [index] : []))
  return paid.length === 1 ? (paid[0] ?? null) : null
}

const sumOf = (numbers: Payouts): bigint => numbers.reduce((sum, number) => sum + number, 0n)
