import { Type } from 'typebox'
import { V3 } from '../accounts/access.js'
import { badRequest } from '../core/errors.js'
import type { Page } from '../core/page.js'
import { createView, defineList } from '../http/list.js'
import { oneOf, TimeBounds } from '../http/parameters.js'
import { requireBoard } from '../lookups/board.js'
import { selectSeqRange, type TimeRange } from '../lookups/seq-range.js'
import type { Sql } from '../store/connection.js'
import {
  type ComboBoardScope,
  type ComboStateRow,
  selectComboRanks,
  selectComboState,
  selectRankedCount,
} from './leaderboard-queries.js'
import { presentComboBoard, presentComboRank } from './present.js'
import { ComboBoard, ComboRank } from './schemas.js'

const DAY_SEC = 86_400
const PERIOD_DAYS = new Map([
  ['1d', 1],
  ['7d', 7],
  ['30d', 30],
])

type BoardInput = {
  period: 'all' | '1d' | '7d' | '30d' | 'custom'
  sort_by: 'total_pnl' | 'realized_pnl' | 'unrealized_pnl'
  after?: number
  before?: number
}

type BoardScope = ComboBoardScope & {
  window: TimeRange
  state: ComboStateRow
  /** Nothing was closed in the window. */
  isEmpty: boolean
}

/** The window that a request asks for; both ends may be open. Throws a 400 where it contradicts itself. */
function windowOf({ period, sort_by: sort, after, before }: BoardInput, nowMs: number): TimeRange {
  const isBounded = after !== undefined || before !== undefined
  if (period === 'custom') {
    if (!isBounded) throw badRequest('Invalid period: custom needs after or before.')
  } else if (isBounded) {
    throw badRequest('Invalid after: only period=custom has bounds; leave out after and before.')
  }
  if (period === 'all') return {}
  if (sort === 'unrealized_pnl') {
    throw badRequest('Invalid sort_by: periods have realized P&L alone; leave out sort_by.')
  }
  const days = PERIOD_DAYS.get(period)
  if (days === undefined) return { after, before }
  const nowSec = Math.floor(nowMs / 1000)
  return { after: nowSec - days * DAY_SEC, before: nowSec }
}

export const comboLeaderboard = defineList({
  path: '/v3/combos/leaderboard',
  operationId: 'listComboLeaderboard',
  summary: 'Wallets by what combos earned them',
  description:
    'Wallets by profit in combos. Of all time, open positions count at their prices, as of the last minute; periods count what was closed in them.',
  tag: 'combos',
  access: V3,
  narrowBy: ['after', 'before'],
  query: Type.Object({
    period: oneOf(['all', '1d', '7d', '30d', 'custom'], '`custom` has `after`, `before` or both', {
      default: 'all',
    }),
    sort_by: oneOf(['total_pnl', 'realized_pnl', 'unrealized_pnl'], 'the greatest first', {
      default: 'total_pnl',
    }),
    ...TimeBounds,
  }),
  page: { name: 'data', limitMax: 100, hasCursors: false },
  resolve: async (sql, input, { nowMs }): Promise<BoardScope> => {
    const window = windowOf(input, nowMs)
    const state = requireBoard(await selectComboState(sql))
    const isOfAllTime = input.period === 'all'
    const range = isOfAllTime ? undefined : await selectSeqRange(sql, window)
    return {
      sort: input.sort_by,
      window,
      state,
      range,
      isEmpty: !isOfAllTime && range === undefined,
    }
  },
  view: createView({
    row: ComboRank,
    select: async (sql: Sql, scope: BoardScope, page: Page) =>
      scope.isEmpty ? [] : selectComboRanks(sql, scope, page),
    keyOf: ({ rank }) => [rank],
    present: presentComboRank,
  }),
  extra: {
    fields: ComboBoard,
    select: async (sql, { input, scope }) => {
      if (scope === undefined) return {}
      const { state, window, range } = scope
      const isOfAllTime = input.period === 'all'
      const inRange = range === undefined ? 0 : await selectRankedCount(sql, range)
      return {
        period: input.period,
        window: { after: window.after ?? null, before: window.before ?? null },
        ...presentComboBoard(state, {
          isOfAllTime,
          rankedCount: isOfAllTime ? state.eligible : inRange,
        }),
      }
    },
  },
})
