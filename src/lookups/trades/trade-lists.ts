import { type TObject, Type } from 'typebox'
import { parseMillionths } from '../../core/money.js'
import type { Page } from '../../core/page.js'
import { createView, type ListView } from '../../http/list.js'
import { Order, OrderHash, oneOf, TimeBounds, Usd } from '../../http/parameters.js'
import type { Sql } from '../../store/connection.js'
import { withMarkets } from '../market-block.js'
import { type MarketFilter, selectTokenIds } from '../market-filter.js'
import { selectSeqRange, sinceNamed } from '../seq-range.js'
import { presentOrder, presentTrade, presentUserTrade, type WithMarket } from './present.js'
import {
  type GroupBy,
  selectTradeGroups,
  selectTrades,
  selectTradesByOrder,
  type TradeGroupRow,
  type TradeRow,
  type TradeScope,
} from './queries.js'
import { OrderTrades, Trade } from './schemas.js'

// What all lists of trades are made from.

export const TRADE_PAGE = { name: 'trades', limitMax: 300 }

/** The two sides of a match are logged apart: a sum over all rows counts every trade twice. */
export const FillsFilter = oneOf(
  ['all', 'maker', 'taker'],
  '`taker`: only rows of orders that took (`is_taker_order`), which add up to the volume; `maker`: only those of orders that rested',
  { default: 'all' },
)

export const TradeFilters = {
  ...TimeBounds,
  fills: FillsFilter,
  order: Order,
  order_hash: Type.Optional(OrderHash),
  min_amount_usd: Type.Optional(Usd),
}

export const SortByOrder = Type.Optional(oneOf(['order_hash'], 'shows the fills of an order side by side'))

export const GroupByOrder = Type.Optional(oneOf(['order_hash'], 'a row for each order'))

/** What the owner of the order does. */
export const OwnerSide = Type.Optional(
  oneOf(['buy', 'sell', '0', '1'], 'what the owner of the order does: 0 is `buy`, 1 is `sell`'),
)

/** Trades in the order of the chain. `row` and `present` may add fields to those of a trade. */
export const tradesByTime = <Scope extends TradeScope>(
  row: TObject = Trade,
  present: (row: WithMarket<TradeRow>) => object = presentTrade,
): ListView<Scope> =>
  createView({
    row,
    select: (sql: Sql, scope: Scope, page: Page) => selectTrades(sql, 'market', scope, page),
    keyOf: ({ seq }) => [seq],
    complete: withMarkets,
    present,
  })

const byOrder = createView({
  row: Trade,
  select: selectTradesByOrder,
  keyOf: ({ head, seq }) => [head, seq],
  complete: withMarkets,
  present: presentTrade,
})

const grouped = (
  groupBy: GroupBy,
  row: TObject,
  present: (row: WithMarket<TradeGroupRow>) => object,
): ListView<TradeScope> =>
  createView({
    row,
    select: (sql: Sql, scope: TradeScope, page: Page) => selectTradeGroups(sql, groupBy, scope, page),
    keyOf: ({ seq }) => [seq],
    complete: withMarkets,
    present,
    echo: { grouped_by: groupBy },
  })

export const TRADE_VIEWS = {
  byTime: tradesByTime<TradeScope>(),
  byOrder,
  orders: grouped('order_hash', OrderTrades, presentOrder),
  userTrades: grouped('user_trade', Trade, presentUserTrade),
}

type Shown = {
  group_by?: 'order_hash' | 'user_trade' | 'transaction_hash'
  sort_by?: 'order_hash'
}

export function chooseTradeView({ group_by: groupBy, sort_by: sortBy }: Shown) {
  if (groupBy === 'order_hash') return 'orders'
  if (groupBy !== undefined) return 'userTrades'
  return sortBy === undefined ? 'byTime' : 'byOrder'
}

type TradeFilter = MarketFilter & {
  after?: number
  before?: number
  order?: 'asc' | 'desc'
  fills?: 'all' | 'maker' | 'taker'
  order_hash?: string
  min_amount_usd?: string
  min_amount?: string
}

/** Whose trades a list has. What is left out: all of them, from the side of the owners. */
type TradeOwner = Partial<Pick<TradeScope, 'wallet' | 'roles' | 'builder' | 'isSell' | 'isCharged'>>

/** What all lists of trades ask for. `undefined`: no trade can match. */
export async function resolveTrades(
  sql: Sql,
  filter: TradeFilter,
  { wallet, roles = ['maker'], builder, isSell, isCharged = false }: TradeOwner,
  until: number | undefined,
): Promise<TradeScope | undefined> {
  const range = await selectSeqRange(sql, filter, until)
  const tokens = await selectTokenIds(sql, filter)
  if (range === undefined || tokens?.length === 0) return undefined
  const { fills = 'all' } = filter
  // The counterparty of an order that took is the exchange, never a wallet.
  const wanted = fills === 'taker' ? roles.filter((role) => role === 'maker') : roles
  if (wanted.length === 0) return undefined
  const { order_hash: orderHash, min_amount_usd: usdMin, min_amount: makerAmountMin } = filter
  return {
    ...(await sinceNamed(sql, range, { wallet, tokens })),
    isTakerOrder: fills === 'all' ? undefined : fills === 'taker',
    wallet,
    roles: wanted,
    builder,
    isSell,
    isCharged,
    tokens,
    orderHash,
    usdMin: usdMin === undefined ? undefined : parseMillionths(usdMin),
    makerAmountMin: makerAmountMin === undefined ? undefined : BigInt(makerAmountMin),
    isAscending: filter.order === 'asc',
  }
}

/** `undefined`: the request does not have the parameter. */
export const isSellSide = (side: 'buy' | 'sell' | '0' | '1' | undefined): boolean | undefined =>
  side === undefined ? undefined : side === 'sell' || side === '1'
