/** The fills of taking orders of one token in one bucket. Amounts and prices are millionths. */
export type TokenCandle = {
  token: number
  /** When the bucket begins. */
  timeSec: number
  trades: number
  /** Prices are 0 in a bucket whose fills had no shares. */
  open: bigint
  high: bigint
  low: bigint
  close: bigint
  volume: bigint
  shares: bigint
  buyVolume: bigint
  /** null: there was no trade. */
  first: TradeMoment | null
  last: TradeMoment | null
}

type TradeMoment = { seq: number; timeSec: number }

type Filled = {
  token: number
  firstSec: number
  lastSec: number
  seconds: number
  /** The last price before the window; null: there was none. */
  closeBefore: bigint | null
  /** No bucket that begins later is added: it has not begun. */
  nowSec: number
}

/** Adds the buckets of a window without a candle, at the price before them; none before the first price. */
export function fillGaps(candles: readonly TokenCandle[], window: Filled): TokenCandle[] {
  const { token, firstSec, lastSec, seconds, nowSec } = window
  const byTime = new Map(candles.map((candle) => [candle.timeSec, candle]))
  const filled: TokenCandle[] = []
  let close = window.closeBefore
  for (let timeSec = firstSec; timeSec <= lastSec; timeSec += seconds) {
    const candle = byTime.get(timeSec)
    if (candle !== undefined) filled.push(candle)
    else if (close !== null && timeSec <= nowSec) filled.push(emptyCandle(token, timeSec, close))
    if (candle !== undefined && candle.shares > 0n) close = candle.close
  }
  return filled
}

const emptyCandle = (token: number, timeSec: number, price: bigint): TokenCandle => ({
  token,
  timeSec,
  trades: 0,
  open: price,
  high: price,
  low: price,
  close: price,
  volume: 0n,
  shares: 0n,
  buyVolume: 0n,
  first: null,
  last: null,
})
