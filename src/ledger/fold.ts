import type { Books } from './books.js'
import { balanceFits, isBookable, isWithinLimit, type RefusalReason, supplyFits } from './column-limits.js'
import { bookConversion, bookMigration } from './conversion.js'
import type { Entry, SupplyEntry, TransferEntry } from './entry.js'
import { bookFill } from './fill.js'
import { changeBalance, giveAway, openPosition } from './position.js'
import { bookRedemption, bookSplit } from './sets.js'

/**
 * Books one entry: whole, or not at all when a number would leave its column. Entries come in the
 * order of `seq`, and of those with the same `seq` at most one bears profit.
 */
export function fold(books: Books, entry: Entry): void {
  const reason = book(books, entry)
  if (reason !== undefined) books.refuse(entry.seq, reason)
}

function book(books: Books, entry: Entry): RefusalReason | undefined {
  switch (entry.kind) {
    case 'fill':
      return bookFill(books, entry)
    case 'split':
      return bookSplit(books, entry)
    case 'redemption':
      return bookRedemption(books, entry)
    case 'conversion':
      return bookConversion(books, entry)
    case 'migration':
      return bookMigration(books, entry)
    case 'transfer':
      return bookTransfer(books, entry)
    case 'supply':
      return bookSupply(books, entry)
  }
}

/** A transfer has no price: nothing is realized, and what comes in bears no cost. */
function bookTransfer(books: Books, transfer: TransferEntry): RefusalReason | undefined {
  const { token, amount, timeSec } = transfer
  if (!isBookable(amount)) return 'absurd_amount'
  const from = openPosition(books, transfer.from, token)
  const to = openPosition(books, transfer.to, token)
  if (!balanceFits(from) || !balanceFits(to)) return 'column_full'
  if (transfer.bearsCost && from !== to) giveAway(from, amount)
  changeBalance(from, -amount, timeSec)
  changeBalance(to, amount, timeSec)
  return undefined
}

/** The amounts are sums over a block, so they may be larger than those of any other entry. */
function bookSupply(books: Books, { token, minted, burned }: SupplyEntry): RefusalReason | undefined {
  if (!isWithinLimit(minted) || !isWithinLimit(burned)) return 'absurd_amount'
  const supply = books.rows.supplies.open(token)
  if (!supplyFits(supply)) return 'column_full'
  supply.minted += minted
  supply.burned += burned
  return undefined
}
