import { readFlag } from '../server/query.js'
import type { Universe } from '../universe/universe.js'
import { ACTIVITY_TYPES, type ActivityRow } from './activity-row.js'
import type { Route } from './context.js'
import { type ActivityFilter, listActivity, listTrades, type Positioned, takePage } from './feed.js'
import {
  DIRECTIONS,
  readChoice,
  readChoices,
  readLimit,
  readOffset,
  readOptionalChoice,
  readOptionalUser,
  readSizeFilter,
  readSpan,
  readUser,
  SIDES,
} from './query.js'
import { readScope } from './scope.js'
import { sortBy } from './sort.js'

export const trades: Route = ({ universe }, query) => {
  const limit = readLimit(query, 100, 10_000)
  const offset = readOffset(query, 10_000, 'max historical trades offset of 10000 exceeded')
  const rows = listTrades(universe, {
    user: readOptionalUser(universe, query),
    scope: readScope(query, 'market'),
    side: readOptionalChoice(query, 'side', SIDES),
    takerOnly: readFlag(query, 'taker_only') ?? true,
    size: readSizeFilter(query),
    span: readSpan(query),
  })
  return takePage(rows, offset, limit).page.map(({ row }) => row)
}

const ACTIVITY_ORDERS = {
  TIMESTAMP: (row: ActivityRow) => row.timestamp,
  TOKENS: (row: ActivityRow) => row.size,
  CASH: (row: ActivityRow) => row.usdcSize,
}

export const activity: Route = ({ universe }, query) => {
  const limit = readLimit(query, 100, 500)
  const offset = readOffset(query, 10_000, 'max historical activity offset of 10000 exceeded')
  const order = readChoice(query, 'sort_by', ['TIMESTAMP', 'TOKENS', 'CASH'])
  const direction = readChoice(query, 'sort_direction', DIRECTIONS)
  const placed = listActivityV1(universe, {
    wallet: readUser(universe, query),
    scope: readScope(query, 'market'),
    types: readChoices(query, 'type', ACTIVITY_TYPES),
    withTransfers: readFlag(query, 'exclude_deposits_withdrawals') === false,
    side: readOptionalChoice(query, 'side', SIDES),
    span: readSpan(query),
    isAscending: false,
  })
  if (order === 'TIMESTAMP' && direction === 'DESC') {
    return takePage(placed, offset, limit).page.map(({ row }) => showActivity(row))
  }
  const rows = [...placed].map(({ row }) => row)
  // Rows of one second stay in the order of the chain, whichever way the list runs.
  const source = direction === 'ASC' ? rows.reverse() : rows
  return sortBy(source, ACTIVITY_ORDERS[order], direction)
    .slice(offset, offset + limit)
    .map(showActivity)
}

/** What was paid for a combo is in the list of combos alone: a row here must name a page. */
function* listActivityV1(universe: Universe, filter: ActivityFilter): Generator<Positioned<ActivityRow>> {
  for (const placed of listActivity(universe, filter)) {
    if (placed.row.type !== 'REDEEM' || !placed.row.isCombo) yield placed
  }
}

const showActivity = ({ isCombo, ...row }: ActivityRow) => (isCombo ? { ...row, isCombo } : row)
