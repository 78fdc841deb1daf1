import { type Book, takesOrders } from '../universe/books.js'
import type { Combo, Market } from '../universe/market.js'
import { worthOf } from '../universe/outcomes.js'
import type { Universe } from '../universe/universe.js'
import { midpoint } from './book-top.js'
import { TICK_DEFAULT_E4 } from './terms.js'

/** A market is closed once its payouts are on the chain. Asked of thousands, so it computes none. */
export const isClosed = ({ chain }: Universe, { resolvesMs }: Market): boolean =>
  resolvesMs <= chain.head.timestampSec * 1000

/** The book of outcome 0. Asks for tokens only where there can be one: deriving them takes time. */
export const bookOf = (universe: Universe, market: Market): Book | undefined =>
  takesOrders(market, universe.nowMs) ? universe.books.book(market.tokens[0]) : undefined

/** What the market's own pages show as the price of outcome 0: the payout, the midpoint, a guess. */
export function shownPrice(universe: Universe, market: Market, book: Book | undefined): number {
  const payouts = universe.payouts(market)
  if (payouts !== undefined) return worthOf(payouts, 0)
  if (book !== undefined) return midpoint(book)
  const fair = universe.fairAt(market, Math.min(universe.nowMs, market.endMs))
  return Math.round(fair * 2000) / 2000
}

/** A round far ahead is known, but its order book opens later. Once opened it stays listed. */
export const isListed = (universe: Universe, market: Market, book: Book | undefined): boolean =>
  book !== undefined || market.endMs <= universe.nowMs

export const tickSize = (book: Book | undefined): number =>
  (book?.tickE4 ?? TICK_DEFAULT_E4) / 10_000

export const isNegRisk = (of: Market | Combo): boolean =>
  of.kind === 'market' && of.event.negRisk !== undefined
