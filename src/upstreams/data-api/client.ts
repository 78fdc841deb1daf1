import type { Clock } from '../../core/clock.js'
import type { ConnectorOptions } from '../transport/http.js'
import { HttpUpstream } from '../transport/http.js'
import { followCursor, followOffset, inBatches } from '../transport/paging.js'
import { arrayOf } from '../transport/parse-json.js'
import type { PathLimit } from '../transport/rate-limit.js'
import type { Query } from '../transport/url.js'
import {
  type ActivityFilter,
  type ClosedPositionFilter,
  type DataSlice,
  type Freshness,
  type LeaderboardFilter,
  type PositionFilter,
  type PositionV2Filter,
  type TradeFilter,
  type TradeV2Filter,
  toPositionV2Query,
  toTradeV2Query,
} from './filters.js'
import {
  activity,
  closedPositions,
  type DataList,
  leaderboard,
  positions,
  trades,
} from './lists.js'
import {
  type DataActivity,
  type DataClosedPosition,
  type DataLeader,
  type DataPosition,
  type DataPositionV2,
  type DataTokenHolders,
  type DataTrade,
  parsePageV2,
  parsePositionV2,
  parseTokenHolders,
  parseTradeV2,
  parseValue,
} from './parse.js'

const windowMs = 10_000

/** What the Data API publishes, per address. */
const DATA_API_LIMITS: readonly PathLimit[] = [
  { paths: /^/, calls: 1_000, windowMs },
  { paths: /^\/trades$/, calls: 200, windowMs },
  { paths: /^\/v2\/trades$/, calls: 300, windowMs },
  { paths: /^(\/v2)?\/positions$/, calls: 150, windowMs },
  { paths: /^\/closed-positions$/, calls: 150, windowMs },
]

const HOLDERS_PER_TOKEN = 20
const CONDITIONS_PER_CALL = 50
const V2_ROWS_PER_PAGE = 500

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
    filter: ClosedPositionFilter & DataSlice,
    signal?: AbortSignal,
  ): Promise<DataClosedPosition[]> {
    return this.#list(closedPositions, filter, signal)
  }

  eachClosedPosition(
    filter: ClosedPositionFilter,
    signal?: AbortSignal,
  ): AsyncGenerator<DataClosedPosition> {
    return this.#each(closedPositions, filter, signal)
  }

  listPositions(filter: PositionFilter & DataSlice, signal?: AbortSignal): Promise<DataPosition[]> {
    return this.#list(positions, filter, signal)
  }

  eachPosition(filter: PositionFilter, signal?: AbortSignal): AsyncGenerator<DataPosition> {
    return this.#each(positions, filter, signal)
  }

  /** Newest first, here and in every list of trades. */
  listTrades(filter: TradeFilter & DataSlice, signal?: AbortSignal): Promise<DataTrade[]> {
    return this.#list(trades, filter, signal)
  }

  eachTrade(filter: TradeFilter, signal?: AbortSignal): AsyncGenerator<DataTrade> {
    return this.#each(trades, filter, signal)
  }

  listActivity(filter: ActivityFilter & DataSlice, signal?: AbortSignal): Promise<DataActivity[]> {
    return this.#list(activity, filter, signal)
  }

  eachActivity(filter: ActivityFilter, signal?: AbortSignal): AsyncGenerator<DataActivity> {
    return this.#each(activity, filter, signal)
  }

  listLeaderboard(
    filter: LeaderboardFilter & DataSlice,
    signal?: AbortSignal,
  ): Promise<DataLeader[]> {
    return this.#list(leaderboard, filter, signal)
  }

  eachLeader(filter: LeaderboardFilter, signal?: AbortSignal): AsyncGenerator<DataLeader> {
    return this.#each(leaderboard, filter, signal)
  }

  /** The twenty largest holders of each token of these conditions. */
  async listHolders(
    conditionIds: Iterable<string>,
    signal?: AbortSignal,
  ): Promise<DataTokenHolders[]> {
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

  eachPositionV2(filter: PositionV2Filter, signal?: AbortSignal): AsyncGenerator<DataPositionV2> {
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
    { path, toQuery, parseRow }: DataList<Filter, Row>,
    filter: Filter & DataSlice & Freshness,
    signal?: AbortSignal,
  ): Promise<Row[]> {
    const { limit, offset, fresh = false } = filter
    const query: Query = { ...toQuery(filter), limit, offset, ...(fresh && this.#nowQuery()) }
    return this.#http.get(path, query, { parse: arrayOf(parseRow), signal })
  }

  #each<Filter, Row>(
    list: DataList<Filter, Row>,
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
