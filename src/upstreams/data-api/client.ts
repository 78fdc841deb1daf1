import { type CallOptions, type ConnectorOptions, HttpUpstream } from '../transport/http.js'
import { eachCursorPage } from '../transport/paging.js'
import { arrayOf, type Parser } from '../transport/parse-json.js'
import type { Query } from '../transport/url.js'
import {
  type DataBuilder,
  type DataLeader,
  type DataPosition,
  type DataTrade,
  dataPageOf,
  parseBuilder,
  parseLeader,
  parsePosition,
  parseTrade,
} from './parse.js'

/** How many rows a page may have. */
const ROWS_PER_PAGE = 1_000

/** What it publishes, per address. */
const LIMITS = [
  { paths: /^/, calls: 1_000, windowMs: 10_000 },
  { paths: /^\/v2\/positions/, calls: 150, windowMs: 10_000 },
  { paths: /^\/v2\/trades/, calls: 200, windowMs: 10_000 },
]

/** Without it lists leave out positions and trades of less than a hundredth of a share. */
const OF_ANY_SIZE = { filter_type: 'TOKENS', filter_amount: 0 }

export type LeaderBoard = {
  timePeriod: 'DAY' | 'WEEK' | 'MONTH' | 'ALL'
  orderBy: 'PNL' | 'VOL'
  /** At most 50. */
  limit: number
}

/**
 * The Data API: what wallets did and hold, as the platform counts it. The ledger answers all of that
 * itself: the positions and trades of a wallet are read to compare them with the ledger. The boards of
 * builders and of traders alone have their names.
 */
export class DataApiClient {
  readonly #http: HttpUpstream

  constructor(options: ConnectorOptions) {
    this.#http = new HttpUpstream({ ...options, name: 'data_api', limits: LIMITS })
  }

  close(): Promise<void> {
    return this.#http.close()
  }

  /**
   * Pages of the positions of a wallet, those that changed first at the beginning. Open ones are also
   * those that wait for redemption, won or lost; closed ones were bought and are gone. Combos are not
   * among them.
   */
  eachPositions(
    wallet: string,
    status: 'OPEN' | 'CLOSED',
    signal?: AbortSignal,
  ): AsyncGenerator<DataPosition[]> {
    const query = { user: wallet, status, sort_by: 'TIMESTAMP', sort_direction: 'ASC', ...OF_ANY_SIZE }
    return this.#eachPage('/v2/positions', query, parsePosition, signal)
  }

  /**
   * Pages of the trades of a wallet, the newest first: one row for each of its orders in a match, with
   * the order's own token and side. Both ends of the time are included. Trades of combos are among them.
   */
  eachTrades(
    wallet: string,
    { fromSec, toSec }: { fromSec: number; toSec: number },
    signal?: AbortSignal,
  ): AsyncGenerator<DataTrade[]> {
    const query = { user: wallet, taker_only: false, start: Math.max(fromSec, 1), end: toSec, ...OF_ANY_SIZE }
    return this.#eachPage('/v2/trades', query, parseTrade, signal)
  }

  /** Every builder, the largest of all time first. */
  async listBuilders(signal?: AbortSignal): Promise<DataBuilder[]> {
    const query = { time_period: 'all' }
    const builders: DataBuilder[] = []
    const pages = this.#eachPage('/v2/builders/leaderboard', query, parseBuilder, signal)
    for await (const page of pages) builders.push(...page)
    return builders
  }

  /** The first traders of the platform's own board. */
  listLeaders(board: LeaderBoard, call: CallOptions = {}): Promise<DataLeader[]> {
    return this.#http.get('/v1/leaderboard', board, { ...call, parse: arrayOf(parseLeader) })
  }

  async *#eachPage<Row>(
    path: string,
    query: Query,
    parseRow: Parser<Row>,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<Row[]> {
    const parse = dataPageOf(parseRow)
    const fetchPage = (cursor: string | undefined) =>
      this.#http.get(path, { ...query, limit: ROWS_PER_PAGE, cursor }, { parse, signal })
    for await (const { items } of eachCursorPage('data_api', undefined, fetchPage)) yield items
  }
}
