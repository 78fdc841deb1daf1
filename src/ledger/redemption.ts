import type { Books, Position, WalletTotals } from './books.js'
import type { RedemptionEntry } from './entry.js'
import { openGains, realize } from './gains.js'
import { type Legs, openLegs } from './legs.js'
import { changeBalance, noteTime } from './position.js'
import { type Fraction, proceedsOf } from './redemption-proceeds.js'
import { isBookable, type Refusal } from './room.js'

/** Tokens are sold for what the result made them worth. */
export function bookRedemption(books: Books, redemption: RedemptionEntry): Refusal | undefined {
  if (!isBookable(redemption.payout) || !redemption.amounts.every(isBookable)) {
    return 'absurd_amount'
  }
  const bearsCost = redemption.isUser && isOfTwoOutcomes(books, redemption)
  if (!redemption.isCore && !bearsCost) return undefined

  const legs = openLegs(books, redemption, bearsCost)
  if (legs === undefined) return 'column_full'
  if (legs.core !== undefined) moveGiven(redemption, legs.positions, legs.core)
  if (legs.totals !== undefined) sellGiven(books, redemption, legs.positions, legs.totals)
  return undefined
}

// Without the result, what is known of the tokens must do.
function isOfTwoOutcomes(books: Books, { condition, tokens, payouts }: RedemptionEntry): boolean {
  if (payouts !== undefined) return payouts.length === 2
  return tokens.length <= 2 && books.tokensOf(condition).length <= 2
}

function moveGiven(
  { tokens, amounts, payout, timeSec }: RedemptionEntry,
  positions: readonly Position[],
  { nobodys, reserve }: NonNullable<Legs['core']>,
): void {
  for (const [leg, position] of positions.entries()) {
    changeBalance(position, -(amounts[leg] ?? 0n), timeSec)
  }
  for (const [leg, position] of nobodys.entries()) {
    changeBalance(position, amounts[leg] ?? 0n, timeSec)
  }
  reserve.paidOut += payout
  reserve.redeemedLegs += tokens.length
}

function sellGiven(
  books: Books,
  redemption: RedemptionEntry,
  positions: readonly Position[],
  totals: WalletTotals,
): void {
  const { seq, amounts, payout, timeSec } = redemption
  const gains = openGains(books, totals, seq, 'redemption')
  const proceeds = proceedsOf(amounts, payout, worthOf(books, redemption))
  for (const [leg, position] of positions.entries()) {
    realize(gains, position, amounts[leg] ?? 0n, proceeds[leg] ?? 0n)
    noteTime(position, timeSec)
  }
}

/** What a share of each given token is worth; `undefined`: not known of all of them. */
function worthOf(
  books: Books,
  { condition, tokens, payouts }: RedemptionEntry,
): Fraction[] | undefined {
  if (payouts === undefined) return undefined
  const denominator = payouts.reduce((sum, payout) => sum + payout, 0n)
  if (denominator === 0n) return undefined
  const outcomes = books.tokensOf(condition)
  const worth: Fraction[] = []
  for (const token of tokens) {
    const numerator = payouts[outcomes.indexOf(token)]
    if (numerator === undefined) return undefined
    worth.push({ numerator, denominator })
  }
  return worth
}
