import type { Books } from './books.js'
import type { MigrationEntry } from './entry.js'
import { acquire } from './gains.js'
import { give, heldOf } from './holding.js'
import { noteTime } from './position.js'
import { isBookable, positionHasRoom, type Refusal } from './room.js'

/**
 * The same shares under another id: they take along what they cost, and that they were bought. So
 * the sum of all that was bought stays, the new position has an average to show once it is closed,
 * and no position wins or loses that is not counted.
 */
export function bookMigration(books: Books, migration: MigrationEntry): Refusal | undefined {
  const { wallet, amount, timeSec } = migration
  if (!isBookable(amount)) return 'absurd_amount'
  const from = books.position(wallet, migration.fromToken)
  const to = books.position(wallet, migration.toToken)
  if (!positionHasRoom(from) || !positionHasRoom(to)) return 'column_full'

  const shares = heldOf(from, amount)
  if (shares > 0n) {
    const totals = books.wallet(wallet)
    const cost = give(from, shares)
    from.bought -= shares
    from.boughtCost -= cost
    if (from.bought === 0n) totals.positions--
    acquire(to, totals, shares, cost)
  }
  noteTime(from, timeSec)
  noteTime(to, timeSec)
  return undefined
}
