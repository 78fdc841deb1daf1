import type { Book } from '../universe/books.js'
import { takesOrders } from '../universe/books.js'
import type { Market } from '../universe/market.js'
import type { Universe } from '../universe/universe.js'
import { midpoint } from './quotes.js'

/** A market is closed once its payouts are on the chain. Asked of thousands, so it computes none. */
export const isClosed = ({ chain }: Universe, { resolvesMs }: Market): boolean =>
  resolvesMs <= chain.head.timestampSec * 1000

/** The book of outcome 0. Asks for tokens only where there can be one: deriving them takes time. */
export const bookOf = (universe: Universe, market: Market): Book | undefined =>
  takesOrders(market, universe.nowMs) ? universe.books.book(market.tokens[0]) : undefined

/** What the market's own pages show as the price of outcome 0: the payout, the midpoint, a guess. */
export function shownPrice(universe: Universe, market: Market, book: Book | undefined): number {
  const payouts = universe.payouts(market)
  if (payouts !== undefined) return payouts[0] / (payouts[0] + payouts[1])
  if (book !== undefined) return midpoint(book)
  const fair = universe.fairAt(market, Math.min(universe.nowMs, market.endMs))
  return Math.round(fair * 2000) / 2000
}

/** Rounds the noise of binary fractions away; nothing upstream shows has more digits. */
export const round = (value: number, digits = 6): number => Number(value.toFixed(digits))
