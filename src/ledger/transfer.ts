import type { Books } from './books.js'
import type { TransferEntry } from './entry.js'
import { changeBalance } from './position.js'
import { balanceHasRoom, isBookable, type Refusal } from './room.js'

/** A gift has no price: balances move, and nothing that bears cost. */
export function bookTransfer(books: Books, transfer: TransferEntry): Refusal | undefined {
  const { token, amount, timeSec } = transfer
  if (!isBookable(amount)) return 'absurd_amount'
  const from = books.position(transfer.from, token)
  const to = books.position(transfer.to, token)
  if (!balanceHasRoom(from) || !balanceHasRoom(to)) return 'column_full'
  changeBalance(from, -amount, timeSec)
  changeBalance(to, amount, timeSec)
  return undefined
}
