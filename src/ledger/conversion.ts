import type { Books, Position } from './books.js'
import { isBookable, isWithinLimit, positionFits, type RefusalReason, totalsFit } from './column-limits.js'
import type { ConversionEntry, MigrationEntry } from './entry.js'
import {
  acquire,
  type Gains,
  give,
  heldOf,
  noteTime,
  openPosition,
  openPositions,
  openTotals,
  realize,
} from './position.js'

/**
 * A conversion: NO tokens leave at cost, and the received YES tokens cost that much less the received
 * money. When only money is received, each NO token is sold for an equal share of it.
 *
 * Shares that came by a plain transfer have no cost to pass on, and as in a sale they earn nothing:
 * when only a part of the given shares bears cost, the same part of the money and of the YES tokens
 * is booked.
 */
export function bookConversion(books: Books, conversion: ConversionEntry): RefusalReason | undefined {
  const { wallet, amount, received, cash, timeSec } = conversion
  if (!isBookable(amount) || !isBookable(received) || !isBookable(cash)) {
    return 'absurd_amount'
  }
  const given = openPositions(books, wallet, conversion.given)
  const taken = openPositions(books, wallet, conversion.taken)
  const fits =
    [...given, ...taken].every(
      (position) => positionFits(position) && totalsFit(openTotals(books, position)),
    ) && isWithinLimit(sumOfCosts(given))
  if (!fits) return 'column_full'

  const held = sumOfHeld(given, amount)
  if (held > 0n) {
    const whole = amount * BigInt(given.length)
    const shares = taken.length === 0 ? 0n : (received * held) / whole
    if (shares === 0n) sellGiven(books, conversion, given)
    else exchangeGiven(books, given, amount, taken, shares, (cash * held) / whole)
  }
  for (const position of given) noteTime(position, timeSec)
  for (const position of taken) noteTime(position, timeSec)
  return undefined
}

/** The remainder of an equal division goes to the first position, here and below. */
function sellGiven(books: Books, { seq, amount, cash }: ConversionEntry, given: readonly Position[]): void {
  const gains: Gains = { books, seq, cause: 'conversion', rows: 0 }
  const share = cash / BigInt(given.length)
  let usd = cash - share * BigInt(given.length - 1)
  for (const position of given) {
    realize(gains, position, amount, usd)
    usd = share
  }
}

function exchangeGiven(
  books: Books,
  given: readonly Position[],
  amount: bigint,
  taken: readonly Position[],
  shares: bigint,
  cash: bigint,
): void {
  let basis = -cash
  for (const position of given) basis += give(position, amount)
  const share = basis / BigInt(taken.length)
  let cost = basis - share * BigInt(taken.length - 1)
  for (const position of taken) {
    acquire(position, openTotals(books, position), shares, cost)
    cost = share
  }
}

function sumOfHeld(positions: readonly Position[], amount: bigint): bigint {
  let sum = 0n
  for (const position of positions) sum += heldOf(position, amount)
  return sum
}

/** An upper bound of what the entry may realize. */
function sumOfCosts(positions: readonly Position[]): bigint {
  let sum = 0n
  for (const { cost } of positions) sum += cost < 0n ? -cost : cost
  return sum
}

/**
 * The same shares under another token id: cost and bought shares move with them. So the sum of all
 * bought shares stays the same, and the new position has an average price once it is closed.
 */
export function bookMigration(books: Books, migration: MigrationEntry): RefusalReason | undefined {
  const { wallet, amount, timeSec } = migration
  if (!isBookable(amount)) return 'absurd_amount'
  const from = openPosition(books, wallet, migration.fromToken)
  const to = openPosition(books, wallet, migration.toToken)
  if (!positionFits(from) || !positionFits(to)) return 'column_full'

  const shares = heldOf(from, amount)
  if (shares > 0n) {
    const totals = openTotals(books, from)
    const cost = give(from, shares)
    from.bought -= shares
    from.boughtCost -= cost
    totals.bought -= shares
    if (from.bought === 0n) totals.positions--
    acquire(to, openTotals(books, to), shares, cost)
  }
  noteTime(from, timeSec)
  noteTime(to, timeSec)
  return undefined
}
