import type { Sql } from '../../store/connection.js'
import { STREAMS } from '../streams.js'
import { selectFirstHours, selectGaps, selectHours } from './queries.js'

export type TickCoverage = Awaited<ReturnType<typeof readTickCoverage>>

const HOUR_SEC = 3_600
const GAPS_MAX = 1_000
/** A tick takes up to this long to arrive and to be written. */
const ARRIVAL_SEC = 5

/**
 * The last hours, this many, of every stream that has ticks at all. The running hour counts as far as it
 * has come.
 */
export async function readTickCoverage(sql: Sql, nowMs: number, hours: number) {
  const nowSec = Math.floor(nowMs / 1000) - ARRIVAL_SEC
  const nowHour = Math.floor(nowSec / HOUR_SEC)
  const fromHour = nowHour - hours + 1
  const ids = [...STREAMS.keys()]
  const rows = await selectHours(sql, ids, { fromHour, toSec: nowSec })
  const counted = new Map(rows.map(({ stream, hour, seconds }) => [`${stream} ${hour}`, seconds]))
  const firsts = await selectFirstHours(sql, ids)
  const streams = firsts.flatMap(({ stream: id, hour }) => {
    const stream = STREAMS.get(id)
    if (stream === undefined) return []
    const first = Math.max(fromHour, hour)
    const list = Array.from({ length: Math.max(0, nowHour - first + 1) }, (_, index) =>
      toCoverage(first + index, counted.get(`${id} ${first + index}`) ?? 0, nowSec),
    )
    return { stream, fromSec: hour * HOUR_SEC, hours: list }
  })
  return { streams, gaps: await selectGaps(sql, fromHour * HOUR_SEC, GAPS_MAX) }
}

function toCoverage(hour: number, counted: number, nowSec: number) {
  const startSec = hour * HOUR_SEC
  const elapsed = Math.min(HOUR_SEC, nowSec + 1 - startSec)
  const seconds = Math.min(HOUR_SEC, counted)
  return { startSec, seconds, missing: Math.max(0, elapsed - seconds) }
}
