import type { Clock } from '../../core/clock.js'
import type { ConnectorOptions } from '../transport/http.js'
import { HttpUpstream } from '../transport/http.js'
import { followCursor, followOffset, inBatches } from '../transport/paging.js'
import { arrayOf } from '../transport/parse-json.js'
import type { Query } from '../transport/url.js'
import {
  type ActivityFilter,
  type ClosedPositionFilter,
  type Freshness,
  type LeaderboardFilter,
  type PositionFilter,
  type PositionV2Filter,
  type Slice,
  type TradeFilter,
  type TradeV2Filter,
  toPositionV2Query,
  toTradeV2Query,
} from './filters.js'
import {
  CONDITIONS_PER_CALL,
  DATA_API_LIMITS,
  HOLDERS_PER_TOKEN,
  V2_ROWS_PER_PAGE,
} from './limits.js'
import { activity, closedPositions, type List, leaderboard, positions, trades } from './lists.js'
import type {
  Activity,
  ClosedPosition,
  DataTrade,
  LeaderboardEntry,
  Position,
  PositionV2,
  TokenHolders,
} from './messages.js'
import { parseTokenHolders, parseValue } from './parse.js'
import { parsePageV2, parsePositionV2, parseTradeV2 } from './parse-v2.js'

/**
 * The Data API: what wallets did and hold, as the platform counts it. `list…` is one page of v1.
 * `each…` reads page after page, up to the last offset that v1 answers: a row may come twice when
 * newer ones push it to the next page. The V2 generators have neither limit.
 */
export class DataApiClient {
  readonly #http: HttpUpstream
  readonly #clock: Clock

  constructor(options: ConnectorOptions) {
    this.#http = new HttpUpstream({ ...options, name: 'data_api', limits: DATA_API_LIMITS })
    this.#clock = options.clock
  }

  close(): Promise<void> {
    return this.#http.close()
  }

  listClosedPositions(
    filter: ClosedPositionFilter & Slice,
    signal?: AbortSignal,
  ): Promise<ClosedPosition[]> {
    return this.#list(closedPositions, filter, signal)
  }

  eachClosedPosition(
    filter: ClosedPositionFilter,
    signal?: AbortSignal,
  ): AsyncGenerator<ClosedPosition> {
    return this.#each(closedPositions, filter, signal)
  }

  listPositions(filter: PositionFilter & Slice, signal?: AbortSignal): Promise<Position[]> {
    return this.#list(positions, filter, signal)
  }

  eachPosition(filter: PositionFilter, signal?: AbortSignal): AsyncGenerator<Position> {
    return this.#each(positions, filter, signal)
  }

  /** Newest first, here and in every list of trades. */
  listTrades(filter: TradeFilter & Slice, signal?: AbortSignal): Promise<DataTrade[]> {
    return this.#list(trades, filter, signal)
  }

  eachTrade(filter: TradeFilter, signal?: AbortSignal): AsyncGenerator<DataTrade> {
    return this.#each(trades, filter, signal)
  }

  listActivity(filter: ActivityFilter & Slice, signal?: AbortSignal): Promise<Activity[]> {
    return this.#list(activity, filter, signal)
  }

  eachActivity(filter: ActivityFilter, signal?: AbortSignal): AsyncGenerator<Activity> {
    return this.#each(activity, filter, signal)
  }

  listLeaderboard(
    filter: LeaderboardFilter & Slice,
    signal?: AbortSignal,
  ): Promise<LeaderboardEntry[]> {
    return this.#list(leaderboard, filter, signal)
  }

  eachLeader(filter: LeaderboardFilter, signal?: AbortSignal): AsyncGenerator<LeaderboardEntry> {
    return this.#each(leaderboard, filter, signal)
  }

  /** The twenty largest holders of each token of these conditions. */
  async listHolders(conditionIds: Iterable<string>, signal?: AbortSignal): Promise<TokenHolders[]> {
    const parse = arrayOf(parseTokenHolders)
    const answers = await inBatches(new Set(conditionIds), CONDITIONS_PER_CALL, (batch) => {
      const query = { market: batch.join(','), limit: HOLDERS_PER_TOKEN }
      return this.#http.get('/holders', query, { parse, signal })
    })
    return answers.flat()
  }

  /** Dollars that the open positions of a wallet are worth. */
  getValue(user: string, signal?: AbortSignal): Promise<number> {
    return this.#http.get('/value', { user }, { parse: parseValue, signal })
  }

  eachPositionV2(filter: PositionV2Filter, signal?: AbortSignal): AsyncGenerator<PositionV2> {
    const parse = parsePageV2(parsePositionV2)
    const query = { ...toPositionV2Query(filter), limit: V2_ROWS_PER_PAGE }
    return followCursor('data_api', undefined, (cursor) =>
      this.#http.get('/v2/positions', { ...query, cursor }, { parse, signal }),
    )
  }

  eachTradeV2(filter: TradeV2Filter, signal?: AbortSignal): AsyncGenerator<DataTrade> {
    const parse = parsePageV2(parseTradeV2)
    const query = { ...toTradeV2Query(filter), limit: V2_ROWS_PER_PAGE }
    return followCursor('data_api', undefined, (cursor) =>
      this.#http.get('/v2/trades', { ...query, cursor }, { parse, signal }),
    )
  }

  #list<Filter, Row>(
    { path, toQuery, parseRow }: List<Filter, Row>,
    filter: Filter & Slice & Freshness,
    signal?: AbortSignal,
  ): Promise<Row[]> {
    const { limit, offset, fresh = false } = filter
    const query: Query = { ...toQuery(filter), limit, offset, ...(fresh && this.#nowQuery()) }
    return this.#http.get(path, query, { parse: arrayOf(parseRow), signal })
  }

  #each<Filter, Row>(
    list: List<Filter, Row>,
    filter: Filter,
    signal?: AbortSignal,
  ): AsyncGenerator<Row> {
    return followOffset(list.pages, (slice) => this.#list(list, { ...filter, ...slice }, signal))
  }

  // A parameter that the upstream ignores makes a new URL, once a second so that callers still share it.
  #nowQuery(): Query {
    return { _: Math.floor(this.#clock.now() / 1_000) }
  }
}
