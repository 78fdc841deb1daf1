import type { Sql } from '../../store/connection.js'
import { BLOCK_SEC, slotOf, TickBlock } from '../fast/tick-block.js'
import { selectLastBlocks, selectLastLive } from './queries.js'

/** Both ends included. */
export type TickSpan = { fromSec: number; toSec: number }

export type Price = { sec: number; price: number }

/** The last price of each stream within the span; streams without one are absent. */
export async function selectLatest(
  sql: Sql,
  streams: readonly number[],
  { fromSec, toSec }: TickSpan,
): Promise<Map<number, Price>> {
  // Live ticks first: one that is packed in between is then found twice rather than not at all.
  const live = await selectLastLive(sql, streams, toSec)
  const blocks = await selectLastBlocks(sql, streams, fromSec, toSec)
  const latest = new Map<number, Price>()
  const offer = (stream: number, tick: Price) => {
    const known = latest.get(stream)?.sec ?? fromSec - 1
    if (tick.sec > known) latest.set(stream, tick)
  }
  for (const { stream, block, columns } of blocks) {
    const tick = lastOf(new TickBlock(columns), block * BLOCK_SEC, toSec)
    if (tick !== undefined) offer(stream, tick)
  }
  for (const { stream, sec, price } of live) offer(stream, { sec, price })
  return latest
}

function lastOf(block: TickBlock, startSec: number, toSec: number): Price | undefined {
  const endSec = startSec + BLOCK_SEC - 1
  const slot = block.lastSlot(toSec < endSec ? slotOf(toSec) : BLOCK_SEC - 1)
  return slot === -1 ? undefined : { sec: startSec + slot, price: block.priceAt(slot) }
}

/**
 * The newest of the last ticks of these streams. Of the same second the later stream has it: sources
 * are in the order of `TICK_SOURCES`, and Chainlink's own price counts more than a relayed one.
 */
export function newestTick(
  latest: ReadonlyMap<number, Price>,
  streams: readonly number[],
): Price | undefined {
  let newest: Price | undefined
  for (const stream of streams) {
    const tick = latest.get(stream)
    if (tick !== undefined && tick.sec >= (newest?.sec ?? 0)) newest = tick
  }
  return newest
}
