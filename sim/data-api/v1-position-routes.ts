import { readFlag } from '../server/query.js'
import type { Api, Route } from './context.js'
import { type PositionFigures, percent, toClosedPositionRow, toPositionRow } from './position-row.js'
import { DIRECTIONS, readAmount, readChoice, readLimit, readOffset, readTitle, readUser } from './query.js'
import { readScope } from './scope.js'
import { sortBy } from './sort.js'
import { measurePositions, measureValue } from './wallet-figures.js'

const TITLE_LENGTH_MAX = 100

const POSITION_ORDERS = {
  TOKENS: (row: PositionFigures) => row.size,
  CURRENT: (row: PositionFigures) => row.currentValue,
  INITIAL: (row: PositionFigures) => row.initialValue,
  CASHPNL: (row: PositionFigures) => row.cashPnl,
  PERCENTPNL: (row: PositionFigures) => percent(row.cashPnl, row.initialValue),
  TITLE: (row: PositionFigures) => row.names.title,
  RESOLVING: (row: PositionFigures) => row.token.of.resolvesMs,
  PRICE: (row: PositionFigures) => row.curPrice,
  AVGPRICE: (row: PositionFigures) => row.avgPrice,
}

export const positions: Route = (api, query) => {
  const sizeMin = readAmount(query, 'size_threshold') ?? 1
  const order = readOrder(query, POSITION_ORDERS, 'TOKENS')
  const limit = readLimit(query, 100, 500)
  const offset = readOffset(query, 10_000)
  const isWanted = ({ size, isResolved, isMergeable }: PositionFigures) =>
    size > 0 &&
    size >= sizeMin &&
    (isResolved || readFlag(query, 'redeemable') !== true) &&
    (isMergeable || readFlag(query, 'mergeable') !== true)
  return sortBy(measureAll(api, query).filter(isWanted), order.keyOf, order.direction)
    .slice(offset, offset + limit)
    .map(toPositionRow)
}

const CLOSED_ORDERS = {
  REALIZEDPNL: (row: PositionFigures) => row.realizedPnl,
  TITLE: (row: PositionFigures) => row.names.title,
  PRICE: (row: PositionFigures) => row.curPrice,
  AVGPRICE: (row: PositionFigures) => row.avgPrice,
  TIMESTAMP: (row: PositionFigures) => row.closedSec,
}

export const closedPositions: Route = (api, query) => {
  const order = readOrder(query, CLOSED_ORDERS, 'REALIZEDPNL')
  const limit = readLimit(query, 10, 50)
  const offset = readOffset(query, 100_000)
  const closed = measureAll(api, query).filter(({ isClosed }) => isClosed)
  return sortBy(closed, order.keyOf, order.direction)
    .slice(offset, offset + limit)
    .map(toClosedPositionRow)
}

type KeyOf = (row: PositionFigures) => number | string

function readOrder<Name extends string>(
  query: URLSearchParams,
  orders: { readonly [Key in Name]: KeyOf },
  usual: NoInfer<Name>,
) {
  const names = Object.keys(orders) as Name[]
  const keyOf = orders[readChoice(query, 'sort_by', [usual, ...names])]
  return { keyOf, direction: readChoice(query, 'sort_direction', DIRECTIONS) }
}

/** All positions of the user that the markets and the title asked for leave. */
function measureAll(api: Api, query: URLSearchParams): PositionFigures[] {
  const wallet = readUser(api.universe, query)
  const scope = readScope(query, 'market')
  const title = readTitle(query, TITLE_LENGTH_MAX)
  if (wallet === undefined) return []
  return measurePositions(api, wallet, scope).filter(({ names }) => names.title.toLowerCase().includes(title))
}

/** A list of one, even for those who have nothing. */
export const value: Route = (api, query) => {
  const wallet = readUser(api.universe, query)
  const scope = readScope(query, 'market')
  const user = query.get('user')?.toLowerCase()
  return [{ user, value: wallet === undefined ? 0 : measureValue(api, wallet, scope) }]
}
