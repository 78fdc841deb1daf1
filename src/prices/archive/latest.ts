import type { Sql } from '../../store/connection.js'
import type { Seconds } from '../../upstreams/prices/source.js'
import { BLOCK_SEC, TickBlock } from '../fast/tick-block.js'
import { type StreamPrice, selectLastBlocks, selectLastLive } from './queries.js'

export type Price = { sec: number; price: number }

/** The last price of each stream within the span; streams without one are absent. */
export async function selectLatest(sql: Sql, streams: readonly number[], span: Seconds) {
  // Live ticks first: one that is packed in between is then found twice rather than not at all.
  const live = await selectLastLive(sql, streams, span.toSec)
  const blocks = await selectLastBlocks(sql, streams, span)
  const latest = new Map<number, Price>()
  const offer = ({ stream, sec, price }: StreamPrice) => {
    const known = latest.get(stream)?.sec ?? span.fromSec - 1
    if (sec > known) latest.set(stream, { sec, price })
  }
  for (const { stream, block, columns } of blocks) {
    const ticks = new TickBlock(columns)
    const startSec = block * BLOCK_SEC
    const slot = ticks.lastSlot(span.toSec - startSec)
    if (slot !== -1) offer({ stream, sec: startSec + slot, price: ticks.priceAt(slot) })
  }
  live.forEach(offer)
  return latest
}

/**
 * The newest of the last ticks of these streams. Of the same second the later stream has it: sources
 * are in the order of `TICK_SOURCES`, and Chainlink's own price counts more than a relayed one.
 */
export function newestTick(latest: ReadonlyMap<number, Price>, streams: readonly number[]) {
  let newest: Price | undefined
  for (const stream of streams) {
    const tick = latest.get(stream)
    if (tick !== undefined && tick.sec >= (newest?.sec ?? 0)) newest = tick
  }
  return newest
}
