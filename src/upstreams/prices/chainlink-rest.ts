import { createHash, createHmac } from 'node:crypto'
import { type ConnectorOptions, HttpUpstream } from '../transport/http.js'
import { PAGE_REPORTS } from './chainlink-backfill.js'
import { type ChainlinkFeed, parseFeeds } from './chainlink-feeds.js'
import { parseReportPage } from './chainlink-parse.js'
import type { PriceTick } from './source.js'

export type ChainlinkAccess = {
  credentials: ChainlinkCredentials
  /** What the host allows. */
  callsPerSecond: number
}

/** The REST side of Chainlink Data Streams: which feeds there are, and their reports of the past. */
export class ChainlinkRest {
  readonly #http: HttpUpstream
  readonly #now: () => number

  constructor(options: ConnectorOptions & ChainlinkAccess) {
    const { credentials, callsPerSecond, ...rest } = options
    const basePath = new URL(options.url).pathname.replace(/\/$/, '')
    this.#now = () => options.clock.now()
    this.#http = new HttpUpstream({
      ...rest,
      name: 'chainlink',
      limits: [{ paths: /./, calls: callsPerSecond, windowMs: 1_000 }],
      sign: ({ method, target, body }) =>
        signRequest(credentials, { method, target: basePath + target, body }, this.#now()),
    })
  }

  readFeeds(signal: AbortSignal): Promise<ChainlinkFeed[]> {
    return this.#http.get('/api/v1/feeds', {}, { parse: parseFeeds, signal })
  }

  /** The reports of a feed from that second on, oldest first: a page of them. Empty: there are no more. */
  readPage(feed: ChainlinkFeed, fromSec: number, signal: AbortSignal): Promise<PriceTick[]> {
    const query = { feedID: feed.id, startTimestamp: fromSec, limit: PAGE_REPORTS }
    const feeds = new Map([[feed.id, feed]])
    const parse = (body: unknown, path: string) => parseReportPage(body, path, feeds, this.#now())
    return this.#http.get('/api/v1/reports/page', query, { parse, signal })
  }

  close(): Promise<void> {
    return this.#http.close()
  }
}

export type ChainlinkCredentials = { apiKey: string; secret: string }

export type SignedRequest = {
  method: string
  /** Path and query, from the root of the host. */
  target: string
  body?: string | undefined
}

/** The headers of a request or a handshake. Valid for five seconds around that time. */
export function signRequest(
  { apiKey, secret }: ChainlinkCredentials,
  { method, target, body = '' }: SignedRequest,
  nowMs: number,
): Record<string, string> {
  const bodyHash = createHash('sha256').update(body).digest('hex')
  const signature = createHmac('sha256', secret)
    .update(`${method} ${target} ${bodyHash} ${apiKey} ${nowMs}`)
    .digest('hex')
  return {
    Authorization: apiKey,
    'X-Authorization-Timestamp': String(nowMs),
    'X-Authorization-Signature-SHA256': signature,
  }
}
