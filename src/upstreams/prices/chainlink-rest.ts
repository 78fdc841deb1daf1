import type { ConnectorOptions } from '../transport/http.js'
import { HttpUpstream } from '../transport/http.js'
import { PAGE_REPORTS } from './chainlink-backfill.js'
import { type ChainlinkFeed, readFeeds } from './chainlink-feeds.js'
import { readReportPage } from './chainlink-parse.js'
import { type ChainlinkCredentials, signRequest } from './chainlink-sign.js'
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
    return this.#http.get('/api/v1/feeds', {}, { parse: readFeeds, signal })
  }

  /** The reports of a feed from that second on, oldest first: a page of them. Empty: there are no more. */
  readPage(feed: ChainlinkFeed, fromSec: number, signal: AbortSignal): Promise<PriceTick[]> {
    const query = { feedID: feed.id, startTimestamp: fromSec, limit: PAGE_REPORTS }
    const feeds = new Map([[feed.id, feed]])
    const parse = (body: unknown, path: string) => readReportPage(body, path, feeds, this.#now())
    return this.#http.get('/api/v1/reports/page', query, { parse, signal })
  }

  close(): Promise<void> {
    return this.#http.close()
  }
}
