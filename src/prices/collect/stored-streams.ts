import type { Sql } from '../../store/connection.js'
import type { Seconds } from '../../upstreams/prices/source.js'
import type { Price } from '../archive/latest.js'
import { selectBlocks, selectLive } from '../archive/queries.js'
import { BLOCK_SEC, TickBlock, tickBlockOf } from '../fast/tick-block.js'
import { STREAMS } from '../streams.js'

/** How far back a source that serves its past is asked for it. */
const DAY_SEC = 24 * 60 * 60
/** A hole of fewer seconds is not asked for: the source leaves out single seconds for good. */
const HOLE_SEC_MIN = 10
/** The streams of the source that serves its past. */
const FETCHED_STREAMS = [...STREAMS].flatMap(([id, { source }]) =>
  source === 'oracle_data_streams' ? id : [],
)

/** What the archive has of a stream: nothing after `untilSec`, and `missing` is not there before it. */
export type StoredSeconds = { untilSec: number; missing: Seconds[] }

/**
 * What the archive has of each stream, by id; a stream is absent if it has nothing and its source
 * does not serve its past. `latest` has the last tick of each stream. Of a source that serves its past
 * every hole of the last day counts: a process that fills one backwards may die on the way.
 */
export async function selectStored(
  sql: Sql,
  latest: ReadonlyMap<number, Price>,
  nowSec: number,
): Promise<Map<number, StoredSeconds>> {
  const stored = new Map(
    [...latest].map(([stream, { sec }]) => [stream, { untilSec: sec, missing: [] as Seconds[] }]),
  )
  const fromSec = nowSec - DAY_SEC + 1
  const presence = await selectPresence(sql, FETCHED_STREAMS, { fromSec, toSec: nowSec })
  for (const [stream, isThere] of presence) {
    const lastSec = latest.get(stream)?.sec ?? nowSec
    const missing =
      lastSec < fromSec ? [{ fromSec: lastSec + 1, toSec: nowSec }] : findHoles(isThere, fromSec)
    stored.set(stream, { untilSec: nowSec, missing })
  }
  return stored
}

/** Of each stream 1 for every second of the span that is there. */
async function selectPresence(
  sql: Sql,
  streams: readonly number[],
  { fromSec, toSec }: Seconds,
): Promise<Map<number, Uint8Array>> {
  const length = toSec - fromSec + 1
  const presence = new Map(streams.map((stream) => [stream, new Uint8Array(length)]))
  // Live ticks first: one that is packed in between is then found twice rather than not at all.
  const { ticks } = await selectLive(sql, streams, fromSec, toSec)
  const blocks = await selectBlocks(sql, streams, tickBlockOf(fromSec), tickBlockOf(toSec), {
    pricesAlone: true,
  })
  const mark = (stream: number, sec: number) => {
    const isThere = presence.get(stream)
    if (isThere !== undefined && sec >= fromSec) isThere[sec - fromSec] = 1
  }
  for (const { stream, sec } of ticks) mark(stream, sec)
  for (const { stream, block, columns } of blocks) {
    const prices = new TickBlock(columns)
    for (let slot = 0; slot < BLOCK_SEC; slot++) {
      if (!Number.isNaN(prices.priceAt(slot))) mark(stream, block * BLOCK_SEC + slot)
    }
  }
  return presence
}

/** Runs of absent seconds: the long ones, and any at the end. */
function findHoles(isThere: Uint8Array, fromSec: number): Seconds[] {
  const holes: Seconds[] = []
  for (let start = isThere.indexOf(0); start !== -1; ) {
    const next = isThere.indexOf(1, start)
    const end = next === -1 ? isThere.length : next
    if (next === -1 || end - start >= HOLE_SEC_MIN) {
      holes.push({ fromSec: fromSec + start, toSec: fromSec + end - 1 })
    }
    start = isThere.indexOf(0, end)
  }
  return holes
}
