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
  ACTIVITY_PAGES,
  CLOSED_POSITION_PAGES,
  LEADERBOARD_PAGES,
  POSITION_PAGES,
  TRADE_PAGES,
} from './limits.js'
import type { Activity, ClosedPosition, DataTrade, LeaderboardEntry, Position } from './messages.js'
import {
  parseActivity,
  parseClosedPosition,
  parseLeaderboardEntry,
  parsePosition,
  parseTrade,
} from './parse.js'

/** A list of v1, which is a bare array of rows. */
export type List<Filter, Row> = {
  path: string
  pages: OffsetLimit
  toQuery: (filter: Filter) => Query
  parseRow: (value: unknown, path: string) => Row
}

export const closedPositions: List<ClosedPositionFilter, ClosedPosition> = {
  path: '/closed-positions',
  pages: CLOSED_POSITION_PAGES,
  toQuery: toClosedPositionQuery,
  parseRow: parseClosedPosition,
}

export const positions: List<PositionFilter, Position> = {
  path: '/positions',
  pages: POSITION_PAGES,
  toQuery: toPositionQuery,
  parseRow: parsePosition,
}

export const trades: List<TradeFilter, DataTrade> = {
  path: '/trades',
  pages: TRADE_PAGES,
  toQuery: toTradeQuery,
  parseRow: parseTrade,
}

export const activity: List<ActivityFilter, Activity> = {
  path: '/activity',
  pages: ACTIVITY_PAGES,
  toQuery: toActivityQuery,
  parseRow: parseActivity,
}

export const leaderboard: List<LeaderboardFilter, LeaderboardEntry> = {
  path: '/v1/leaderboard',
  pages: LEADERBOARD_PAGES,
  toQuery: toLeaderboardQuery,
  parseRow: parseLeaderboardEntry,
}
