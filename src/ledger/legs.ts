import type { Books, Position, Reserve, WalletTotals } from './books.js'
import { NOBODY, type RedemptionEntry, type SplitEntry } from './entry.js'
import { openPositions } from './position.js'
import { balanceHasRoom, positionHasRoom, reserveHasRoom, totalsHaveRoom } from './room.js'

/** The rows that a split, a merge or a redemption changes. The lists go by token. */
export type Legs = {
  positions: Position[]
  /** Where the tokens come from or go to; `undefined`: another entry tells. */
  core: { nobodys: Position[]; reserve: Reserve } | undefined
  /** `undefined`: the entry bears no cost. */
  totals: WalletTotals | undefined
}

/** `undefined`: one of the rows is full. */
export function openLegs(
  books: Books,
  { wallet, tokens, condition, isCore }: SplitEntry | RedemptionEntry,
  bearsCost: boolean,
): Legs | undefined {
  const positions = openPositions(books, wallet, tokens)
  const nobodys = isCore ? openPositions(books, NOBODY, tokens) : []
  const reserve = isCore ? books.reserve(condition) : undefined
  const totals = bearsCost ? books.wallet(wallet) : undefined
  const hasRoom =
    positions.every(positionHasRoom) &&
    nobodys.every(balanceHasRoom) &&
    (reserve === undefined || reserveHasRoom(reserve)) &&
    (totals === undefined || totalsHaveRoom(totals))
  if (!hasRoom) return undefined
  return { positions, core: reserve === undefined ? undefined : { nobodys, reserve }, totals }
}
