import type { OffsetLimit } from '../transport/paging.js'
import type { Query } from '../transport/url.js'
import {
  type ActivityFilter,
  type ClosedPositionFilter,
  type LeaderboardFilter,
  type PositionFilter,
  type TradeFilter,
  toActivityQuery,
  toClosedPositionQuery,
  toLeaderboardQuery,
  toPositionQuery,
  toTradeQuery,
} from './filters.js'
import {
  type DataActivity,
  type DataClosedPosition,
  type DataLeader,
  type DataPosition,
  type DataTrade,
  parseActivity,
  parseClosedPosition,
  parseLeaderboardEntry,
  parsePosition,
  parseTrade,
} from './parse.js'

/** A list of v1, which is a bare array of rows. */
export type DataList<Filter, Row> = {
  path: string
  pages: OffsetLimit
  toQuery: (filter: Filter) => Query
  parseRow: (value: unknown, path: string) => Row
}

export const closedPositions: DataList<ClosedPositionFilter, DataClosedPosition> = {
  path: '/closed-positions',
  pages: { rows: 50, offsetMax: 100_000 },
  toQuery: toClosedPositionQuery,
  parseRow: parseClosedPosition,
}

export const positions: DataList<PositionFilter, DataPosition> = {
  path: '/positions',
  pages: { rows: 500, offsetMax: 10_000 },
  toQuery: toPositionQuery,
  parseRow: parsePosition,
}

export const trades: DataList<TradeFilter, DataTrade> = {
  path: '/trades',
  pages: { rows: 1_000, offsetMax: 10_000 },
  toQuery: toTradeQuery,
  parseRow: parseTrade,
}

export const activity: DataList<ActivityFilter, DataActivity> = {
  path: '/activity',
  pages: { rows: 500, offsetMax: 10_000 },
  toQuery: toActivityQuery,
  parseRow: parseActivity,
}

export const leaderboard: DataList<LeaderboardFilter, DataLeader> = {
  path: '/v1/leaderboard',
  pages: { rows: 50, offsetMax: 1_000 },
  toQuery: toLeaderboardQuery,
  parseRow: parseLeaderboardEntry,
}
