import type { Sql } from '../../store/connection.js'
import type { Price, Span } from '../archive/latest.js'
import { selectBlocks, selectLive } from '../archive/queries.js'
import { BLOCK_SEC, blockOf, TickBlock } from '../archive/tick-block.js'
import { STREAMS } from '../streams.js'

/** A new archive begins with as much as the candles show, where a source can tell it. */
const FIRST_SEC = 3 * 60 * 60
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
  const firstSec = nowSec - FIRST_SEC
  const span = { fromSec: firstSec + 1, toSec: nowSec }
  for (const [stream, sec] of await selectWholeUntil(sql, TOLD_STREAMS, span)) {
    if ((secs.get(stream) ?? nowSec) >= firstSec) secs.set(stream, sec)
  }
  return secs
}

/** Of each stream the second before the first one of the span that is missing. */
async function selectWholeUntil(
  sql: Sql,
  streams: readonly number[],
  { fromSec, toSec }: Span,
): Promise<Map<number, number>> {
  const known = new Map(streams.map((stream) => [stream, new Set<number>()]))
  // In this order: a tick that moves into its block in between is found twice.
  const { ticks } = await selectLive(sql, streams, fromSec, toSec)
  const blocks = await selectBlocks(sql, streams, blockOf(fromSec), blockOf(toSec), {
    pricesAlone: true,
  })
  for (const { stream, sec } of ticks) known.get(stream)?.add(sec)
  for (const { stream, block, columns } of blocks) {
    for (const sec of secondsOf(block, columns)) known.get(stream)?.add(sec)
  }
  return new Map(
    [...known].map(([stream, secs]) => {
      let sec = fromSec
      while (secs.has(sec)) sec++
      return [stream, sec - 1]
    }),
  )
}

function* secondsOf(block: number, columns: Uint8Array): Generator<number> {
  const ticks = new TickBlock(columns)
  for (let slot = 0; slot < BLOCK_SEC; slot++) {
    if (!Number.isNaN(ticks.priceAt(slot))) yield block * BLOCK_SEC + slot
  }
}
