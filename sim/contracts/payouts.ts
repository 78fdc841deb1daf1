import type { Outcome, Payouts } from '../universe/market.js'

/** What shares of an outcome pay, rounded down as the contracts do. The product may leave the exact range of numbers. */
export function payoutOf(amount: number, payouts: Payouts, outcome: Outcome): number {
  const whole = payouts[0] + payouts[1]
  return Number((BigInt(amount) * BigInt(payouts[outcome])) / BigInt(whole))
}

/** Each outcome is divided for itself: a draw of odd amounts loses a unit. */
export function payoutOfBoth(amounts: readonly [number, number], payouts: Payouts): number {
  return payoutOf(amounts[0], payouts, 0) + payoutOf(amounts[1], payouts, 1)
}
