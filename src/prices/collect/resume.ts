import type { Sql } from '../../store/connection.js'
import type { Price, Span } from '../archive/latest.js'
import { selectBlocks, selectLive } from '../archive/queries.js'
import { BLOCK_SEC, blockOf, TickBlock } from '../archive/tick-block.js'
import { STREAMS } from '../streams.js'

/** A new archive begins with as much as the candles show, where a source can tell it. */
const FIRST_SEC = 3 * 60 * 60
/** What is missing for longer is not asked for any more. */
const DAY_SEC = 24 * 60 * 60
/** So many seconds in a row do not just never have been. */
const HOLE_SEC = 10
/** Those of the source that has a past to tell. */
const TOLD_STREAMS = [...STREAMS].flatMap(([id, { source }]) =>
  source === 'oracle_data_streams' ? id : [],
)

/**
 * The second after which each stream is to be continued; absent: it begins with its first tick.
 * `latest` has the last tick of each stream. Where the past can be had, that is not enough: a process
 * that fills a gap may die between its newest second and the one that it had come to.
 */
export async function selectResumeSecs(
  sql: Sql,
  latest: ReadonlyMap<number, Price>,
  nowSec: number,
): Promise<Map<number, number>> {
  const secs = new Map([...latest].map(([stream, { sec }]) => [stream, sec]))
  const span = { fromSec: nowSec - DAY_SEC, toSec: nowSec }
  for (const [stream, isThere] of await selectPresence(sql, TOLD_STREAMS, span)) {
    const lastSec = secs.get(stream)
    if (lastSec !== undefined && lastSec < span.fromSec) continue
    secs.set(stream, span.fromSec + findHole(isThere, lastSec === undefined) - 1)
  }
  return secs
}

/** Of each stream 1 for every second of the span that is there. */
async function selectPresence(
  sql: Sql,
  streams: readonly number[],
  { fromSec, toSec }: Span,
): Promise<Map<number, Uint8Array>> {
  const length = toSec - fromSec + 1
  const presence = new Map(streams.map((stream) => [stream, new Uint8Array(length)]))
  // In this order: a tick that moves into its block in between is found twice.
  const { ticks } = await selectLive(sql, streams, fromSec, toSec)
  const blocks = await selectBlocks(sql, streams, blockOf(fromSec), blockOf(toSec), {
    pricesAlone: true,
  })
  for (const { stream, sec } of ticks) mark(presence.get(stream), sec - fromSec)
  for (const { stream, block, columns } of blocks) {
    for (const sec of secondsOf(block, columns)) mark(presence.get(stream), sec - fromSec)
  }
  return presence
}

function mark(isThere: Uint8Array | undefined, index: number): void {
  if (isThere !== undefined && index >= 0) isThere[index] = 1
}

function* secondsOf(block: number, columns: Uint8Array): Generator<number> {
  const ticks = new TickBlock(columns)
  for (let slot = 0; slot < BLOCK_SEC; slot++) {
    if (!Number.isNaN(ticks.priceAt(slot))) yield block * BLOCK_SEC + slot
  }
}

/** Where the first hole begins, or what comes after the last tick. A new archive has its beginning to fill. */
function findHole(isThere: Uint8Array, isEmpty: boolean): number {
  const newStart = isThere.length - 1 - FIRST_SEC
  if (isEmpty) return newStart + 1
  const first = isThere.indexOf(1)
  const last = isThere.lastIndexOf(1)
  let start = first < HOLE_SEC ? 0 : Math.min(first, newStart + 1)
  for (let index = start; index <= last; index++) {
    if (isThere[index] === 0) continue
    if (index - start >= HOLE_SEC) return start
    start = index + 1
  }
  return last + 1
}
