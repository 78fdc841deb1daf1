import { type ConnectorOptions, HttpUpstream } from '../transport/http.js'
import { eachCursorPage } from '../transport/paging.js'
import {
  type DataBuilder,
  type DataLeader,
  dataPageOf,
  parseBuilder,
  parseLeader,
} from './parse.js'

/** How many rows a page of the board of builders may have. */
const BUILDERS_PER_PAGE = 1_000

/**
 * The Data API: what wallets did and hold, as the platform counts it. The ledger answers all of that
 * itself, so only two boards are read: that of builders, which alone has their names, and that of
 * wallets, to see whether the Data API answers.
 */
export class DataApiClient {
  readonly #http: HttpUpstream

  constructor(options: ConnectorOptions) {
    // What it publishes, per address.
    const limits = [{ paths: /^/, calls: 1_000, windowMs: 10_000 }]
    this.#http = new HttpUpstream({ ...options, name: 'data_api', limits })
  }

  close(): Promise<void> {
    return this.#http.close()
  }

  /** The best wallets of the day, best first; at most 1,000. */
  async listLeaderboard(limit: number, signal?: AbortSignal): Promise<DataLeader[]> {
    const parse = dataPageOf(parseLeader)
    const query = { limit, time_period: 'day', sort_by: 'PNL' }
    const { items } = await this.#http.get('/v2/leaderboard', query, { parse, signal })
    return items
  }

  /** Every builder, the largest of all time first. */
  async listBuilders(signal?: AbortSignal): Promise<DataBuilder[]> {
    const parse = dataPageOf(parseBuilder)
    const fetchPage = (cursor: string | undefined) => {
      const query = { time_period: 'all', limit: BUILDERS_PER_PAGE, cursor }
      return this.#http.get('/v2/builders/leaderboard', query, { parse, signal })
    }
    const builders: DataBuilder[] = []
    for await (const { items } of eachCursorPage('data_api', undefined, fetchPage))
      builders.push(...items)
    return builders
  }
}
