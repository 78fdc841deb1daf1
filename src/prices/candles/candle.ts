export const CANDLE_SEC = 300
/** The time that an answer covers. */
export const CANDLES_SEC = 30 * CANDLE_SEC

export type Candle = { time: number; open: number; high: number; low: number; close: number }

/**
 * Candles of whole buckets, oldest first. `prices` has one for each second from `fromSec` on, NaN
 * where there is none; `before` is the last price before them. A candle opens where the one before it
 * closed, and is flat where nothing came; buckets before the first price ever have none.
 */
export function toCandles(
  prices: Float64Array,
  fromSec: number,
  before: number | undefined,
): Candle[] {
  const candles: Candle[] = []
  let last = before
  for (let at = 0; at < prices.length; at += CANDLE_SEC) {
    const candle = toCandle(prices.subarray(at, at + CANDLE_SEC), fromSec + at, last)
    if (candle === undefined) continue
    candles.push(candle)
    last = candle.close
  }
  return candles
}

function toCandle(
  prices: Float64Array,
  time: number,
  before: number | undefined,
): Candle | undefined {
  const known = prices.filter((price) => !Number.isNaN(price))
  const open = before ?? known[0]
  if (open === undefined) return undefined
  return {
    time,
    open,
    high: Math.max(open, ...known),
    low: Math.min(open, ...known),
    close: known.at(-1) ?? open,
  }
}
