import type { Books } from './books.js'
import type { SupplyEntry } from './entry.js'
import { isBelowFull, type Refusal, supplyHasRoom } from './room.js'

/** The amounts are sums over a block, so they may be larger than those of any other entry. */
export function bookSupply(
  books: Books,
  { token, minted, burned }: SupplyEntry,
): Refusal | undefined {
  if (!isBelowFull(minted) || !isBelowFull(burned)) return 'absurd_amount'
  const supply = books.supply(token)
  if (!supplyHasRoom(supply)) return 'column_full'
  supply.minted += minted
  supply.burned += burned
  return undefined
}
