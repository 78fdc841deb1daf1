import { type ConnectorOptions, HttpUpstream } from '../transport/http.js'
import {
  arrayOf,
  parseFields,
  parseInteger,
  parseNumber,
  parseString,
} from '../transport/parse-json.js'

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

  /** The best wallets of the day, best first; at most 50. */
  listLeaderboard(limit: number, signal?: AbortSignal): Promise<DataLeader[]> {
    const parse = arrayOf(parseLeader)
    return this.#http.get('/v1/leaderboard', { limit }, { parse, signal })
  }
}

type DataLeader = ReturnType<typeof parseLeader>

function parseLeader(value: unknown, path: string) {
  const fields = parseFields(value, path)
  return {
    rank: fields.required('rank', parseInteger),
    proxyWallet: fields.required('proxyWallet', parseString),
    vol: fields.required('vol', parseNumber),
    pnl: fields.required('pnl', parseNumber),
  }
}
