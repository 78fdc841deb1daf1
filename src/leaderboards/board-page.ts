import type { Page } from '../core/page.js'
import { withinRanks } from '../lookups/board.js'
import type { Sql } from '../store/connection.js'
import type { ResolvedFilter } from './board-filter.js'
import {
  type AllTimeColumn,
  type AllTimeRow,
  type RollingRow,
  selectAllTimeBoard,
  selectMarketBoard,
  selectRollingBoard,
} from './queries.js'
import { ALL_TIME_RANK_MAX, PERIOD_DAYS, ROLLING_RANK_MAX, type RollingPeriod } from './schemas.js'

export type BoardPeriod = 'all' | RollingPeriod

/** What a page of a leaderboard is selected by. */
export type LeaderboardScope = ResolvedFilter & {
  until: number
  asOfSec: number
  period: BoardPeriod
  column: AllTimeColumn
  /** The value of the parameter that stands for the column. */
  sort: string
  /** It ends at ALL_TIME_RANK_MAX. */
  isCapped: boolean
}

export async function selectAllTimePage(
  sql: Sql,
  { population, column, isCapped }: LeaderboardScope,
  page: Page,
): Promise<AllTimeRow[]> {
  if (population === undefined) return []
  const within = isCapped ? withinRanks(page, ALL_TIME_RANK_MAX) : page
  return 'scope' in population
    ? await selectAllTimeBoard(sql, { scope: population.scope, column }, within)
    : await selectMarketBoard(sql, { tokens: population.tokens, column }, within)
}

export async function selectRollingPage(
  sql: Sql,
  { population, period }: LeaderboardScope,
  page: Page,
): Promise<RollingRow[]> {
  if (population === undefined || !('scope' in population) || period === 'all') return []
  const board = { scope: population.scope, days: PERIOD_DAYS[period] }
  return await selectRollingBoard(sql, board, withinRanks(page, ROLLING_RANK_MAX))
}
