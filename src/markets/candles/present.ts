import { toTokenId } from '../../core/ids.js'
import { pricePerShare, toDecimal } from '../../core/money.js'
import { blockOf, logIndexOf } from '../../core/seq.js'
import { presentMarketBlock, presentStructuredMarket, type TokenMarket } from '../../lookups/market-block.js'
import type { TokenCandle } from './candle.js'
import { bucketCount, type CandleWindow } from './window.js'

export function presentCandle(candle: TokenCandle) {
  const { timeSec, volume, shares, buyVolume, first, last } = candle
  const isGap = candle.trades === 0
  return {
    time: timeSec,
    time_unix: timeSec,
    time_ms: timeSec * 1_000,
    open: toDecimal(candle.open),
    high: toDecimal(candle.high),
    low: toDecimal(candle.low),
    close: toDecimal(candle.close),
    volume: toDecimal(volume),
    volume_usd: toDecimal(volume),
    volume_shares: toDecimal(shares),
    volume_buy: toDecimal(buyVolume),
    volume_sell: toDecimal(volume - buyVolume),
    trades: candle.trades,
    vwap: toDecimal(isGap ? candle.close : pricePerShare(volume, shares)),
    first_trade_ts: first?.timeSec ?? null,
    last_trade_ts: last?.timeSec ?? null,
    first_block: first === null ? null : blockOf(first.seq),
    last_block: last === null ? null : blockOf(last.seq),
    first_log_index: first === null ? null : logIndexOf(first.seq),
    last_log_index: last === null ? null : logIndexOf(last.seq),
    gap_filled: isGap,
  }
}

export function presentSeriesMarket(market: TokenMarket) {
  const { market: question, ...block } = presentMarketBlock(market)
  return {
    token_id: toTokenId(market.token),
    question,
    ...block,
    ...presentStructuredMarket(market),
  }
}

export type Sides = { hasOlder: boolean; hasNewer: boolean }

const presentSides = ({ firstSec, lastSec, seconds }: CandleWindow, sides: Sides) => ({
  older_end_ts: firstSec === 0 ? null : firstSec - 1,
  newer_start_ts: lastSec + seconds,
  has_older: sides.hasOlder,
  has_newer: sides.hasNewer,
})

export const presentWindow = (window: CandleWindow, sides: Sides) => ({
  start_ts: window.firstSec,
  end_ts: window.lastSec + window.seconds - 1,
  first_bucket: window.firstSec,
  last_bucket: window.lastSec,
  duration_seconds: bucketCount(window) * window.seconds,
  bucket_count: bucketCount(window),
  resolution_seconds: window.seconds,
  ...presentSides(window, sides),
})

export const presentPagination = (window: CandleWindow, order: 'asc' | 'desc', sides: Sides) => ({
  limit: window.limit,
  max_limit: window.limitMax,
  direction: window.direction,
  order,
  has_more: window.direction === 'before' ? sides.hasOlder : sides.hasNewer,
  ...presentSides(window, sides),
})
