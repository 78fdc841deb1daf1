import { readInt } from '../server/query.js'
import type { Token } from '../universe/market.js'
import type { Universe } from '../universe/universe.js'
import type { Route } from './context.js'
import { Marks } from './marks.js'
import { BadRequest, readOptionalChoice } from './query.js'
import { pageOfList, type Rows } from './v2-page.js'

const RULE = { list: 'prices-history', usual: 10_000, max: 10_000 }
const HOUR_SEC = 3_600
const DAY_SEC = 24 * HOUR_SEC
const BUCKET_SEC = 60

/** How far back an interval goes, and how wide its buckets usually are. */
const INTERVALS = {
  '1h': { seconds: HOUR_SEC, bucket: 60 },
  '6h': { seconds: 6 * HOUR_SEC, bucket: 60 },
  '1d': { seconds: DAY_SEC, bucket: 300 },
  '1w': { seconds: 7 * DAY_SEC, bucket: 1_800 },
  '1m': { seconds: 30 * DAY_SEC, bucket: 10_800 },
  all: { seconds: Number.POSITIVE_INFINITY, bucket: 43_200 },
  max: { seconds: Number.POSITIVE_INFINITY, bucket: 43_200 },
}

/** The price of a token at the start of each bucket. */
export const pricesHistory: Route = ({ universe }, query) =>
  pageOfList(RULE, query, (bound) => {
    const token = universe.catalogue.token(readTokenId(bound))
    const span = readHistorySpan(universe, bound)
    return token === undefined ? [] : pricesOf(universe, token, span)
  })

function readTokenId(query: URLSearchParams): string {
  const id = query.get('token_id')
  if (id === null || !/^\d+$/.test(id)) throw new BadRequest("invalid query param 'token_id'")
  return id
}

type HistorySpan = { startSec: number; endSec: number; bucketSec: number }

/** The end is no longer part of it, and makes no sense without a start. */
function readHistorySpan(universe: Universe, query: URLSearchParams): HistorySpan {
  const nowSec = Math.floor(universe.nowMs / 1000)
  const start = readInt(query, 'start')
  const end = readInt(query, 'end')
  const interval = readOptionalChoice(query, 'interval', [
    '1d',
    '1h',
    '6h',
    '1w',
    '1m',
    'all',
    'max',
  ])
  if (interval !== undefined && start !== undefined) {
    throw new BadRequest("'interval' and 'start' are mutually exclusive")
  }
  if (end !== undefined && start === undefined) throw new BadRequest("'end' needs 'start'")
  if (Number.isNaN(start) || Number.isNaN(end)) throw new BadRequest("invalid query param 'start'")
  const { seconds, bucket } = INTERVALS[interval ?? '1d']
  const bucketSec = readInt(query, 'bucket_seconds') ?? (start === undefined ? bucket : BUCKET_SEC)
  if (!(bucketSec > 0)) throw new BadRequest("invalid query param 'bucket_seconds'")
  return { startSec: start ?? nowSec - seconds, endSec: end ?? nowSec + 1, bucketSec }
}

function pricesOf(universe: Universe, token: Token, span: HistorySpan): Rows {
  const { createdMs, resolvesMs } = token.of
  const { bucketSec } = span
  const endSec = Math.min(span.endSec, resolvesMs / 1000 + 1, universe.nowMs / 1000)
  const startSec = Math.ceil(Math.max(span.startSec, createdMs / 1000) / bucketSec) * bucketSec
  const length = Math.max(0, Math.ceil((endSec - startSec) / bucketSec))
  const pointAt = (index: number) => {
    const timestamp = startSec + index * bucketSec
    return { timestamp, price: new Marks(universe, timestamp * 1000).of(token) }
  }
  return {
    length,
    slice: (from, to) =>
      Array.from({ length: Math.max(0, Math.min(to, length) - from) }, (_, index) =>
        pointAt(from + index),
      ),
  }
}
