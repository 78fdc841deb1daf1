import type { Sql } from '../../store/connection.js'
import type { Seconds, StoredStream } from '../../upstreams/prices/source.js'
import type { Price } from '../archive/latest.js'
import { mergeSeconds, selectPrices } from '../archive/second-prices.js'
import { STREAMS } from '../streams.js'

/** How far back ticks are requested from a source that serves its past. */
const DAY_SEC = 24 * 60 * 60
/** A hole of fewer seconds is not requested: the source never has some single seconds. */
const HOLE_SEC_MIN = 10
/** The streams of the source that serves its past. */
const FETCHED_STREAMS = [...STREAMS].flatMap(([id, { source }]) =>
  source === 'oracle_data_streams' ? id : [],
)

/**
 * What the archive has of each stream, by id; a stream is absent if it has nothing and its source
 * does not serve its past. `latest` has the last tick of each stream. Of a source that serves its past
 * every hole of the last day counts: a process that fills one backwards may die on the way.
 */
export async function selectStored(
  sql: Sql,
  latest: ReadonlyMap<number, Price>,
  nowSec: number,
): Promise<Map<number, StoredStream>> {
  const stored = new Map<number, StoredStream>()
  for (const [stream, { sec }] of latest) stored.set(stream, { untilMs: sec * 1000, missing: [] })
  const fromSec = nowSec - DAY_SEC + 1
  const found = await selectPrices(sql, FETCHED_STREAMS, { fromSec, toSec: nowSec })
  for (const stream of FETCHED_STREAMS) {
    const lastSec = latest.get(stream)?.sec ?? nowSec
    const missing =
      lastSec < fromSec
        ? [{ fromSec: lastSec + 1, toSec: nowSec }]
        : findHoles(mergeSeconds(found, [stream], fromSec, DAY_SEC), fromSec)
    stored.set(stream, { untilMs: nowSec * 1000, missing })
  }
  return stored
}

/** Runs of seconds without a price: the long ones, and any at the end. */
function findHoles(prices: Float64Array, fromSec: number): Seconds[] {
  const holes: Seconds[] = []
  let start = 0
  for (let end = 0; end <= prices.length; end++) {
    if (Number.isNaN(prices[end])) continue
    const isLast = end === prices.length
    if (end - start >= HOLE_SEC_MIN || (isLast && end > start)) {
      holes.push({ fromSec: fromSec + start, toSec: fromSec + end - 1 })
    }
    start = end + 1
  }
  return holes
}
