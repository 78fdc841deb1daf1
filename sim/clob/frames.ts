import { baseFeeBps, bestAskE4, bestBidE4, feeSchedule, TICK_DEFAULT_E4 } from '../markets/market-state.js'
import type { Match, Side } from '../universe/acts.js'
import type { Transaction } from '../universe/block.js'
import type { Book, Level } from '../universe/books.js'
import type { Market, MarketEvent } from '../universe/market.js'
import { winnerOf } from '../universe/outcomes.js'
import type { Universe } from '../universe/universe.js'
import { decimal, presentBook, showPrice, showSize, showSpread, type WireBook } from './order-book.js'

/** The books of outcome 0 and outcome 1, which mirror each other. */
export type BookPair = readonly [Book, Book]

export const bookFrame = (book: Book): { event_type: 'book' } & WireBook => ({
  event_type: 'book',
  ...presentBook(book),
})

/** `undefined`: no level changed. */
export function priceChangeFrame(before: BookPair, after: BookPair): object | undefined {
  const changes = diffBooks(before[0], after[0])
  if (changes.length === 0) return undefined
  const tops = [describeTop(after[0]), describeTop(after[1])] as const
  return {
    event_type: 'price_change',
    market: after[0].token.of.conditionId,
    timestamp: String(after[0].timestampMs),
    price_changes: changes.flatMap((change) => [
      describeChange(after[0], change, tops[0]),
      describeChange(after[1], mirror(change), tops[1]),
    ]),
  }
}

/** An offer to buy one outcome at p is an offer to sell the other at 1 − p. */
const mirror = ({ side, priceE4, sizeE2 }: LevelChange): LevelChange => ({
  side: side === 'BUY' ? 'SELL' : 'BUY',
  priceE4: 10_000 - priceE4,
  sizeE2,
})

const describeChange = (
  { token }: Book,
  { side, priceE4, sizeE2 }: LevelChange,
  top: ReturnType<typeof describeTop>,
) => ({
  asset_id: token.decimal,
  price: showPrice(priceE4),
  size: showSize(sizeE2),
  side,
  ...top,
})

const describeTop = (book: Book) => ({
  hash: presentBook(book).hash,
  best_bid: showBest(book.bids),
  best_ask: showBest(book.asks),
})

const showBest = ([best]: readonly Level[]): string => (best === undefined ? '' : showPrice(best.priceE4))

export const isSameTop = (before: Book, after: Book): boolean =>
  bestBidE4(before) === bestBidE4(after) && bestAskE4(before) === bestAskE4(after)

export const bestBidAskFrame = (book: Book) => ({
  event_type: 'best_bid_ask',
  market: book.token.of.conditionId,
  asset_id: book.token.decimal,
  best_bid: showBest(book.bids),
  best_ask: showBest(book.asks),
  spread: showSpread(book),
  timestamp: String(book.timestampMs),
})

export const tickSizeFrame = (before: Book, after: Book) => ({
  event_type: 'tick_size_change',
  market: after.token.of.conditionId,
  asset_id: after.token.decimal,
  old_tick_size: showPrice(before.tickE4),
  new_tick_size: showPrice(after.tickE4),
  timestamp: String(after.timestampMs),
})

export function lastTradeFrame(tx: Transaction, { of, taker, matchedMs }: Match) {
  const { order, usd, shares } = taker
  return {
    event_type: 'last_trade_price',
    market: of.conditionId,
    asset_id: order.token.decimal,
    price: showPrice(Math.round((usd * 10_000) / shares)),
    size: decimal(shares, 6),
    side: order.side,
    fee_rate_bps: String(of.kind === 'market' ? baseFeeBps(of) : 0),
    timestamp: String(matchedMs),
    transaction_hash: tx.hash,
  }
}

export function newMarketFrame(market: Market, atMs: number) {
  const assetIds = market.tokens.map((token) => token.decimal)
  const { exponent, rate, takerOnly, rebateRate } = feeSchedule(market)
  return {
    event_type: 'new_market',
    id: market.id,
    question: market.question,
    market: market.conditionId,
    slug: market.slug,
    description: market.description,
    assets_ids: assetIds,
    outcomes: market.outcomes,
    event_message: describeEvent(market.event),
    timestamp: String(atMs),
    tags: market.event.tags.map(({ slug }) => slug),
    condition_id: market.conditionId,
    active: true,
    clob_token_ids: assetIds,
    sports_market_type: '',
    line: '',
    game_start_time: '',
    order_price_min_tick_size: showPrice(TICK_DEFAULT_E4),
    group_item_title: market.groupItemTitle,
    taker_base_fee: String(baseFeeBps(market)),
    fees_enabled: market.feeRate > 0,
    fee_schedule: {
      exponent: String(exponent),
      rate: String(rate),
      taker_only: takerOnly,
      rebate_rate: String(rebateRate),
    },
  }
}

/** A draw has no winner: both fields of it are empty. */
export function marketResolvedFrame(universe: Universe, market: Market) {
  const payouts = universe.payouts(market)
  const outcome = payouts === undefined ? undefined : winnerOf(payouts)
  const winner = outcome === undefined ? undefined : market.tokens[outcome]
  return {
    event_type: 'market_resolved',
    id: market.id,
    question: market.question,
    market: market.conditionId,
    slug: market.slug,
    description: market.description,
    assets_ids: market.tokens.map((token) => token.decimal),
    outcomes: market.outcomes,
    winning_asset_id: winner?.decimal ?? '',
    winning_outcome: winner === undefined ? '' : market.outcomes[winner.outcome],
    event_message: describeEvent(market.event),
    timestamp: String(universe.nowMs),
    tags: market.event.tags.map(({ slug }) => slug),
  }
}

const describeEvent = ({ id, slug, title, description }: MarketEvent) => ({
  id,
  ticker: slug,
  slug,
  title,
  description,
})

/** The new total at a price; 0 takes the level away. */
type LevelChange = { side: Side; priceE4: number; sizeE2: number }

/** What turns the levels of one book into those of the other. */
export function diffBooks(before: Book, after: Book): LevelChange[] {
  return [...diffSide('BUY', before.bids, after.bids), ...diffSide('SELL', before.asks, after.asks)]
}

function diffSide(side: Side, before: readonly Level[], after: readonly Level[]): LevelChange[] {
  const gone = new Map(before.map(({ priceE4, sizeE2 }) => [priceE4, sizeE2]))
  const changes: LevelChange[] = []
  for (const { priceE4, sizeE2 } of after) {
    if (gone.get(priceE4) !== sizeE2) changes.push({ side, priceE4, sizeE2 })
    gone.delete(priceE4)
  }
  for (const priceE4 of gone.keys()) changes.push({ side, priceE4, sizeE2: 0 })
  return changes
}
