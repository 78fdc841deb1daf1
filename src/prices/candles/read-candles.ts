import type { Sql } from '../../store/connection.js'
import { type Price, selectLatest } from '../archive/latest.js'
import { selectBlocks, selectLive } from '../archive/queries.js'
import { blockOf } from '../archive/tick-block.js'
import { newestTick } from '../newest-tick.js'
import { type CoinSymbol, streamIds } from '../streams.js'
import { CANDLE_SEC, CANDLES_SEC, type Candle, toCandles } from './candle.js'
import { mergeSeconds } from './second-prices.js'

const DAY_SEC = 24 * 60 * 60

/** The last candles up to the running one. What it reads does not grow with the archive. */
export async function readCandles(sql: Sql, symbol: CoinSymbol, nowMs: number): Promise<Candle[]> {
  const streams = streamIds(symbol, 'spot')
  const toSec = (Math.floor(nowMs / 1000 / CANDLE_SEC) + 1) * CANDLE_SEC - 1
  const fromSec = toSec + 1 - CANDLES_SEC
  // Live ticks first: one that moves in between is then found twice.
  const { ticks: live } = await selectLive(sql, streams, fromSec, toSec)
  const blocks = await selectBlocks(sql, streams, blockOf(fromSec), blockOf(toSec), {
    pricesAlone: true,
  })
  const before = await selectPriceBefore(sql, streams, fromSec)
  const prices = mergeSeconds({ live, blocks }, streams, fromSec, CANDLES_SEC)
  return toCandles(prices, fromSec, before?.price)
}

/** Nearly always of the day before; only where there was none a look at the whole archive is due. */
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
