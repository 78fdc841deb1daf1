import type { Outcome, Payouts } from './market.js'

export const otherOutcome = (outcome: Outcome): Outcome => (outcome === 0 ? 1 : 0)

/** `undefined`: a draw. */
export function winnerOf([first, second]: Payouts): Outcome | undefined {
  if (first === second) return undefined
  return first > second ? 0 : 1
}

/** What a share of the outcome is worth in the end, from 0 to 1. */
export const worthOf = (payouts: Payouts, outcome: Outcome): number =>
  payouts[outcome] / (payouts[0] + payouts[1])
