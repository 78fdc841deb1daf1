import { REORG_BLOCKS_MAX } from '../core/blocks.js'
import { endOfBlock, seqOf } from '../core/seq.js'
import type { Sql } from '../store/connection.js'

/** A day of UTC, and the blocks of it whose facts are stored. */
export type ArchiveDay = {
  /** `2026-11-14` */
  day: string
  fromSec: number
  /** The first second after it. */
  untilSec: number
  fromBlock: number
  toBlock: number
  fromSeq: number
  toSeq: number
}

const DAY_SEC = 86_400

type BoundsRow = {
  fromBlock: number | null
  fromSec: number | null
  lastFinalSec: number | null
}

/**
 * The days whose facts no reorganisation can change any more, the oldest first: a block that has facts, is of a later
 * day and is deeper below the head than any reorganisation reaches proves that a day is over. Days of which the
 * retention has dropped facts are not among them, nor are days without any.
 */
export async function selectFinalDays(sql: Sql): Promise<ArchiveDay[]> {
  const [bounds] = await sql<BoundsRow[]>`
    with known as (
      select greatest((select min(from_block) from coverage), kept_from) as from_block,
             block - ${REORG_BLOCKS_MAX}::integer as last_final
        from chain_state
    )
    select from_block,
           (select time from blocks where number >= from_block order by number limit 1) as from_sec,
           (select time from blocks where number <= last_final order by number desc limit 1) as last_final_sec
      from known`
  const { fromBlock = null, fromSec = null, lastFinalSec = null } = bounds ?? {}
  if (fromBlock === null || fromSec === null || lastFinalSec === null) return []

  const starts = Array.from(
    { length: Math.max(0, dayOfSec(lastFinalSec) - dayOfSec(fromSec) + 1) },
    (_, index) => (dayOfSec(fromSec) + index) * DAY_SEC,
  )
  const rows = await sql<{ startSec: number; block: number }[]>`
    select start_sec, (select number from blocks where time >= start_sec order by time, number limit 1) as block
      from unnest(${starts}::integer[]) as start_sec
     order by start_sec`
  const days = rows.slice(0, -1).map(({ startSec, block }, index) => {
    const first = index === 0 ? fromBlock : block
    const last = (rows[index + 1]?.block ?? first) - 1
    return {
      day: dayTextOf(startSec),
      fromSec: startSec,
      untilSec: startSec + DAY_SEC,
      fromBlock: first,
      toBlock: last,
      fromSeq: seqOf(first, 0),
      toSeq: endOfBlock(last),
    }
  })
  return days.filter(({ fromBlock: first, toBlock: last }) => first <= last)
}

export const dayTextOf = (sec: number): string => new Date(sec * 1000).toISOString().slice(0, 10)

const dayOfSec = (sec: number): number => Math.floor(sec / DAY_SEC)
