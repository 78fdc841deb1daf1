import { round, toAmount } from '../markets/amounts.js'
import { bestAskE4, bestBidE4, bookOf, isClosed, shownPrice } from '../markets/market-state.js'
import type { Book } from '../universe/books.js'
import type { Market, MarketEvent } from '../universe/market.js'
import type { Universe } from '../universe/universe.js'

const DAY_MS = 86_400_000

/** Everything about a market that changes with trading, in dollars. */
export type Figures = {
  book: Book | undefined
  /** Of outcome 0. */
  price: number
  bestBid: number
  bestAsk: number
  lastTradePrice: number | undefined
  liquidity: number
  volume: number
  volume24hr: number
  volume1wk: number
  volume1mo: number
  volume1yr: number
  openInterest: number
  competitive: number
  trades: number
}

export function readFigures(universe: Universe, market: Market): Figures {
  const book = bookOf(universe, market)
  const { settledActs } = universe
  const price = shownPrice(universe, market, book)
  const lastPriceE4 = settledActs.lastPriceE4(market)
  return {
    book,
    price: round(price),
    bestBid: book === undefined ? 0 : bestBidE4(book) / 10_000,
    bestAsk: book === undefined ? 1 : bestAskE4(book) / 10_000,
    lastTradePrice: lastPriceE4 === undefined ? undefined : lastPriceE4 / 10_000,
    liquidity: book === undefined ? 0 : liquidityOf(book),
    volume: marketVolume(universe, market),
    volume24hr: marketVolume24hr(universe, market),
    volume1wk: volumeSince(universe, market, 7),
    volume1mo: volumeSince(universe, market, 30),
    volume1yr: volumeSince(universe, market, 365),
    openInterest: isClosed(universe, market) ? 0 : toAmount(settledActs.outstanding(market, 0)),
    competitive: round(competitiveness(price)),
    trades: settledActs.ofMarket(market).length,
  }
}

/** Sums over the markets of an event; as competitive as its most open question. */
export function sumFigures(figures: readonly Figures[]) {
  const sum = (pick: (figure: Figures) => number) =>
    round(figures.reduce((total, figure) => total + pick(figure), 0))
  return {
    liquidity: sum(({ liquidity }) => liquidity),
    volume: sum(({ volume }) => volume),
    volume24hr: sum(({ volume24hr }) => volume24hr),
    volume1wk: sum(({ volume1wk }) => volume1wk),
    volume1mo: sum(({ volume1mo }) => volume1mo),
    volume1yr: sum(({ volume1yr }) => volume1yr),
    openInterest: sum(({ openInterest }) => openInterest),
    trades: sum(({ trades }) => trades),
    competitive: Math.max(...figures.map(({ competitive }) => competitive)),
  }
}

export const eventFigures = (universe: Universe, { markets }: MarketEvent) =>
  sumFigures(markets.map((market) => readFigures(universe, market)))

export const marketVolume = ({ settledActs }: Universe, market: Market): number =>
  toAmount(settledActs.volume(market))

export const marketVolume24hr = (universe: Universe, market: Market): number =>
  volumeSince(universe, market, 1)

export const marketLiquidity = (universe: Universe, market: Market): number => {
  const book = bookOf(universe, market)
  return book === undefined ? 0 : liquidityOf(book)
}

/** Of a market younger than that the whole volume counts, which saves a scan of its trades. */
export function volumeSince({ settledActs, nowMs }: Universe, market: Market, days: number): number {
  const sinceMs = nowMs - days * DAY_MS
  return toAmount(
    market.createdMs >= sinceMs
      ? settledActs.volume(market)
      : settledActs.volumeSince(market, sinceMs / 1000),
  )
}

/** What resting orders would pay: bids their price, asks as the bids for the other outcome that they are. */
function liquidityOf({ bids, asks }: Book): number {
  const bidsE6 = bids.reduce((sum, { priceE4, sizeE2 }) => sum + priceE4 * sizeE2, 0)
  const asksE6 = asks.reduce((sum, { priceE4, sizeE2 }) => sum + (10_000 - priceE4) * sizeE2, 0)
  return (bidsE6 + asksE6) / 1e6
}

/** 1 for a question that is wide open, 0.8 for one that is as good as decided. */
const competitiveness = (price: number): number => 1 / (1 + (price - 0.5) ** 2)
