import type { Sql } from '../../store/connection.js'
import { newestTick, type Price, selectLatest } from '../archive/latest.js'
import { type BlockRow, type StreamTick, selectBlocks, selectLive } from '../archive/queries.js'
import { BLOCK_SEC, TickBlock, tickBlockOf } from '../fast/tick-block.js'
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

const DAY_SEC = 24 * 60 * 60

/** The last candles up to the running one. What it reads does not grow with the archive. */
export async function readCandles(sql: Sql, symbol: CoinSymbol, nowMs: number): Promise<Candle[]> {
  const streams = streamIds(symbol, 'spot')
  const toSec = (Math.floor(nowMs / 1000 / CANDLE_SEC) + 1) * CANDLE_SEC - 1
  const fromSec = toSec + 1 - CANDLES_SEC
  // Live ticks first: one that is packed in between is then found twice rather than not at all.
  const { ticks: live } = await selectLive(sql, streams, fromSec, toSec)
  const blocks = await selectBlocks(sql, streams, tickBlockOf(fromSec), tickBlockOf(toSec), {
    pricesAlone: true,
  })
  const before = await selectPriceBefore(sql, streams, fromSec)
  const prices = mergeSeconds({ live, blocks }, streams, fromSec, CANDLES_SEC)
  return toCandles(prices, fromSec, before?.price)
}

/** Of the day before, or of the whole archive if that day has none. */
async function selectPriceBefore(
  sql: Sql,
  streams: readonly number[],
  sec: number,
): Promise<Price | undefined> {
  const toSec = sec - 1
  const ofDay = await selectLatest(sql, streams, { fromSec: sec - DAY_SEC, toSec })
  const latest = ofDay.size > 0 ? ofDay : await selectLatest(sql, streams, { fromSec: 0, toSec })
  return newestTick(latest, streams)
}

export type Ticks = { live: readonly StreamTick[]; blocks: readonly BlockRow[] }

/**
 * The price of each of `seconds` seconds from `fromSec` on, NaN where there is none. Of several
 * streams that have a second the last one is taken; within a stream its block, for what is in a
 * block came first.
 */
export function mergeSeconds(
  { live, blocks }: Ticks,
  streams: readonly number[],
  fromSec: number,
  seconds: number,
): Float64Array {
  const prices = new Float64Array(seconds).fill(Number.NaN)
  for (const stream of streams) {
    for (const tick of live) {
      if (tick.stream === stream) prices[tick.sec - fromSec] = tick.price
    }
    for (const row of blocks) {
      if (row.stream === stream) copyBlock(row, prices, row.block * BLOCK_SEC - fromSec)
    }
  }
  return prices
}

function copyBlock({ columns }: BlockRow, prices: Float64Array, at: number): void {
  const block = new TickBlock(columns)
  for (let slot = 0; slot < BLOCK_SEC; slot++) {
    const price = block.priceAt(slot)
    if (!Number.isNaN(price)) prices[at + slot] = price
  }
}
