import { badRequest } from '../../core/errors.js'
import { clampCount } from '../../lib/clamp-count.js'

/** How long a bucket is, and how many of them an answer has at most. */
export const CANDLE_RESOLUTIONS = {
  '1m': { seconds: 60, bucketsMax: 120 },
  '5m': { seconds: 300, bucketsMax: 180 },
  '15m': { seconds: 900, bucketsMax: 240 },
  '1h': { seconds: 3_600, bucketsMax: 300 },
  '4h': { seconds: 14_400, bucketsMax: 360 },
  '1d': { seconds: 86_400, bucketsMax: 500 },
} as const

export type Resolution = keyof typeof CANDLE_RESOLUTIONS

type Direction = 'before' | 'after'

const LIMIT_DEFAULT = 120

/** How a request names its window. All times are Unix seconds, and are included. */
export type WindowRequest = {
  resolution: Resolution
  limit?: number | undefined
  direction?: Direction | undefined
  anchor_ts?: number | undefined
  start?: number | undefined
  start_time?: number | undefined
  after?: number | undefined
  end?: number | undefined
  end_time?: number | undefined
  before?: number | undefined
}

/** Whole buckets, from the one that begins at `firstSec` to the one that begins at `lastSec`. */
export type CandleWindow = {
  firstSec: number
  lastSec: number
  seconds: number
  direction: Direction
  /** The most buckets that the window may have had. */
  limit: number
  limitMax: number
}

/**
 * The window that a request names: the buckets between two times, or a number of buckets from one time
 * on, or up to one time, which is now by default. Throws a 400 where the parameters
 * contradict each other.
 */
export function resolveWindow(request: WindowRequest, nowSec: number): CandleWindow {
  const { seconds, bucketsMax: limitMax } = CANDLE_RESOLUTIONS[request.resolution]
  const limit = clampCount(request.limit ?? LIMIT_DEFAULT, limitMax)
  const start = takeOne(request, ['start', 'start_time', 'after'])
  const end = takeOne(request, ['end', 'end_time', 'before'])
  const bucketOf = (sec: number) => Math.floor(sec / seconds) * seconds
  const common = { seconds, limitMax }
  const after = (sec: number): CandleWindow => {
    const firstSec = bucketOf(sec)
    const lastSec = firstSec + (limit - 1) * seconds
    return { ...common, firstSec, lastSec, direction: 'after', limit }
  }
  const before = (sec: number): CandleWindow => ({ ...common, ...bucketsUpTo(sec, seconds, limit) })

  if (start === undefined && end === undefined) {
    const { direction = 'before', anchor_ts: anchor } = request
    if (direction === 'before') return before(anchor ?? nowSec)
    if (anchor !== undefined) return after(anchor)
    throw badRequest('Missing anchor_ts: with direction=after the window begins there.')
  }
  if (request.anchor_ts !== undefined) {
    throw badRequest('Invalid anchor_ts: start and end name the window; leave out anchor_ts.')
  }
  if (start === undefined || end === undefined) {
    const direction = start === undefined ? 'before' : 'after'
    if (request.direction !== undefined && request.direction !== direction) {
      const bound = start === undefined ? 'end' : 'start'
      throw badRequest(
        `Invalid direction: a window with ${bound} alone goes ${direction} it; leave out direction.`,
      )
    }
    return start === undefined ? before(end ?? nowSec) : after(start)
  }

  if (start > end) throw badRequest('Invalid start: it must not be later than end.')
  const buckets = (bucketOf(end) - bucketOf(start)) / seconds + 1
  if (buckets > limitMax) {
    throw badRequest(
      `Invalid start: ${buckets} buckets of ${request.resolution} are over the maximum of ${limitMax}; take a shorter range or a longer resolution.`,
    )
  }
  const { direction = 'before' } = request
  const range = { firstSec: bucketOf(start), lastSec: bucketOf(end), direction }
  if (request.limit === undefined || buckets <= limit) {
    return { ...common, ...range, limit: Math.max(buckets, limit) }
  }
  const trimmed = direction === 'before' ? before(end) : after(start)
  return { ...trimmed, direction }
}

/** This many buckets, of which the last has that time. */
export function bucketsUpTo(sec: number, seconds: number, limit: number) {
  const lastSec = Math.floor(sec / seconds) * seconds
  const firstSec = Math.max(lastSec - (limit - 1) * seconds, 0)
  return { firstSec, lastSec, direction: 'before', limit } as const
}

/** The value of the one alias that the request has. */
function takeOne<Name extends keyof WindowRequest>(
  request: { [key in Name]?: number | undefined },
  names: readonly Name[],
): number | undefined {
  const present = names.filter((name) => request[name] !== undefined)
  const [name, other] = present
  if (other !== undefined) {
    throw badRequest(`Invalid ${other}: it is another name of ${name}; leave out one of them.`)
  }
  return name === undefined ? undefined : request[name]
}

export const bucketCount = ({ firstSec, lastSec, seconds }: CandleWindow): number =>
  (lastSec - firstSec) / seconds + 1
