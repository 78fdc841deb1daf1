import { badRequest } from '../core/errors.js'
import { type CoinSymbol, feedOf, SYMBOLS, toSymbol } from './streams.js'

/** Throws a 400 that lists the coins. A mixture of capitals and small letters is a mistake. */
export function readSymbol(text: string): CoinSymbol {
  const symbol = toSymbol(text)
  if (symbol === undefined) throw refuse(SYMBOLS)
  return symbol
}

const FEEDS = new Map(SYMBOLS.map((symbol) => [feedOf(symbol), symbol]))

/** The same, and takes the name of a feed too: `BTC/USD`. */
export function readFeed(text: string): CoinSymbol {
  const isOfOneCase = text === text.toLowerCase() || text === text.toUpperCase()
  const ofFeed = isOfOneCase ? FEEDS.get(text.toUpperCase()) : undefined
  const symbol = ofFeed ?? toSymbol(text)
  if (symbol === undefined) throw refuse([...SYMBOLS, ...FEEDS.keys()])
  return symbol
}

const refuse = (allowed: readonly string[]) =>
  badRequest(`Invalid symbol. Allowed: ${allowed.join(', ')}; in capitals or in small letters`)
