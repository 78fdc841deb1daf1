import type { Sql } from '../../store/connection.js'
import type { Seconds } from '../../upstreams/prices/source.js'
import { BLOCK_SEC, TickBlock, tickBlockOf } from '../fast/tick-block.js'
import { type BlockRow, type StreamPrice, selectBlocks, selectLive } from './queries.js'

type FoundPrices = { live: readonly StreamPrice[]; blocks: readonly BlockRow[] }

export async function selectPrices(sql: Sql, streams: readonly number[], span: Seconds) {
  // Live ticks first: one that is packed in between is then found twice rather than not at all.
  const { ticks: live } = await selectLive(sql, streams, span)
  const blocks = await selectBlocks(sql, streams, tickBlockOf(span.fromSec), tickBlockOf(span.toSec), {
    pricesAlone: true,
  })
  return { live, blocks }
}

/**
 * The price of each of `seconds` seconds from `fromSec` on, NaN where there is none. Of several
 * streams that have a second the last one is taken; within a stream its block, for what is in a
 * block came first. What is outside of these seconds is left out, as writes beyond a typed array are.
 */
export function mergeSeconds(
  { live, blocks }: FoundPrices,
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
