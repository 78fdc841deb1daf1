import type { CurrentBook } from './live-book.js'
import { canonicalDecimal } from './pn1.js'
import type { BookToken } from './queries.js'

/** The exchange's own form: all numbers are text, and the best level is the last one of each side. */
export const presentBook = (book: CurrentBook, token: BookToken | undefined) => ({
  market: book.conditionId ?? '',
  asset_id: book.tokenId,
  timestamp: String(book.timestampMs),
  hash: book.hash ?? '',
  bids: book.bids.toReversed(),
  asks: book.asks.toReversed(),
  min_order_size: book.minOrderSize ?? '',
  tick_size: book.tickSize ?? '',
  neg_risk: book.negRisk ?? token?.negRisk ?? false,
  last_trade_price: book.lastTradePrice ?? '',
})

export const presentMetadata = ({ question, slug, outcomes, condition, image }: BookToken) => ({
  question,
  slug,
  outcomes: [...outcomes],
  condition_id: condition,
  image,
})

export const presentMidpoint = (book: CurrentBook): string => {
  const [bid, ask] = bestOf(book)
  return toBookPriceText((bid + ask) / 2)
}

/** Below zero for a moment, when both sides of a book change. */
export const presentSpread = (book: CurrentBook): string => {
  const [bid, ask] = bestOf(book)
  return toBookPriceText(ask - bid)
}

/** An empty side counts as the end of the price range, as it does for the exchange. */
const bestOf = ({ bids, asks }: CurrentBook): [bid: number, ask: number] => [
  Number(bids[0]?.price ?? 0),
  Number(asks[0]?.price ?? 1),
]

/** Prices have at most four decimals: eight are exact for their sums and halves. */
export const toBookPriceText = (value: number): string =>
  (value < 0 ? '-' : '') + canonicalDecimal(Math.abs(value).toFixed(8))
