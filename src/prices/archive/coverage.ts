import type { Sql } from '../../store/connection.js'
import { STREAMS, type Stream } from '../streams.js'
import {
  countLiveByHour,
  type GapRow,
  type HourRow,
  selectFirstHours,
  selectGaps,
  selectHours,
} from './queries.js'

export type HourCoverage = { startSec: number; seconds: number; missing: number }

/** What is there of one stream, hour by hour; the running hour counts as far as it has come. */
export type StreamCoverage = { stream: Stream; fromSec: number; hours: HourCoverage[] }

export type TickCoverage = { streams: StreamCoverage[]; gaps: GapRow[] }

const HOUR_SEC = 3_600
const GAPS_MAX = 1_000
/** A tick takes up to so long to arrive and to be written. */
const ARRIVAL_SEC = 5

/** The last so many hours of every stream that has ticks at all. */
export async function readTickCoverage(
  sql: Sql,
  nowMs: number,
  hours: number,
): Promise<TickCoverage> {
  const nowSec = Math.floor(nowMs / 1000) - ARRIVAL_SEC
  const fromHour = Math.floor(nowSec / HOUR_SEC) - hours + 1
  // Live ticks first: those that are packed in between are counted twice rather than not at all.
  const live = await countLiveByHour(sql, fromHour, nowSec)
  const packed = await selectHours(sql, [...STREAMS.keys()], fromHour)
  const firsts = await selectFirstHours(sql, [...STREAMS.keys()])
  const counted = sum([...packed, ...live])
  const streams = firsts.flatMap(({ stream: id, hour }) => {
    const stream = STREAMS.get(id)
    if (stream === undefined) return []
    const first = Math.max(fromHour, hour)
    const list = range(first, Math.floor(nowSec / HOUR_SEC)).map((each) =>
      toCoverage(each, counted.get(`${id} ${each}`) ?? 0, nowSec),
    )
    return { stream, fromSec: hour * HOUR_SEC, hours: list }
  })
  return { streams, gaps: await selectGaps(sql, fromHour * HOUR_SEC, GAPS_MAX) }
}

function toCoverage(hour: number, counted: number, nowSec: number): HourCoverage {
  const startSec = hour * HOUR_SEC
  const elapsed = Math.min(HOUR_SEC, nowSec + 1 - startSec)
  const seconds = Math.min(HOUR_SEC, counted)
  return { startSec, seconds, missing: Math.max(0, elapsed - seconds) }
}

function sum(rows: readonly HourRow[]): Map<string, number> {
  const counted = new Map<string, number>()
  for (const { stream, hour, seconds } of rows) {
    const key = `${stream} ${hour}`
    counted.set(key, (counted.get(key) ?? 0) + seconds)
  }
  return counted
}

const range = (first: number, last: number): number[] =>
  Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index)
