import type { Books, Position, Reserve } from './books.js'
import {
  balanceFits,
  isBookable,
  positionFits,
  type RefusalReason,
  reserveFits,
  totalsFit,
} from './column-limits.js'
import { type RedemptionEntry, type SplitEntry, ZERO_WALLET } from './entry.js'
import {
  acquire,
  changeBalance,
  type Gains,
  noteTime,
  openPositions,
  openTotals,
  realize,
} from './position.js'

/** A set costs and is worth one dollar. Only conditions with two outcomes bear cost. */
export function bookSplit(books: Books, split: SplitEntry): RefusalReason | undefined {
  if (!isBookable(split.amount)) return 'absurd_amount'
  const bearsCost = split.isUser && split.tokens.length === 2
  if (!split.isCore && !bearsCost) return undefined

  const rows = openRows(books, split, bearsCost)
  if (rows === undefined) return 'column_full'
  if (rows.core !== undefined) moveSet(split, rows.positions, rows.core)
  if (bearsCost) tradeSet(books, split, rows.positions)
  return undefined
}

/** Tokens are sold for what the result of the condition made them worth. */
export function bookRedemption(books: Books, redemption: RedemptionEntry): RefusalReason | undefined {
  if (!isBookable(redemption.payout) || !redemption.amounts.every(isBookable)) {
    return 'absurd_amount'
  }
  const bearsCost = redemption.isUser && hasTwoOutcomes(books, redemption)
  if (!redemption.isCore && !bearsCost) return undefined

  const rows = openRows(books, redemption, bearsCost)
  if (rows === undefined) return 'column_full'
  if (rows.core !== undefined) moveRedeemed(redemption, rows.positions, rows.core)
  if (bearsCost) sellRedeemed(books, redemption, rows.positions)
  return undefined
}

/** The rows that a split, a merge or a redemption changes. The lists are parallel to its tokens. */
type SetRows = {
  positions: Position[]
  /** Counterparts of the tokens and of the money; `undefined`: another entry moves them. */
  core: Core | undefined
}

type Core = { zeroPositions: Position[]; reserve: Reserve }

/** `undefined`: one of the rows is full. */
function openRows(
  books: Books,
  { wallet, tokens, condition, isCore }: SplitEntry | RedemptionEntry,
  bearsCost: boolean,
): SetRows | undefined {
  const positions = openPositions(books, wallet, tokens)
  const zeroPositions = isCore ? openPositions(books, ZERO_WALLET, tokens) : []
  const reserve = isCore ? books.rows.reserves.open(condition) : undefined
  const fits =
    positions.every(positionFits) &&
    zeroPositions.every(balanceFits) &&
    (reserve === undefined || reserveFits(reserve)) &&
    (!bearsCost || positions.every((position) => totalsFit(openTotals(books, position))))
  if (!fits) return undefined
  return { positions, core: reserve === undefined ? undefined : { zeroPositions, reserve } }
}

function moveSet(
  { amount, isMerge, timeSec }: SplitEntry,
  positions: readonly Position[],
  { zeroPositions, reserve }: Core,
): void {
  const change = isMerge ? -amount : amount
  for (const position of positions) changeBalance(position, change, timeSec)
  for (const position of zeroPositions) changeBalance(position, -change, timeSec)
  if (isMerge) reserve.paidOut += amount
  else reserve.paidIn += amount
}

/** Half of the dollar for each outcome, the odd unit for the first. */
function tradeSet(
  books: Books,
  { seq, amount, isMerge, timeSec }: SplitEntry,
  positions: readonly Position[],
): void {
  const gains: Gains = { books, seq, cause: 'merge', rows: 0 }
  const half = amount / 2n
  let usd = amount - half
  for (const position of positions) {
    if (isMerge) realize(gains, position, amount, usd)
    else acquire(position, openTotals(books, position), amount, usd)
    noteTime(position, timeSec)
    usd = half
  }
}

/** When the result is unknown, the number of known tokens decides. */
function hasTwoOutcomes(books: Books, { condition, tokens, payouts }: RedemptionEntry): boolean {
  if (payouts !== undefined) return payouts.length === 2
  return tokens.length <= 2 && books.tokensOf(condition).length <= 2
}

function moveRedeemed(
  { tokens, amounts, payout, timeSec }: RedemptionEntry,
  positions: readonly Position[],
  { zeroPositions, reserve }: Core,
): void {
  for (const [leg, position] of positions.entries()) {
    changeBalance(position, -(amounts[leg] ?? 0n), timeSec)
  }
  for (const [leg, position] of zeroPositions.entries()) {
    changeBalance(position, amounts[leg] ?? 0n, timeSec)
  }
  reserve.paidOut += payout
  reserve.redeemedLegs += tokens.length
}

function sellRedeemed(books: Books, redemption: RedemptionEntry, positions: readonly Position[]): void {
  const { seq, amounts, payout, timeSec } = redemption
  const gains: Gains = { books, seq, cause: 'redemption', rows: 0 }
  const proceeds = proceedsOf(amounts, payout, shareValues(books, redemption))
  for (const [leg, position] of positions.entries()) {
    realize(gains, position, amounts[leg] ?? 0n, proceeds[leg] ?? 0n)
    noteTime(position, timeSec)
  }
}

type Fraction = { numerator: bigint; denominator: bigint }

/** The value of a share of each redeemed token; `undefined`: unknown for at least one of them. */
function shareValues(books: Books, { condition, tokens, payouts }: RedemptionEntry): Fraction[] | undefined {
  if (payouts === undefined) return undefined
  const denominator = payouts.reduce((sum, payout) => sum + payout, 0n)
  if (denominator === 0n) return undefined
  const outcomes = books.tokensOf(condition)
  const values: Fraction[] = []
  for (const token of tokens) {
    const numerator = payouts[outcomes.indexOf(token)]
    if (numerator === undefined) return undefined
    values.push({ numerator, denominator })
  }
  return values
}

/**
 * The money that each redeemed token of a two-outcome condition brought, in sum never more than the
 * payout. Without `shareValues` they are inferred from the payout.
 */
export function proceedsOf(
  amounts: readonly bigint[],
  payout: bigint,
  shareValues: readonly Fraction[] | undefined,
): bigint[] {
  const [first, second] = amounts
  if (first === undefined) return []
  if (second === undefined) return [payout]
  if (shareValues === undefined) return inferProceeds(first, second, payout)

  let left = payout
  return amounts.map((amount, leg) => {
    const proceeds = least(left, moneyFor(amount, shareValues[leg]))
    left -= proceeds
    return proceeds
  })
}

/** The contract rounds the value of each token down. */
const moneyFor = (amount: bigint, value: Fraction | undefined): bigint =>
  value === undefined ? 0n : (amount * value.numerator) / value.denominator

/**
 * With p for the first outcome and 1 - p for the second, `payout = first * p + second * (1 - p)`.
 * Equal amounts pay the same whatever p is: then each token gets half, and the first one the odd
 * unit. The payout was rounded down, so p may come out slightly below 0 or above 1.
 */
function inferProceeds(first: bigint, second: bigint, payout: bigint): bigint[] {
  const ofFirst = first === second ? payout - payout / 2n : (first * (payout - second)) / (first - second)
  const within = least(least(first, payout), ofFirst > 0n ? ofFirst : 0n)
  return [within, payout - within]
}

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b)
