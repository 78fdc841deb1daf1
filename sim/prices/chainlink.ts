import { Audience } from '../server/audience.js'
import type { HostParts, HttpReply, HttpRequest, Peer } from '../server/handlers.js'
import { readInt, readList } from '../server/query.js'
import type { Universe } from '../universe/universe.js'
import { type ChainlinkCredentials, checkSignature } from './chainlink-auth.js'
import { CHAINLINK_FEEDS, type Feed } from './chainlink-feeds.js'
import { type Report, reportOf } from './chainlink-report.js'

const ORIGINS = ['001', '002']
const PAGE_REPORTS_MAX = 100
const SOCKET_PATH = '/api/v1/ws'

type ChainlinkOptions = {
  /** The clock that signatures are checked against: clients sign with the real time. */
  now?: (() => number) | undefined
  /** The second of the oldest report; absent: there is one of every second. */
  firstSec?: number
}

type Bounds = { firstSec: number; nowSec: number }

type Follower = { peer: Peer; feeds: readonly Feed[] }

/** Chainlink Data Streams: signed reports of the oracle's prices, one per second and feed. */
export function createChainlinkHost(
  universe: Universe,
  credentials: ChainlinkCredentials,
  options: ChainlinkOptions = {},
): HostParts {
  const { now = Date.now, firstSec = 1 } = options
  const publish = (atMs: number) => {
    const texts = new Map<Feed, string>()
    for (const { peer, feeds } of followers) {
      for (const feed of feeds) {
        const text = texts.get(feed) ?? showReport(universe, feed, Math.floor(atMs / 1000))
        texts.set(feed, text)
        peer.send(text)
      }
    }
  }
  const followers = new Audience<Follower>(() => [universe.on('second', publish)])

  return {
    http: (request) => checkSignature(request, credentials, now()) ?? answer(universe, request, firstSec),
    refuse: (request) => checkSignature(request, credentials, now()) ?? refuseSocket(request),
    connect(peer) {
      followers.add({ peer, feeds: readFeeds(peer.request.query) ?? [] }, peer)
    },
  }
}

function answer(universe: Universe, request: HttpRequest, firstSec: number): HttpReply {
  const { method, path, query } = request
  const nowSec = Math.floor(universe.nowMs / 1000)
  const bounds = { firstSec, nowSec }
  switch (path) {
    case '/':
      return method === 'HEAD'
        ? { status: 200, body: '', headers: { 'x-cll-available-origins': `{${ORIGINS}}` } }
        : notFound
    case '/api/v1/feeds':
      return ok({ feeds: CHAINLINK_FEEDS.map(showFeed) })
    case '/api/v1/reports/latest':
      return one(universe, query, nowSec)
    case '/api/v1/reports':
      return one(universe, query, readSecond(query, 'timestamp', bounds))
    case '/api/v1/reports/bulk':
      return bulk(universe, query, readSecond(query, 'timestamp', bounds))
    case '/api/v1/reports/page':
      return page(universe, query, bounds)
    default:
      return notFound
  }
}

function one(universe: Universe, query: URLSearchParams, sec: number | undefined): HttpReply {
  const feed = findFeed(query.get('feedID'))
  if (feed === undefined) return badRequest('feedID is missing or unknown')
  if (sec === undefined) return badRequest('no report at this timestamp')
  return ok({ report: reportOf(universe, feed, sec) })
}

function bulk(universe: Universe, query: URLSearchParams, sec: number | undefined): HttpReply {
  const feeds = readFeeds(query)
  if (feeds === undefined) return badRequest('feedIDs are missing or unknown')
  if (sec === undefined) return badRequest('no reports at this timestamp')
  // The real host promises no order. Reversed, so that a client which relies on the order of its request fails here.
  return ok({ reports: feeds.map((feed) => reportOf(universe, feed, sec)).reverse() })
}

/** One that would begin before the oldest report begins with it. */
function page(universe: Universe, query: URLSearchParams, { firstSec, nowSec }: Bounds): HttpReply {
  const feed = findFeed(query.get('feedID'))
  const limit = readInt(query, 'limit') ?? PAGE_REPORTS_MAX
  const startSec = readSecond(query, 'startTimestamp', { firstSec: 1, nowSec })
  if (feed === undefined) return badRequest('feedID is missing or unknown')
  if (startSec === undefined) return badRequest('startTimestamp is missing or in the future')
  if (!(limit > 0)) return badRequest('limit must be positive')
  const fromSec = Math.max(startSec, firstSec)
  const untilSec = Math.min(nowSec + 1, fromSec + Math.min(limit, PAGE_REPORTS_MAX))
  const reports: Report[] = []
  for (let sec = fromSec; sec < untilSec; sec++) reports.push(reportOf(universe, feed, sec))
  return ok({ reports })
}

function refuseSocket({ path, query, headers }: HttpRequest): HttpReply | undefined {
  if (path !== SOCKET_PATH) return notFound
  const origin = headers['x-cll-origin']
  if (origin !== undefined && !ORIGINS.includes(String(origin))) return badRequest('unknown origin')
  return readFeeds(query) === undefined ? badRequest('feedIDs are missing or unknown') : undefined
}

const ok = (body: object): HttpReply => ({ status: 200, body })
const badRequest = (error: string): HttpReply => ({ status: 400, body: { error } })
const notFound: HttpReply = { status: 404, body: { error: 'not found' } }

const showFeed = ({ feedID, name, decimals, asset, quoteAsset }: Feed) => ({
  feedID,
  name,
  decimals,
  asset,
  quoteAsset,
})

const showReport = (universe: Universe, feed: Feed, sec: number): string =>
  JSON.stringify({ report: reportOf(universe, feed, sec) })

const findFeed = (id: string | null): Feed | undefined =>
  CHAINLINK_FEEDS.find(({ feedID }) => feedID === id?.toLowerCase())

/** `undefined`: there are none, or one of them does not exist. */
function readFeeds(query: URLSearchParams): Feed[] | undefined {
  const feeds = readList(query, 'feedIDs').map(findFeed)
  const isGood = feeds.length > 0 && feeds.every((feed) => feed !== undefined)
  return isGood ? [...new Set(feeds)] : undefined
}

/** `undefined`: not a second that has passed since the oldest report. */
function readSecond(query: URLSearchParams, key: string, { firstSec, nowSec }: Bounds): number | undefined {
  const sec = readInt(query, key)
  return sec !== undefined && sec >= firstSec && sec <= nowSec ? sec : undefined
}
