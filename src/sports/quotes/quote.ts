import type { LiveBook } from '../../books/live-book.js'
import { toBookPriceText } from '../../books/present.js'
import type { ClobPrices } from '../../upstreams/clob/parse.js'

/** The best prices of a token as decimals. Null: there is no such order, or no book. */
export type TokenQuote = {
  bestBid: string | null
  bestAsk: string | null
  midpoint: string | null
  spread: string | null
}

/** Of a token without a book. */
export const NO_QUOTE: TokenQuote = { bestBid: null, bestAsk: null, midpoint: null, spread: null }

/** The exchange's answers about one token; which side is the bid is documented both ways. */
type ClobAnswers = {
  prices: ClobPrices | undefined
  midpoint: string | undefined
  spread: string | undefined
}

export function quoteOfClob({ prices, midpoint, spread }: ClobAnswers): TokenQuote {
  if (prices === undefined) return NO_QUOTE
  const { buy, sell } = prices
  const isSwapped = buy !== undefined && sell !== undefined && Number(buy) > Number(sell)
  const [bid, ask] = isSwapped ? [sell, buy] : [buy, sell]
  const made = quoteOf(Number(bid ?? 0), Number(ask ?? 1))
  return { ...made, midpoint: midpoint ?? made.midpoint, spread: spread ?? made.spread }
}

export const quoteOfBook = ({ isAbsent, bids, asks }: LiveBook): TokenQuote =>
  isAbsent ? NO_QUOTE : quoteOf(Number(bids[0]?.price ?? 0), Number(asks[0]?.price ?? 1))

/** Gamma's best prices of a market, which are those of its first outcome. */
type GammaPrices = { bestBid?: number | undefined; bestAsk?: number | undefined }

export function quoteOfGamma({ bestBid, bestAsk }: GammaPrices, outcomeIndex: number): TokenQuote {
  if (bestBid === undefined || bestAsk === undefined || outcomeIndex > 1) return NO_QUOTE
  // What is bid for one outcome is asked for the other.
  return outcomeIndex === 0 ? quoteOf(bestBid, bestAsk) : quoteOf(1 - bestAsk, 1 - bestBid)
}

/** A side at the end of the price range has no order, and counts as that end: so the exchange does. */
const quoteOf = (bid: number, ask: number): TokenQuote => ({
  bestBid: bid > 0 ? toBookPriceText(bid) : null,
  bestAsk: ask < 1 ? toBookPriceText(ask) : null,
  midpoint: toBookPriceText((bid + ask) / 2),
  spread: toBookPriceText(ask - bid),
})
