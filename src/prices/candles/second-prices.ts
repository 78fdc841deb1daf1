import type { BlockRow, StreamTick } from '../archive/queries.js'
import { BLOCK_SEC, TickBlock } from '../archive/tick-block.js'

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
