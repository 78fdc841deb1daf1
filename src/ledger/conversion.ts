import type { Books, Position, WalletTotals } from './books.js'
import type { ConversionEntry } from './entry.js'
import { acquire, openGains, realize } from './gains.js'
import { give, heldOf } from './holding.js'
import { noteTime, openPositions } from './position.js'
import { isBelowFull, isBookable, positionHasRoom, type Refusal, totalsHaveRoom } from './room.js'

/**
 * NO tokens leave for what they cost, and the YES tokens that come cost that much less the money
 * that came with them. When nothing but money comes, each NO token is sold for an equal share of it.
 *
 * Shares that came in unseen have no cost to hand on, and as in a sale they earn nothing: when only
 * a part of what is given bears cost, the same part of the money and of the YES tokens is booked.
 */
export function bookConversion(books: Books, conversion: ConversionEntry): Refusal | undefined {
  const { wallet, amount, received, cash, timeSec } = conversion
  if (!isBookable(amount) || !isBookable(received) || !isBookable(cash)) {
    return 'absurd_amount'
  }
  const totals = books.wallet(wallet)
  const given = openPositions(books, wallet, conversion.given)
  const taken = openPositions(books, wallet, conversion.taken)
  const hasRoom =
    totalsHaveRoom(totals) &&
    given.every(positionHasRoom) &&
    taken.every(positionHasRoom) &&
    isBelowFull(sumOfCosts(given))
  if (!hasRoom) return 'column_full'

  const held = sumOfHeld(given, amount)
  if (held > 0n) {
    const whole = amount * BigInt(given.length)
    const shares = taken.length === 0 ? 0n : (received * held) / whole
    if (shares === 0n) sellGiven(books, conversion, given, totals)
    else exchangeGiven(given, amount, taken, shares, (cash * held) / whole, totals)
  }
  for (const position of given) noteTime(position, timeSec)
  for (const position of taken) noteTime(position, timeSec)
  return undefined
}

/** What the equal shares leave over goes to the first one, here and below. */
function sellGiven(
  books: Books,
  { seq, amount, cash }: ConversionEntry,
  given: readonly Position[],
  totals: WalletTotals,
): void {
  const gains = openGains(books, totals, seq, 'conversion')
  const share = cash / BigInt(given.length)
  let usd = cash - share * BigInt(given.length - 1)
  for (const position of given) {
    realize(gains, position, amount, usd)
    usd = share
  }
}

function exchangeGiven(
  given: readonly Position[],
  amount: bigint,
  taken: readonly Position[],
  shares: bigint,
  cash: bigint,
  totals: WalletTotals,
): void {
  let basis = -cash
  for (const position of given) basis += give(position, amount)
  const share = basis / BigInt(taken.length)
  let cost = basis - share * BigInt(taken.length - 1)
  for (const position of taken) {
    acquire(position, totals, shares, cost)
    cost = share
  }
}

function sumOfHeld(positions: readonly Position[], amount: bigint): bigint {
  let sum = 0n
  for (const position of positions) sum += heldOf(position, amount)
  return sum
}

/** All of it may be realized at once. */
function sumOfCosts(positions: readonly Position[]): bigint {
  let sum = 0n
  for (const { cost } of positions) sum += cost < 0n ? -cost : cost
  return sum
}
