import { bestAskE4, bestBidE4 } from '../markets/market-state.js'
import type { Book } from '../universe/books.js'

export const showPrice = (priceE4: number): string => decimal(priceE4, 4)
export const showSize = (sizeE2: number): string => decimal(sizeE2, 2)

/** The middle of two ten-thousandths can need a fifth digit. */
export const showMidpoint = (book: Book): string =>
  decimal((bestBidE4(book) + bestAskE4(book)) * 5, 5)

export const showSpread = (book: Book): string => showPrice(bestAskE4(book) - bestBidE4(book))

/**
 * A whole number of 10^-scale as its shortest decimal text: (5100, 4) is "0.51". Up to six places and
 * fifteen digits a double prints exactly what was meant.
 */
export const decimal = (value: number, scale: number): string => String(value / 10 ** scale)
