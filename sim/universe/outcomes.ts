import type { Convert } from './acts.js'
import type { Market, Outcome, Payouts } from './market.js'

export const otherOutcome = (outcome: Outcome): Outcome => (outcome === 0 ? 1 : 0)

/** `undefined`: a draw. */
export function winnerOf([first, second]: Payouts): Outcome | undefined {
  if (first === second) return undefined
  return first > second ? 0 : 1
}

/** What a share of the outcome is worth in the end, from 0 to 1. */
export const worthOf = (payouts: Payouts, outcome: Outcome): number =>
  payouts[outcome] / (payouts[0] + payouts[1])

/** What shares of an outcome pay, rounded down as the contracts do. The product may leave the exact range of numbers. */
export function payoutOf(amount: number, payouts: Payouts, outcome: Outcome): number {
  const whole = payouts[0] + payouts[1]
  return Number((BigInt(amount) * BigInt(payouts[outcome])) / BigInt(whole))
}

/** Each outcome is divided for itself: a draw of odd amounts loses a unit. */
export function payoutOfBoth(amounts: readonly [number, number], payouts: Payouts): number {
  return payoutOf(amounts[0], payouts, 0) + payoutOf(amounts[1], payouts, 1)
}

/** The questions whose NO is given, and those whose YES is received. */
export function questionsOf({ event, indexSet }: Convert): { given: Market[]; others: Market[] } {
  // Not with bit operators: an event may have more questions than they have bits.
  const isGiven = ({ index }: Market) => Math.floor(indexSet / 2 ** index) % 2 === 1
  return {
    given: event.markets.filter(isGiven),
    others: event.markets.filter((market) => !isGiven(market)),
  }
}

/** What the event keeps of each share and of each dollar of a conversion, rounded down as the contract does. */
export const conversionFee = ({ event, amount }: Convert): number =>
  Math.floor((amount * (event.negRisk?.feeBips ?? 0)) / 10_000)
