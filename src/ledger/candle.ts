import { AMOUNT_MAX } from '../core/money.js'
import type { Books, HourCandle, MinuteCandle, TokenTotals } from './books.js'
import { marketFits } from './column-limits.js'
import type { FillEntry } from './entry.js'

type Candle = MinuteCandle | HourCandle

/** What a fill of a taking order counts into: each match once. */
export type MarketRows = { minute: MinuteCandle; hour: HourCandle; totals: TokenTotals }

export function openMarket({ rows }: Books, { token, timeSec }: FillEntry): MarketRows {
  return {
    minute: rows.minuteCandles.open(token, minuteOf(timeSec)),
    hour: rows.hourCandles.open(token, hourOf(timeSec)),
    totals: rows.tokenTotals.open(token),
  }
}

export const marketRowsFit = ({ minute, hour, totals }: MarketRows): boolean =>
  marketFits(minute) && marketFits(hour) && marketFits(totals)

export function countMarket({ minute, hour, totals }: MarketRows, fill: FillEntry, fee: bigint): void {
  if (fill.shares > 0n) {
    const price = priceOf(fill)
    setPrices(minute, fill.seq, price)
    setPrices(hour, fill.seq, price)
  }
  countTrade(minute, fill, fee)
  countTrade(hour, fill, fee)
  countTrade(totals, fill, fee)
}

/** Before the fill is counted: a candle without shares has no price yet. */
function setPrices(candle: Candle, seq: number, price: number): void {
  const isFirst = candle.shares === 0n
  if (isFirst || seq < candle.firstSeq) candle.open = price
  if (isFirst || price > candle.high) candle.high = price
  if (isFirst || price < candle.low) candle.low = price
  if (isFirst || seq > candle.lastSeq) candle.close = price
}

function countTrade(row: Candle | TokenTotals, fill: FillEntry, fee: bigint): void {
  if (row.trades === 0 || fill.seq < row.firstSeq) row.firstSeq = fill.seq
  if (fill.seq > row.lastSeq) row.lastSeq = fill.seq
  row.trades++
  row.volume += fill.usd
  row.shares += fill.shares
  if (fill.isBuy) row.buyVolume += fill.usd
  row.fees += fee
}

const MILLION = 1_000_000n

/** Millionths of a dollar for a share, rounded half up, and no more than an amount may be. */
function priceOf({ usd, shares }: FillEntry): number {
  const price = (2n * usd * MILLION + shares) / (2n * shares)
  return Number(price < AMOUNT_MAX ? price : AMOUNT_MAX)
}

/** Unix time in minutes. */
export const minuteOf = (timeSec: number): number => Math.floor(timeSec / 60)

/** Unix time in hours. */
export const hourOf = (timeSec: number): number => Math.floor(timeSec / 3600)
