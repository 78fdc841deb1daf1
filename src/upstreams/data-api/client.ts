import { type ConnectorOptions, HttpUpstream } from '../transport/http.js'
import { type DataLeader, dataPageOf, parseLeader } from './parse.js'

/**
 * The Data API: what wallets did and hold, as the platform counts it. The ledger answers all of that
 * itself, so only the leaderboard is read, to see whether the Data API answers.
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
  listLeaderboard(limit: number, signal?: AbortSignal): Promise<DataLeader[]> {
    const parse = dataPageOf(parseLeader)
    const query = { limit, time_period: 'day', sort_by: 'PNL' }
    return this.#http.get('/v2/leaderboard', query, { parse, signal })
  }
}
