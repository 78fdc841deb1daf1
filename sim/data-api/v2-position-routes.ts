import type { Api, Route } from './context.js'
import { positionsIn } from './market-figures.js'
import { Marks } from './marks.js'
import { type PositionFigures, statusOf, toPositionRowV2 } from './position-row.js'
import {
  BadRequest,
  DIRECTIONS,
  isWithin,
  readChoice,
  readOptionalUser,
  readSizeFilter,
  readSpan,
  readTitle,
} from './query.js'
import { readConditions, Scope } from './scope.js'
import { sortBy } from './sort.js'
import { pageOfList } from './v2-page.js'
import { measurePositions } from './wallet-figures.js'

const RULE = { list: 'positions', usual: 100, max: 500 }

const STATUSES = ['OPEN', 'REDEEMABLE', 'REDEEMABLE_LOST', 'MERGEABLE', 'CLOSED'] as const
type StatusFilter = (typeof STATUSES)[number]

const ORDERS = {
  CURRENT_VALUE: (row: PositionFigures) => row.currentValue,
  TOKENS: (row: PositionFigures) => row.size,
  UNREALIZED_PNL: (row: PositionFigures) => row.cashPnl,
  REALIZED_PNL: (row: PositionFigures) => row.realizedPnl,
  TOTAL_PNL: (row: PositionFigures) => row.cashPnl + row.realizedPnl,
  TIMESTAMP: (row: PositionFigures) => row.lastSec,
}
const ORDER_NAMES = [
  'CURRENT_VALUE',
  'TOKENS',
  'UNREALIZED_PNL',
  'REALIZED_PNL',
  'TOTAL_PNL',
  'TIMESTAMP',
] as const

/** Positions of a user, of markets, or of a user in markets. */
export const positionsV2: Route = (api, query) =>
  pageOfList(RULE, query, (bound) => listPositions(api, bound).map(toPositionRowV2))

function listPositions(api: Api, query: URLSearchParams): PositionFigures[] {
  const status = readChoice(query, 'status', STATUSES)
  const order = readChoice(query, 'sort_by', ORDER_NAMES)
  const direction = readChoice(query, 'sort_direction', DIRECTIONS)
  const size = readSizeFilter(query)
  const span = readSpan(query)
  const title = readTitle(query)
  const found = measureAll(api, query)
    .filter((figures) => hasStatus(figures, status))
    .filter(
      ({ names, lastSec }) => names.title.toLowerCase().includes(title) && isWithin(span, lastSec),
    )
    .filter((figures) => {
      const amount = size?.type === 'CASH' ? figures.currentValue : figures.size
      return size === undefined || amount >= size.amount
    })
  return sortBy(found, ORDERS[order], direction)
}

/** Those that can be redeemed are still open; who asks for closed ones gets what was bought and is gone. */
function hasStatus(figures: PositionFigures, status: StatusFilter): boolean {
  const own = statusOf(figures)
  switch (status) {
    case 'OPEN':
      return own !== 'CLOSED'
    case 'MERGEABLE':
      return figures.isMergeable
    case 'CLOSED':
      return own === 'CLOSED' && figures.totalBought > 0
    case 'REDEEMABLE':
    case 'REDEEMABLE_LOST':
      return own === status
  }
}

function measureAll(api: Api, query: URLSearchParams): PositionFigures[] {
  const { universe } = api
  const user = readOptionalUser(universe, query)
  const conditions = readConditions(query, 'condition')
  if (user === undefined && conditions.length === 0) {
    throw new BadRequest("one of 'user' and 'condition' is required")
  }
  if (user === undefined) {
    const marks = new Marks(universe, universe.nowMs)
    const markets = conditions.flatMap((id) => universe.catalogue.marketByCondition(id) ?? [])
    return markets.flatMap((market) => positionsIn(api, market, marks))
  }
  const { wallet } = user
  if (wallet === undefined) return []
  const scope = new Scope(conditions, [])
  return measurePositions(api, wallet, scope)
}
