import { bestAskE4, bestBidE4 } from '../markets/book-top.js'
import type { Book } from '../universe/books.js'
import { decimal } from './decimal.js'

export const showPrice = (priceE4: number): string => decimal(priceE4, 4)
export const showSize = (sizeE2: number): string => decimal(sizeE2, 2)

/** The middle of two ten-thousandths can need a fifth digit. */
export const showMidpoint = (book: Book): string =>
  decimal((bestBidE4(book) + bestAskE4(book)) * 5, 5)

export const showSpread = (book: Book): string => showPrice(bestAskE4(book) - bestBidE4(book))
