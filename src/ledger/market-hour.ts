import type { Books, MarketHour, Position } from './books.js'
import type { FillEntry } from './entry.js'
import { hourOf } from './hour.js'

/** Every owner of a fill is a trader, once an hour; of a match only the taking side is volume. */
export function countMarket(
  books: Books,
  market: MarketHour,
  fill: FillEntry,
  position: Position,
): void {
  if (fill.isTaker) {
    market.volume += fill.usd
    market.trades++
  }
  if (!hasFilled(position, market.hour) && !hasFilledOther(books, market, fill)) market.traders++
}

function hasFilledOther(books: Books, { condition, hour }: MarketHour, fill: FillEntry): boolean {
  for (const token of books.tokensOf(condition)) {
    if (token === fill.token) continue
    const position = books.peekPosition(fill.wallet, token)
    if (position !== undefined && hasFilled(position, hour)) return true
  }
  return false
}

const hasFilled = (position: Position, hour: number): boolean => hourOf(position.filledSec) === hour
