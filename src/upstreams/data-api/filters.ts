import { type Query, toCommaList } from '../transport/url.js'
import type { DataSide } from './parse.js'

/** Condition ids or event ids, never both. */
type Markets = {
  conditionIds?: readonly string[] | undefined
  eventIds?: readonly string[] | undefined
}

type SortDirection = 'ASC' | 'DESC'

export type ClosedPositionFilter = Markets & {
  user: string
  title?: string | undefined
  sortBy: 'REALIZEDPNL' | 'TITLE' | 'PRICE' | 'AVGPRICE' | 'TIMESTAMP'
  sortDirection?: SortDirection | undefined
}

export type PositionFilter = Markets & {
  user: string
  title?: string | undefined
  sizeThreshold?: number | undefined
  redeemable?: boolean | undefined
  mergeable?: boolean | undefined
  includeArchived?: boolean | undefined
  sortBy?: string | undefined
  sortDirection?: SortDirection | undefined
}

export type TradeFilter = Markets & {
  user?: string | undefined
  side?: DataSide | undefined
  /** One row for each order of a taker; `false` adds a row for each maker order that it met. */
  takerOnly: boolean
  amountMin?: { of: 'CASH' | 'TOKENS'; amount: number } | undefined
} & Period &
  Freshness

export type ActivityFilter = Markets & {
  user: string
  types?: readonly string[] | undefined
  side?: DataSide | undefined
  excludeDepositsWithdrawals?: boolean | undefined
  sortBy?: 'TIMESTAMP' | 'TOKENS' | 'CASH' | undefined
  sortDirection?: SortDirection | undefined
} & Period &
  Freshness

/** Answers are cached by URL, trades for five minutes: `fresh` asks past the cache. */
export type Freshness = { fresh?: boolean | undefined }

/** Both ends included. */
type Period = { startSec?: number | undefined; endSec?: number | undefined }

export type LeaderboardFilter = {
  category?: string | undefined
  timePeriod?: 'DAY' | 'WEEK' | 'MONTH' | 'ALL' | undefined
  orderBy?: 'PNL' | 'VOL' | undefined
  user?: string | undefined
  userName?: string | undefined
}

export type PositionV2Filter = {
  user?: string | undefined
  conditionIds?: readonly string[] | undefined
  status?: 'OPEN' | 'REDEEMABLE' | 'REDEEMABLE_LOST' | 'MERGEABLE' | 'CLOSED' | undefined
  sortBy?: string | undefined
  sortDirection?: SortDirection | undefined
} & Period

export type TradeV2Filter = {
  /** One address only: a list of them finds nothing. */
  user?: string | undefined
  conditionIds?: readonly string[] | undefined
  eventId?: string | undefined
  side?: DataSide | undefined
  takerOnly: boolean
} & Period

/** Which rows of a list. */
export type DataSlice = { limit?: number | undefined; offset?: number | undefined }

export const toClosedPositionQuery = (filter: ClosedPositionFilter): Query => ({
  user: filter.user,
  ...toMarketsQuery(filter),
  title: filter.title,
  sortBy: filter.sortBy,
  sortDirection: filter.sortDirection,
})

export const toPositionQuery = (filter: PositionFilter): Query => ({
  user: filter.user,
  ...toMarketsQuery(filter),
  title: filter.title,
  sizeThreshold: filter.sizeThreshold,
  redeemable: filter.redeemable,
  mergeable: filter.mergeable,
  includeArchived: filter.includeArchived,
  sortBy: filter.sortBy,
  sortDirection: filter.sortDirection,
})

export const toTradeQuery = (filter: TradeFilter): Query => ({
  user: filter.user,
  ...toMarketsQuery(filter),
  side: filter.side,
  takerOnly: filter.takerOnly,
  filterType: filter.amountMin?.of,
  filterAmount: filter.amountMin?.amount,
  start: filter.startSec,
  end: filter.endSec,
})

export const toActivityQuery = (filter: ActivityFilter): Query => ({
  user: filter.user,
  ...toMarketsQuery(filter),
  type: toCommaList(filter.types),
  side: filter.side,
  excludeDepositsWithdrawals: filter.excludeDepositsWithdrawals,
  sortBy: filter.sortBy,
  sortDirection: filter.sortDirection,
  start: filter.startSec,
  end: filter.endSec,
})

export const toLeaderboardQuery = (filter: LeaderboardFilter): Query => ({
  category: filter.category,
  timePeriod: filter.timePeriod,
  orderBy: filter.orderBy,
  user: filter.user,
  userName: filter.userName,
})

export const toPositionV2Query = (filter: PositionV2Filter): Query => ({
  user: filter.user,
  condition: toCommaList(filter.conditionIds),
  status: filter.status,
  sort_by: filter.sortBy,
  sort_direction: filter.sortDirection,
  start: filter.startSec,
  end: filter.endSec,
})

export const toTradeV2Query = (filter: TradeV2Filter): Query => ({
  user: filter.user,
  condition: toCommaList(filter.conditionIds),
  event_id: filter.eventId,
  side: filter.side,
  taker_only: filter.takerOnly,
  start: filter.startSec,
  end: filter.endSec,
})

const toMarketsQuery = ({ conditionIds, eventIds }: Markets): Query => ({
  market: toCommaList(conditionIds),
  eventId: toCommaList(eventIds),
})
