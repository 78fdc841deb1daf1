import type { Books } from './books.js'
import { bookConversion } from './conversion.js'
import type { Entry } from './entry.js'
import { bookFill } from './fill.js'
import { bookMigration } from './migration.js'
import { bookRedemption } from './redemption.js'
import type { Refusal } from './room.js'
import { bookSplit } from './split.js'
import { bookSupply } from './supply.js'
import { bookTransfer } from './transfer.js'

/**
 * Books one entry: whole, or not at all when a number would leave its column. Entries come in the
 * order of `seq`, and of those with the same `seq` at most one bears profit.
 */
export function fold(books: Books, entry: Entry): void {
  const refusal = book(books, entry)
  if (refusal !== undefined) books.refuse(entry.seq, refusal)
}

function book(books: Books, entry: Entry): Refusal | undefined {
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
