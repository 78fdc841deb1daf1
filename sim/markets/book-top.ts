import type { Book } from '../universe/books.js'

/** An empty side counts as the end of the price range. */
export const bestBidE4 = (book: Book): number => book.bids[0]?.priceE4 ?? 0
export const bestAskE4 = (book: Book): number => book.asks[0]?.priceE4 ?? 10_000

export const midpoint = (book: Book): number => (bestBidE4(book) + bestAskE4(book)) / 20_000
