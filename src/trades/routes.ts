import { type TObject, Type } from 'typebox'
import { V3_HEAVY } from '../accounts/access.js'
import { selectSeqRange } from '../blocks/seq-range.js'
import { COMBO_TRADES_SOURCE, presentComboTrade } from '../combos/present.js'
import { ComboTrade } from '../combos/schemas.js'
import { badRequest } from '../core/errors.js'
import { parseMillionths } from '../core/money.js'
import type { Page } from '../core/page.js'
import { endpointRoutes } from '../http/endpoint.js'
import { createView, defineList, type ListView } from '../http/list.js'
import {
  Address,
  MarketFilters,
  Millionths,
  Order,
  OrderHash,
  oneOf,
  TimeBounds,
  TokenId,
  Usd,
} from '../http/parameters.js'
import { withMarkets } from '../markets/market-block.js'
import { type MarketFilter, selectTokenIds } from '../markets/market-filter.js'
import type { Sql } from '../store/connection.js'
import { selectWalletId } from '../wallets/queries.js'
import { presentOrder, presentTrade, presentUserTrade, type WithMarket } from './present.js'
import {
  type GroupBy,
  type Role,
  selectTradeGroups,
  selectTrades,
  selectTradesByOrder,
  type TradeGroupRow,
  type TradeScope,
} from './queries.js'
import { OrderTrades, Trade } from './schemas.js'

const PAGE = { name: 'trades', limitMax: 300 }

const TradeFilters = {
  ...TimeBounds,
  order: Order,
  order_hash: Type.Optional(OrderHash),
  min_amount_usd: Type.Optional(Usd),
  sort_by: Type.Optional(oneOf(['order_hash'], 'shows the fills of an order side by side')),
}

const byTime = createView({
  row: Trade,
  select: async (sql: Sql, scope: TradeScope, page: Page) =>
    withMarkets(sql, await selectTrades(sql, 'market', scope, page)),
  keyOf: ({ seq }) => [seq],
  present: presentTrade,
})

const byOrder = createView({
  row: Trade,
  select: async (sql: Sql, scope: TradeScope, page: Page) =>
    withMarkets(sql, await selectTradesByOrder(sql, scope, page)),
  keyOf: ({ head, seq }) => [head, seq],
  present: presentTrade,
})

const grouped = (
  groupBy: GroupBy,
  row: TObject,
  present: (row: WithMarket<TradeGroupRow>) => object,
): ListView<TradeScope> =>
  createView({
    row,
    select: async (sql: Sql, scope: TradeScope, page: Page) =>
      withMarkets(sql, await selectTradeGroups(sql, groupBy, scope, page)),
    keyOf: ({ seq }) => [seq],
    present,
    echo: { grouped_by: groupBy },
  })

const orders = grouped('order_hash', OrderTrades, presentOrder)
const userTrades = grouped('user_trade', Trade, presentUserTrade)

type TradeFilter = MarketFilter & {
  after?: number
  before?: number
  order?: 'asc' | 'desc'
  order_hash?: string
  min_amount_usd?: string
  min_amount?: string
}

/** What all lists of trades ask for. `undefined`: no trade can match. */
async function resolveTrades(
  sql: Sql,
  filter: TradeFilter,
  of: { wallet: number | undefined; roles: readonly Role[] },
  until: number | undefined,
): Promise<TradeScope | undefined> {
  const range = await selectSeqRange(sql, filter, until)
  const tokens = await selectTokenIds(sql, filter)
  if (range === undefined || tokens?.length === 0) return undefined
  const { order_hash: orderHash, min_amount_usd: usdMin, min_amount: makerAmountMin } = filter
  return {
    ...range,
    ...of,
    tokens,
    orderHash,
    usdMin: usdMin === undefined ? undefined : parseMillionths(usdMin),
    makerAmountMin: makerAmountMin === undefined ? undefined : BigInt(makerAmountMin),
    isAscending: filter.order === 'asc',
  }
}

const ROLES: Record<'maker' | 'taker' | 'both', readonly Role[]> = {
  maker: ['maker'],
  taker: ['taker'],
  both: ['maker', 'taker'],
}

export const walletTrades = defineList({
  path: '/v3/wallets/:address/trades',
  operationId: 'listWalletTrades',
  summary: 'Trades of a wallet',
  description: `The fills of a wallet, newest first, as the chain logs them: an order that took shows as a row of its own, whose taker is the exchange, and again as the \`taker\` of each order that it met. Sums over a wallet take the rows of role \`maker\`. \`group_by\` leaves the others out: \`order_hash\` gives a row for each order, \`user_trade\` one for each token and direction of a transaction.`,
  tag: 'trades',
  access: V3_HEAVY,
  params: Type.Object({ address: Address }),
  query: Type.Object({
    ...TradeFilters,
    ...MarketFilters,
    side: oneOf(['maker', 'taker', 'both'], 'what the wallet is in the fill', {
      default: 'both',
    }),
    min_amount: Type.Optional(Millionths),
    group_by: Type.Optional(
      oneOf(['order_hash', 'user_trade', 'transaction_hash'], 'the last two are the same'),
    ),
    include_combos: Type.Boolean({
      default: false,
      description: 'adds the trades of combos as a second list',
    }),
  }),
  page: PAGE,
  views: { byTime, byOrder, orders, userTrades },
  chooseView: ({ group_by: groupBy, sort_by: sortBy }) => {
    if (groupBy === 'order_hash') return 'orders'
    if (groupBy !== undefined) return 'userTrades'
    return sortBy === undefined ? 'byTime' : 'byOrder'
  },
  resolve: async (sql, input, { until }) => {
    if (input.include_combos && input.order_hash !== undefined) {
      throw badRequest(
        'Invalid order_hash: fills of combos have none; leave out order_hash or include_combos.',
      )
    }
    const wallet = await selectWalletId(sql, input.address)
    const scope = await resolveTrades(sql, input, { wallet, roles: ROLES[input.side] }, until)
    return wallet === undefined ? undefined : scope
  },
  branch: {
    fields: {
      include_combos: Type.Optional(Type.Literal(true)),
      included_position_types: Type.Optional(Type.Array(Type.String())),
      combo_trades: Type.Optional(Type.Array(ComboTrade)),
      combo_trade_count: Type.Optional(Type.Integer({ minimum: 0 })),
      combo_has_more: Type.Optional(Type.Boolean()),
      combo_source: Type.Optional(Type.String()),
    },
    isWanted: (input) => input.include_combos,
    select: async (sql, scope, page) => {
      const rows = scope === undefined ? [] : await selectTrades(sql, 'combo', scope, page)
      const shown = await withMarkets(sql, rows.slice(0, page.limit - 1))
      return {
        include_combos: true,
        included_position_types: ['standard', 'combo'],
        combo_trades: shown.map((row) => ({
          ...presentComboTrade(row),
          source: COMBO_TRADES_SOURCE,
        })),
        combo_trade_count: shown.length,
        combo_has_more: rows.length >= page.limit,
        combo_source: COMBO_TRADES_SOURCE,
      }
    },
  },
})

export const marketTrades = defineList({
  path: '/v3/markets/:token_id/trades',
  operationId: 'listMarketTrades',
  summary: 'Trades of an outcome token',
  description:
    'The fills of one outcome token, newest first, each from the side of the owner of its order.',
  tag: 'trades',
  access: V3_HEAVY,
  params: Type.Object({ token_id: TokenId }),
  query: Type.Object({
    ...TradeFilters,
    group_by: Type.Optional(oneOf(['order_hash'], 'a row for each order')),
  }),
  page: PAGE,
  views: { byTime, byOrder, orders },
  chooseView: ({ group_by: groupBy, sort_by: sortBy }) => {
    if (groupBy !== undefined) return 'orders'
    return sortBy === undefined ? 'byTime' : 'byOrder'
  },
  resolve: (sql, input, { until }) =>
    resolveTrades(sql, input, { wallet: undefined, roles: ROLES.maker }, until),
})

export const tradeRoutes = endpointRoutes([walletTrades, marketTrades])
