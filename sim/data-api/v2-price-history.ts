import { readInt } from '../server/query.js'
import type { Token } from '../universe/market.js'
import type { Universe } from '../universe/universe.js'
import type { Route } from './context.js'
import { Marks } from './marks.js'
import { BadRequest, readChoice } from './query.js'
import { pageOfList, type Rows } from './v2-page.js'

const RULE = { list: 'prices-history', usual: 10_000, max: 10_000 }
const HOUR_SEC = 3_600
const DAY_SEC = 24 * HOUR_SEC
const SPAN_SEC_MAX = 15 * DAY_SEC
const BUCKET_SEC_MIN = 60
const BUCKET_SEC_MAX = DAY_SEC

/** How far back an interval goes, how wide its buckets usually are, and how wide at least. */
const INTERVALS = {
  '1h': { seconds: HOUR_SEC, bucket: 60, bucketMin: BUCKET_SEC_MIN },
  '6h': { seconds: 6 * HOUR_SEC, bucket: 60, bucketMin: BUCKET_SEC_MIN },
  '1d': { seconds: DAY_SEC, bucket: 300, bucketMin: BUCKET_SEC_MIN },
  '1w': { seconds: 7 * DAY_SEC, bucket: 1_800, bucketMin: 300 },
  '1m': { seconds: 30 * DAY_SEC, bucket: 10_800, bucketMin: 600 },
  all: { seconds: Number.POSITIVE_INFINITY, bucket: 43_200, bucketMin: 600 },
  max: { seconds: Number.POSITIVE_INFINITY, bucket: 43_200, bucketMin: 600 },
}

/** The price of a token at the start of each bucket, or at one moment. */
export const pricesHistory: Route = ({ universe }, query) =>
  pageOfList(RULE, query, (bound) => {
    const token = universe.catalogue.token(readTokenId(bound))
    const keys = ['interval', 'start', 'as_of'].filter((key) => bound.has(key))
    if (keys.length !== 1) {
      throw new BadRequest("exactly one of 'interval', 'start', 'as_of' is required")
    }
    if (bound.has('end') && keys[0] !== 'start') throw new BadRequest("'end' needs 'start'")
    if (keys[0] === 'as_of') {
      const sec = readSecond(bound, 'as_of')
      return token === undefined ? [] : priceAt(universe, token, sec)
    }
    const span = keys[0] === 'start' ? readStartSpan(universe, bound) : readIntervalSpan(universe, bound)
    return token === undefined ? [] : pricesOf(universe, token, span)
  })

function readTokenId(query: URLSearchParams): string {
  const id = query.get('token_id')
  if (id === null || !/^\d+$/.test(id)) throw new BadRequest("invalid query param 'token_id'")
  return id
}

function readSecond(query: URLSearchParams, key: string): number {
  const sec = readInt(query, key)
  if (sec === undefined || !(sec > 0)) throw new BadRequest(`invalid query param '${key}'`)
  return sec
}

/** The end is no longer part of it. */
type HistorySpan = { startSec: number; endSec: number; bucketSec: number }

function readIntervalSpan(universe: Universe, query: URLSearchParams): HistorySpan {
  const nowSec = Math.floor(universe.nowMs / 1000)
  const name = readChoice(query, 'interval', ['1d', '1h', '6h', '1w', '1m', 'all', 'max'])
  const { seconds, bucket, bucketMin } = INTERVALS[name]
  const bucketSec = readBucket(query, bucket, bucketMin)
  return { startSec: nowSec - seconds, endSec: nowSec + 1, bucketSec }
}

function readStartSpan(universe: Universe, query: URLSearchParams): HistorySpan {
  const startSec = readSecond(query, 'start')
  const endSec = query.has('end') ? readSecond(query, 'end') : Math.floor(universe.nowMs / 1000) + 1
  if (endSec < startSec || endSec - startSec > SPAN_SEC_MAX) {
    throw new BadRequest("'start' and 'end' must be at most 15 days apart")
  }
  return { startSec, endSec, bucketSec: readBucket(query, BUCKET_SEC_MIN, BUCKET_SEC_MIN) }
}

function readBucket(query: URLSearchParams, usual: number, min: number): number {
  const bucketSec = readInt(query, 'bucket_seconds') ?? usual
  if (bucketSec >= min && bucketSec <= BUCKET_SEC_MAX) return bucketSec
  throw new BadRequest("invalid query param 'bucket_seconds'")
}

function priceAt(universe: Universe, token: Token, sec: number): Rows {
  const isThere = sec * 1000 >= token.of.createdMs && sec * 1000 <= universe.nowMs
  return isThere ? [pointAt(universe, token, sec, 0)] : []
}

function pricesOf(universe: Universe, token: Token, span: HistorySpan): Rows {
  const { createdMs, resolvesMs } = token.of
  const { bucketSec } = span
  const endSec = Math.min(span.endSec, resolvesMs / 1000 + 1, universe.nowMs / 1000)
  const startSec = Math.ceil(Math.max(span.startSec, createdMs / 1000) / bucketSec) * bucketSec
  const length = Math.max(0, Math.ceil((endSec - startSec) / bucketSec))
  return {
    length,
    slice: (from, to) =>
      Array.from({ length: Math.max(0, Math.min(to, length) - from) }, (_, index) =>
        pointAt(universe, token, startSec + (from + index) * bucketSec, bucketSec),
      ),
  }
}

/** A resolution of 0 seconds: the price of that very second. */
const pointAt = (universe: Universe, token: Token, timestamp: number, resolution: number) => ({
  timestamp,
  price: new Marks(universe, timestamp * 1000).of(token),
  resolution_seconds: resolution,
})
