import { type Book, takesOrders } from '../universe/books.js'
import { type Combo, isAnsweredByFeed, type Market } from '../universe/market.js'
import { worthOf } from '../universe/outcomes.js'
import type { Universe } from '../universe/universe.js'

/** A market is closed once its payouts are on the chain. Asked of thousands, so it computes none. */
export const isClosed = ({ chain }: Universe, { resolvesMs }: Market): boolean =>
  resolvesMs <= chain.head.timestampSec * 1000

/** The book of outcome 0. Asks for tokens only where there can be one: deriving them takes time. */
export const bookOf = (universe: Universe, market: Market): Book | undefined =>
  takesOrders(market, universe.nowMs) ? universe.books.book(market.tokens[0]) : undefined

/** What the market's own pages show as the price of outcome 0: the payout, the midpoint, a guess. */
export function shownPrice(universe: Universe, market: Market, book: Book | undefined): number {
  const payouts = universe.payouts(market)
  if (payouts !== undefined) return worthOf(payouts, 0)
  if (book !== undefined) return midpoint(book)
  const fair = universe.fairAt(market, Math.min(universe.nowMs, market.endMs))
  return Math.round(fair * 2000) / 2000
}

/** A round far ahead is known, but its order book opens later. Once opened it stays listed, unless it is forgotten. */
export const isListed = (universe: Universe, market: Market, book: Book | undefined): boolean =>
  book !== undefined || (market.endMs <= universe.nowMs && market.event.isForgotten !== true)

export const tickSize = (book: Book | undefined): number => (book?.tickE4 ?? TICK_DEFAULT_E4) / 10_000

export const isNegRisk = (of: Market | Combo): boolean =>
  of.kind === 'market' && of.event.negRisk !== undefined

/** pUSD, which rewards are paid in. */
export const REWARD_ASSET = '0xc011a7e12a19f7b1f670d46f03b03f3342e82dfb'

export const TICK_DEFAULT_E4 = 100
export const ORDER_SHARES_MIN = 5

/** The base fee is the highest that an order may be charged, not what it pays. */
export const baseFeeBps = (market: Market): number => (market.feeRate > 0 ? 1000 : 0)

type FeeSchedule = { exponent: number; rate: number; takerOnly: boolean; rebateRate: number }

export const feeSchedule = ({ feeRate }: Market): FeeSchedule => ({
  exponent: 1,
  rate: feeRate,
  takerOnly: true,
  rebateRate: 0.2,
})

type Rewards = { dailyRate: number; sharesMin: number; spreadCentsMax: number }

/** Pay for resting orders close to the middle. Windows and games are too short-lived to have any. */
export function rewardsOf(market: Market): Rewards | undefined {
  if (isAnsweredByFeed(market.event)) return undefined
  return { dailyRate: 5 + (Number(market.id) % 20) * 5, sharesMin: 50, spreadCentsMax: 4.5 }
}

/** An empty side counts as the end of the price range. */
export const bestBidE4 = (book: Book): number => book.bids[0]?.priceE4 ?? 0
export const bestAskE4 = (book: Book): number => book.asks[0]?.priceE4 ?? 10_000

export const midpoint = (book: Book): number => (bestBidE4(book) + bestAskE4(book)) / 20_000
