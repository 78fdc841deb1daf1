import { badRequest } from '../../core/errors.js'
import { MILLISECONDS_MIN } from '../../core/unix-time.js'
import type { ClobHistorySpan, ClobInterval } from '../../upstreams/clob/client.js'

const MINUTE_SEC = 60
const HOUR_SEC = 60 * MINUTE_SEC
const DAY_SEC = 24 * HOUR_SEC

/** In seconds, `max` and `all` without an end; `1m` is a month. */
const INTERVALS: Record<ClobInterval, number> = {
  max: Number.POSITIVE_INFINITY,
  '1d': DAY_SEC,
  '1w': 7 * DAY_SEC,
  '6h': 6 * HOUR_SEC,
  '1h': HOUR_SEC,
  '1m': 30 * DAY_SEC,
  all: Number.POSITIVE_INFINITY,
}
export const HISTORY_INTERVALS = Object.keys(INTERVALS) as ClobInterval[]

/** Of one token. Without a fidelity the points are as far apart as keeps them below the first number. */
const POINTS_USUAL = 1_440
const POINTS_MAX = 10_000
/** Over longer intervals the exchange gives no points that are closer than these. */
const FINE_SEC_MAX = 30 * DAY_SEC
const COARSE_MINUTES = 12 * 60
/** Markets that do not say since when they are open are taken for this old. */
const LISTED_SEC = 30 * DAY_SEC

export type GameHistoryQuery = {
  limit_tokens: number
  interval?: ClobInterval | undefined
  start_ts?: string | undefined
  end_ts?: string | undefined
  fidelity?: number | undefined
}

type SpanQuery = Omit<GameHistoryQuery, 'limit_tokens'>

/** What the prices of a game can cover. `listedMs`: when its trading began. */
type Times = { listedMs: number | undefined; nowMs: number }

/** A span to request from the exchange, and whether it is one that many callers request. */
export type HistorySpan = { span: ClobHistorySpan; isUsual: boolean }

/** `undefined`: no price can lie in it. Throws 400 where the parameters do not fit together. */
export function readHistorySpan(query: SpanQuery, times: Times): HistorySpan | undefined {
  const { interval, start_ts, end_ts } = query
  if (start_ts === undefined && end_ts === undefined) return readInterval(query, times)
  if (interval !== undefined) {
    throw badRequest('Give either interval, or start_ts and end_ts, not both.')
  }
  const startSec = start_ts === undefined ? 0 : readTime('start_ts', start_ts, 0)
  const endSec = end_ts === undefined ? MILLISECONDS_MIN : readTime('end_ts', end_ts, DAY_SEC - 1)
  if (startSec > endSec) throw badRequest('Invalid start_ts: it is after end_ts.')
  const first = Math.max(startSec, listedSecOf(times))
  const last = Math.min(endSec, Math.floor(times.nowMs / 1000))
  if (first > last) return undefined
  const fidelityMinutes = readFidelity(query.fidelity, last - first)
  return { span: { startSec: first, endSec: last, fidelityMinutes }, isUsual: false }
}

function readInterval({ interval = 'max', fidelity }: SpanQuery, times: Times): HistorySpan {
  const ageSec = Math.max(0, times.nowMs / 1000 - listedSecOf(times))
  const lengthSec = Math.min(INTERVALS[interval], ageSec)
  const isFine = lengthSec <= FINE_SEC_MAX || fidelity !== undefined
  const fidelityMinutes = isFine ? readFidelity(fidelity, lengthSec) : COARSE_MINUTES
  return { span: { interval, fidelityMinutes }, isUsual: fidelity === undefined }
}

const listedSecOf = ({ listedMs, nowMs }: Times): number =>
  Math.floor(listedMs === undefined ? nowMs / 1000 - LISTED_SEC : listedMs / 1000)

/** Unix seconds, or a day: `dayPartSec` is the second of it that is meant. */
function readTime(name: string, text: string, dayPartSec: number): number {
  if (text.includes('-')) {
    const dayMs = Date.parse(`${text}T00:00:00Z`)
    // A day that the month does not have becomes one of the next month in some engines.
    const isDay = !Number.isNaN(dayMs) && new Date(dayMs).toISOString().startsWith(text)
    if (!isDay) throw badRequest(`Invalid ${name}: there is no day ${text}.`)
    return dayMs / 1000 + dayPartSec
  }
  const seconds = Number(text)
  if (seconds < MILLISECONDS_MIN) return seconds
  const hint = `${name}=${Math.floor(seconds / 1000)}`
  throw badRequest(`Invalid ${name}: give Unix seconds, not milliseconds.`, { hint })
}

/** In minutes, whole ones. Throws 400 when it would give more points than an answer can hold. */
function readFidelity(requested: number | undefined, spanSec: number): number {
  const minutes = spanSec / MINUTE_SEC
  const usual = Math.max(1, Math.ceil(minutes / POINTS_USUAL))
  const least = Math.max(1, Math.ceil(minutes / POINTS_MAX))
  if (requested === undefined || requested >= least) return requested ?? usual
  throw badRequest(`Invalid fidelity: over this time it is at least ${least} minutes.`, {
    hint: `fidelity=${least}`,
  })
}
