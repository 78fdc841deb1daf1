import type { Books } from './books.js'
import type { Condition } from './condition.js'
import { NEG_RISK_BURN, ZERO } from './contracts.js'
import type { NegRiskMarket } from './neg-risk.js'

/**
 * The money behind a neg-risk market against what people can claim of it. A split adds one dollar and
 * a claim to one dollar, whichever outcome wins. A conversion of k NO gives up k claims if the winner is another
 * question and k − 1 if it is one of them, and gets one YES or none: k − 1 dollars less either way, and
 * as many leave. So both are equal for every winner that is still possible; parked shares claim
 * nothing, which is where the collateral comes from that conversions mint.
 */
export function checkNegRiskMarket(books: Books, { id, questions, cash }: NegRiskMarket): void {
  const settled = questions.filter(({ payouts }) => payouts !== undefined)
  const winners = settled.filter(({ payouts }) => payouts?.[0] === 1n)
  if (settled.some(({ payouts }) => !isYesOrNo(payouts))) {
    books.report(`market ${id} has a result that is neither yes nor no`)
  }
  if (winners.length > 1) books.report(`market ${id} has ${winners.length} winners`)
  const possible = winners.length > 0 ? winners : questions.filter((q) => !settled.includes(q))
  if (possible.length === 0) books.report(`market ${id} is over and has no winner`)
  for (const winner of possible) {
    let claims = 0n
    for (const question of questions) {
      claims += claimsOf(books, question.assets[question === winner ? 0 : 1])
    }
    if (claims !== cash) {
      books.report(`market ${id} has ${cash} for claims of ${claims} if ${winner.id} wins`)
    }
  }
}

function isYesOrNo(payouts: Condition['payouts']): boolean {
  return payouts?.join() === '1,0' || payouts?.join() === '0,1'
}

function claimsOf(books: Books, asset: string): bigint {
  let claims = 0n
  for (const [holder, amount] of books.balances.parties(asset)) {
    if (holder !== ZERO && holder !== NEG_RISK_BURN) claims += amount
  }
  return claims
}
