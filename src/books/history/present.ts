import { parseMillionths, toDecimalText } from '../../core/money.js'
import type { BookLevel } from '../live-book.js'
import { toBookPriceText } from '../present.js'
import type { RecordedBook } from '../recording/recorded-change.js'
import type { TokenSpan } from './queries.js'
import type { BookSample, SampledToken } from './sample-books.js'

const MILLION = 1_000_000n

export const presentSpan = ({ tokenId, fromMs, toMs }: TokenSpan) => ({
  token_id: tokenId,
  from: fromMs,
  to: toMs,
})

/** The whole book, or the best `levels` of each side. */
export const presentRecordedBook = (
  { tokenId, outcome }: SampledToken,
  book: RecordedBook,
  levels: number,
) => ({
  token_id: tokenId,
  outcome,
  exchange_at: book.timestampMs,
  hash: book.hash ?? null,
  tick_size: book.tickSize ?? null,
  last_trade_price: book.lastTradePrice ?? null,
  ...presentPrices(book),
  bids: book.bids.slice(0, levels).map(presentLevel),
  asks: book.asks.slice(0, levels).map(presentLevel),
})

const presentLevel = ({ price, size }: BookLevel) => ({ price, size })

const NO_PRICES = { best_bid: null, best_ask: null, mid: null, spread: null }

function presentPrices({ bids: [bid], asks: [ask] }: Pick<RecordedBook, 'bids' | 'asks'>) {
  return {
    best_bid: bid?.price ?? null,
    best_ask: ask?.price ?? null,
    mid: bid && ask ? toBookPriceText((Number(bid.price) + Number(ask.price)) / 2) : null,
    spread: bid && ask ? toBookPriceText(Number(ask.price) - Number(bid.price)) : null,
  }
}

const presentMoment = ({ atMs, token }: BookSample) => ({
  time: atMs,
  token_id: token.tokenId,
  outcome: token.outcome,
})

export function presentHistoryRow(sample: BookSample, levels: number) {
  const { token, book } = sample
  const moment = presentMoment(sample)
  if (book === undefined) {
    const nothing = { exchange_at: null, ...NO_PRICES, bids: null, asks: null }
    return { ...moment, is_recorded: false, ...nothing }
  }
  const {
    hash: _hash,
    tick_size: _tick,
    last_trade_price: _last,
    ...shown
  } = presentRecordedBook(token, book, levels)
  return { ...moment, is_recorded: true, ...shown }
}

const NO_DEPTH = { bid_shares: null, ask_shares: null, bid_usd: null, ask_usd: null, imbalance: null }

/** `within`: how far from the middle an offer counts, in dollars. Without a middle every offer counts. */
export function presentDepthRow(sample: BookSample, within: string) {
  const moment = presentMoment(sample)
  const { book } = sample
  if (book === undefined) return { ...moment, is_recorded: false, ...NO_PRICES, ...NO_DEPTH }
  const prices = presentPrices(book)
  const reach = parseMillionths(within)
  const middle = prices.mid === null ? undefined : parseMillionths(prices.mid)
  const isNear = (price: bigint) =>
    middle === undefined || (price > middle ? price - middle : middle - price) <= reach
  const bids = sumLevels(book.bids, isNear)
  const asks = sumLevels(book.asks, isNear)
  const shares = bids.shares + asks.shares
  return {
    ...moment,
    is_recorded: true,
    ...prices,
    bid_shares: toDecimalText(bids.shares),
    ask_shares: toDecimalText(asks.shares),
    bid_usd: toDecimalText(bids.usd),
    ask_usd: toDecimalText(asks.usd),
    imbalance: shares === 0n ? null : Number(((bids.shares - asks.shares) * MILLION) / shares) / 1e6,
  }
}

/** Levels stand in order of their distance: the first one that is too far ends the sum. */
function sumLevels(levels: readonly BookLevel[], isNear: (price: bigint) => boolean) {
  let shares = 0n
  let usd = 0n
  for (const level of levels) {
    const price = parseMillionths(level.price)
    if (!isNear(price)) break
    const size = parseMillionths(level.size)
    shares += size
    usd += price * size
  }
  return { shares, usd: usd / MILLION }
}
