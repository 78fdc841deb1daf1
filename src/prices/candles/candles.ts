import type { Sql } from '../../store/connection.js'
import { newestTick, selectLatest } from '../archive/latest.js'
import { mergeSeconds, selectPrices } from '../archive/second-prices.js'
import { type CoinSymbol, streamIds } from '../streams.js'

export const CANDLE_SEC = 300
/** The time that an answer covers. */
export const CANDLES_SEC = 30 * CANDLE_SEC

export type Candle = { time: number; open: number; high: number; low: number; close: number }

/**
 * Candles of whole buckets, oldest first. `prices` has one for each second from `fromSec` on, NaN
 * where there is none; `before` is the last price before them. A candle opens where the one before it
 * closed, and is flat where nothing came; buckets before the first price ever have none.
 */
export function toCandles(prices: Float64Array, fromSec: number, before?: number): Candle[] {
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

function toCandle(prices: Float64Array, time: number, before?: number): Candle | undefined {
  const known = prices.filter((price) => !Number.isNaN(price))
  const open = before ?? known[0]
  if (open === undefined) return undefined
  const [high, low] = [Math.max(open, ...known), Math.min(open, ...known)]
  return { time, open, high, low, close: known.at(-1) ?? open }
}

const DAY_SEC = 24 * 60 * 60

/** The last candles up to the running one. What it reads does not grow with the archive. */
export async function readCandles(sql: Sql, symbol: CoinSymbol, nowMs: number): Promise<Candle[]> {
  const streams = streamIds(symbol, 'spot')
  const toSec = (Math.floor(nowMs / 1000 / CANDLE_SEC) + 1) * CANDLE_SEC - 1
  const fromSec = toSec + 1 - CANDLES_SEC
  const found = await selectPrices(sql, streams, { fromSec, toSec })
  const before = await selectPriceBefore(sql, streams, fromSec)
  const prices = mergeSeconds(found, streams, fromSec, CANDLES_SEC)
  return toCandles(prices, fromSec, before?.price)
}

/** Of the day before, or of the whole archive if that day has none. */
async function selectPriceBefore(sql: Sql, streams: readonly number[], sec: number) {
  const toSec = sec - 1
  const ofDay = await selectLatest(sql, streams, { fromSec: sec - DAY_SEC, toSec })
  const latest = ofDay.size > 0 ? ofDay : await selectLatest(sql, streams, { fromSec: 0, toSec })
  return newestTick(latest, streams)
}
