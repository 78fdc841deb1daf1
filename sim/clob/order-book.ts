import { createHash } from 'node:crypto'
import { bestAskE4, bestBidE4, isNegRisk, ORDER_SHARES_MIN } from '../markets/market-state.js'
import type { Book, Level } from '../universe/books.js'

type WireLevel = { price: string; size: string }

export type WireBook = {
  market: string
  asset_id: string
  timestamp: string
  hash: string
  bids: WireLevel[]
  asks: WireLevel[]
  min_order_size: string
  tick_size: string
  neg_risk: boolean
  last_trade_price: string
}

/** The book as the wire has it: the best level is the last one of each side. */
export function presentBook(book: Book): WireBook {
  const { of } = book.token
  const shown: WireBook = {
    market: of.conditionId,
    asset_id: book.token.decimal,
    timestamp: String(book.timestampMs),
    hash: '',
    bids: book.bids.map(presentLevel).reverse(),
    asks: book.asks.map(presentLevel).reverse(),
    min_order_size: String(ORDER_SHARES_MIN),
    tick_size: showPrice(book.tickE4),
    neg_risk: isNegRisk(of),
    last_trade_price: book.lastPriceE4 === undefined ? '' : showPrice(book.lastPriceE4),
  }
  // The official client checks the hash over exactly this text, with the empty hash in it.
  shown.hash = createHash('sha1').update(JSON.stringify(shown)).digest('hex')
  return shown
}

const presentLevel = ({ priceE4, sizeE2 }: Level): WireLevel => ({
  price: showPrice(priceE4),
  size: showSize(sizeE2),
})

export const showPrice = (priceE4: number): string => decimal(priceE4, 4)
export const showSize = (sizeE2: number): string => decimal(sizeE2, 2)

/** The middle of two ten-thousandths can need a fifth digit. */
export const showMidpoint = (book: Book): string => decimal((bestBidE4(book) + bestAskE4(book)) * 5, 5)

export const showSpread = (book: Book): string => showPrice(bestAskE4(book) - bestBidE4(book))

/**
 * A whole number of 10^-scale as its shortest decimal text: (5100, 4) is "0.51". Up to six places and
 * fifteen digits a double prints exactly what was meant.
 */
export const decimal = (value: number, scale: number): string => String(value / 10 ** scale)
