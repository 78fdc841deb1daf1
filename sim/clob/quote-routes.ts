import { bestAskE4, bestBidE4 } from '../markets/market-state.js'
import type { HttpRequest } from '../server/handlers.js'
import type { Side } from '../universe/acts.js'
import type { Book } from '../universe/books.js'
import type { Token } from '../universe/market.js'
import type { Universe } from '../universe/universe.js'
import {
  checkSide,
  findBook,
  readBatch,
  readBooks,
  readTokenId,
  requireBook,
  requireToken,
} from './asked-tokens.js'
import { presentBook, showMidpoint, showPrice, showSpread } from './order-book.js'

type Handler = (universe: Universe, request: HttpRequest) => unknown

/** Everything that is read off a book or off the last trade of a token. */
export const QUOTE_ROUTES: Record<string, Handler> = {
  'GET /book': (universe, { query }) => presentBook(requireBook(universe, query)),
  'POST /books': (universe, request) => readBooks(universe, request).map(presentBook),
  'GET /price': (universe, { query }) => {
    const side = checkSide(query.get('side'))
    return { price: priceOf(requireBook(universe, query), side) }
  },
  'GET /prices': listPrices,
  'POST /prices': listPrices,
  'GET /midpoint': (universe, { query }) => ({ mid: showMidpoint(requireBook(universe, query)) }),
  'GET /midpoints': listMidpoints,
  'POST /midpoints': listMidpoints,
  'GET /spread': (universe, { query }) => ({ spread: showSpread(requireBook(universe, query)) }),
  'POST /spreads': (universe, request) => byToken(readBooks(universe, request), showSpread),
  'GET /last-trade-price': (universe, { query }) =>
    showLastTrade(universe, requireToken(universe, readTokenId(query))),
  'GET /last-trades-prices': listLastTrades,
  'POST /last-trades-prices': listLastTrades,
}

/** What the side shows to others: the best bid is the price of buyers. */
const priceOf = (book: Book, side: Side): string =>
  showPrice(side === 'BUY' ? bestBidE4(book) : bestAskE4(book))

function listPrices(universe: Universe, request: HttpRequest): Record<string, object> {
  const asked = readBatch(request).map((item) => ({ ...item, side: checkSide(item.side) }))
  const prices: Record<string, Partial<Record<Side, string>>> = {}
  for (const { tokenId, side } of asked) {
    const book = findBook(universe, tokenId)
    if (book !== undefined) prices[tokenId] = { ...prices[tokenId], [side]: priceOf(book, side) }
  }
  return prices
}

function listMidpoints(universe: Universe, request: HttpRequest): Record<string, string> {
  return byToken(readBooks(universe, request), showMidpoint)
}

const byToken = (books: Book[], show: (book: Book) => string): Record<string, string> =>
  Object.fromEntries(books.map((book) => [book.token.decimal, show(book)]))

function listLastTrades(universe: Universe, request: HttpRequest): object[] {
  return readBatch(request).flatMap(({ tokenId }) => {
    const token = universe.catalogue.token(tokenId)
    return token === undefined ? [] : { token_id: tokenId, ...showLastTrade(universe, token) }
  })
}

function showLastTrade(universe: Universe, token: Token): { price: string; side: Side | '' } {
  const trade = lastTrade(universe, token)
  return trade === undefined
    ? { price: '0.5', side: '' }
    : { price: showPrice(trade.priceE4), side: trade.side }
}

/** The last settled match of the market, seen from this token: its twin was traded at 1 − p. */
function lastTrade(universe: Universe, token: Token): { priceE4: number; side: Side } | undefined {
  const settled = universe.settledActs.ofMarket(token.of).at(-1)
  if (settled === undefined) return undefined
  const { order, usd, shares } = settled.tx.act.taker
  const priceE4 = Math.round((usd * 10_000) / shares)
  if (order.token === token) return { priceE4, side: order.side }
  return { priceE4: 10_000 - priceE4, side: order.side === 'BUY' ? 'SELL' : 'BUY' }
}
