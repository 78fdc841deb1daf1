import type { Books, Position, WalletTotals } from './books.js'
import type { SplitEntry } from './entry.js'
import { acquire, openGains, realize } from './gains.js'
import { type Legs, openLegs } from './legs.js'
import { changeBalance, noteTime } from './position.js'
import { isBookable, type Refusal } from './room.js'

/** Conditions that have not two outcomes bear no cost. */
export function bookSplit(books: Books, split: SplitEntry): Refusal | undefined {
  if (!isBookable(split.amount)) return 'absurd_amount'
  const bearsCost = split.isUser && split.tokens.length === 2
  if (!split.isCore && !bearsCost) return undefined

  const legs = openLegs(books, split, bearsCost)
  if (legs === undefined) return 'column_full'
  if (legs.core !== undefined) moveSet(split, legs.positions, legs.core)
  if (legs.totals !== undefined) tradeSet(books, split, legs.positions, legs.totals)
  return undefined
}

function moveSet(
  { amount, isMerge, timeSec }: SplitEntry,
  positions: readonly Position[],
  { nobodys, reserve }: NonNullable<Legs['core']>,
): void {
  const change = isMerge ? -amount : amount
  for (const position of positions) changeBalance(position, change, timeSec)
  for (const position of nobodys) changeBalance(position, -change, timeSec)
  if (isMerge) reserve.paidOut += amount
  else reserve.paidIn += amount
}

/** The set is one dollar: half of it for each outcome, the odd unit for the first. */
function tradeSet(
  books: Books,
  { seq, amount, isMerge, timeSec }: SplitEntry,
  positions: readonly Position[],
  totals: WalletTotals,
): void {
  const gains = openGains(books, totals, seq, 'merge')
  const half = amount / 2n
  let usd = amount - half
  for (const position of positions) {
    if (isMerge) realize(gains, position, amount, usd)
    else acquire(position, totals, amount, usd)
    noteTime(position, timeSec)
    usd = half
  }
}
