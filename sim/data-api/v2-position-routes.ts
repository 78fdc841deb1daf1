import { isBet } from '../markets/names.js'
import { readFlag } from '../server/query.js'
import type { Api, Route } from './context.js'
import { positionsIn } from './market-figures.js'
import { Marks } from './marks.js'
import { type PositionFigures, toPositionRowV2 } from './position-row.js'
import {
  BadRequest,
  DIRECTIONS,
  isWithin,
  readAmount,
  readChoice,
  readOptionalUser,
  readSpan,
  readTitle,
} from './query.js'
import { readConditions, readScope } from './scope.js'
import { sortBy } from './sort.js'
import { pageOfList } from './v2-page.js'
import { measurePositions } from './wallet-figures.js'

const RULE = { list: 'positions', usual: 100, max: 1_000 }
const TITLE_LENGTH_MAX = 200

const STATUSES = ['OPEN', 'REDEEMABLE', 'REDEEMABLE_LOST', 'MERGEABLE', 'CLOSED'] as const
type StatusFilter = (typeof STATUSES)[number]

const ORDERS = {
  CURRENT_VALUE: (row: PositionFigures) => row.currentValue,
  TOKENS: (row: PositionFigures) => row.size,
  UNREALIZED_PNL: (row: PositionFigures) => row.cashPnl,
  REALIZED_PNL: (row: PositionFigures) => row.realizedPnl,
  TOTAL_PNL: (row: PositionFigures) => row.cashPnl + row.realizedPnl,
  TIMESTAMP: (row: PositionFigures) => row.lastSec,
  PRICE: (row: PositionFigures) => row.curPrice,
}
const ORDER_NAMES = [
  'CURRENT_VALUE',
  'TOKENS',
  'UNREALIZED_PNL',
  'REALIZED_PNL',
  'TOTAL_PNL',
  'TIMESTAMP',
  'PRICE',
] as const

/** Positions of a user, of markets, or of a user in markets. */
export const positionsV2: Route = (api, query) =>
  pageOfList(RULE, query, (bound) => listPositions(api, bound).map(toPositionRowV2))

function listPositions(api: Api, query: URLSearchParams): PositionFigures[] {
  const status = readChoice(query, 'status', STATUSES)
  const order = readChoice(query, 'sort_by', ORDER_NAMES)
  const direction = readChoice(query, 'sort_direction', DIRECTIONS)
  const sizeType = readChoice(query, 'filter_type', ['TOKENS', 'CASH'])
  const sizeMin = readAmount(query, 'filter_amount') ?? 0
  const span = readSpan(query)
  const title = readTitle(query, TITLE_LENGTH_MAX)
  const found = measureAll(api, query, status)
    .filter((figures) => hasStatus(figures, status))
    .filter(({ names, lastSec }) => names.title.toLowerCase().includes(title) && isWithin(span, lastSec))
    .filter(({ currentValue, size }) => (sizeType === 'CASH' ? currentValue : size) >= sizeMin)
  return sortBy(found, ORDERS[order], direction)
}

/** Those that can be redeemed are still open; who asks for closed ones gets what was bought and is gone. */
function hasStatus(figures: PositionFigures, status: StatusFilter): boolean {
  const { isHeld, isClosed, isResolved, isMergeable, curPrice } = figures
  switch (status) {
    case 'OPEN':
      return isHeld
    case 'MERGEABLE':
      return isMergeable
    case 'CLOSED':
      return isClosed
    case 'REDEEMABLE':
      return isHeld && isResolved && curPrice > 0
    case 'REDEEMABLE_LOST':
      return isHeld && isResolved && curPrice === 0
  }
}

/** Of a wallet, of one market, or of a wallet in some markets. */
function measureAll(api: Api, query: URLSearchParams, status: StatusFilter): PositionFigures[] {
  const { universe } = api
  const user = readOptionalUser(universe, query)
  const conditions = readConditions(query, 'condition_id')
  const scope = readScope(query, 'condition_id')
  if (status === 'CLOSED' && readFlag(query, 'include_archived') === true) {
    throw new BadRequest("'include_archived' cannot be combined with status CLOSED")
  }
  if (user !== undefined) {
    return user.wallet === undefined ? [] : measurePositions(api, user.wallet, scope)
  }
  const [condition, ...others] = conditions
  if (condition === undefined || others.length > 0) {
    throw new BadRequest("'user' or exactly one 'condition_id' is required")
  }
  if (status === 'REDEEMABLE_LOST' || status === 'MERGEABLE') {
    throw new BadRequest(`status ${status} requires 'user'`)
  }
  const { catalogue } = universe
  const of = catalogue.marketByCondition(condition) ?? catalogue.comboByCondition(condition)
  return of === undefined || isBet(of) ? [] : positionsIn(api, of, new Marks(universe, universe.nowMs))
}
