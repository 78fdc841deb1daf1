import type { Book } from '../universe/books.js'
import { decimal } from './decimal.js'

/** An empty side counts as the end of the price range. */
export const bestBidE4 = (book: Book): number => book.bids[0]?.priceE4 ?? 0
export const bestAskE4 = (book: Book): number => book.asks[0]?.priceE4 ?? 10_000

export const midpoint = (book: Book): number => (bestBidE4(book) + bestAskE4(book)) / 20_000

export const showPrice = (priceE4: number): string => decimal(priceE4, 4)
export const showSize = (sizeE2: number): string => decimal(sizeE2, 2)

/** The middle of two ten-thousandths can need a fifth digit. */
export const showMidpoint = (book: Book): string =>
  decimal((bestBidE4(book) + bestAskE4(book)) * 5, 5)

export const showSpread = (book: Book): string => showPrice(bestAskE4(book) - bestBidE4(book))
