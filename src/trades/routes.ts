import { Type } from 'typebox'
import { V3, V3_HEAVY } from '../accounts/access.js'
import { badRequest } from '../core/errors.js'
import { toDecimal } from '../core/money.js'
import { endpointRoutes } from '../http/endpoint.js'
import { defineList } from '../http/list.js'
import {
  Address,
  BuilderCode,
  MarketFilters,
  Millionths,
  Order,
  oneOf,
  Slug,
  TimeBounds,
  TokenId,
} from '../http/parameters.js'
import { Decimal, IntegerText } from '../http/row-fields.js'
import { namedObject } from '../lib/named-object.js'
import { selectBuilderId, selectWalletId } from '../lookups/ids.js'
import { COMBO_TRADES_SOURCE, ComboTrade, comboTradesByTime } from '../lookups/trades/combo-trades.js'
import { NO_BUILDER, presentTrade, type WithMarket } from '../lookups/trades/present.js'
import type { TradeRole, TradeRow, TradeScope } from '../lookups/trades/queries.js'
import { Trade } from '../lookups/trades/schemas.js'
import {
  chooseTradeView,
  GroupByOrder,
  isSellSide,
  OwnerSide,
  resolveTrades,
  SortByOrder,
  TRADE_PAGE,
  TRADE_VIEWS,
  TradeFilters,
  tradesByTime,
} from '../lookups/trades/trade-lists.js'

const PaidFee = namedObject('PaidFee', {
  ...Trade.properties,
  fee_paid: Decimal('dollars'),
  fee_paid_raw: IntegerText('millionths'),
  source: Type.Literal('wallet_fees_paid'),
})

const PaidFeeSums = {
  page_total_fees_paid: Type.Number({ description: 'dollars, of this page only' }),
  page_total_fees_paid_raw_note: Type.String(),
  fee_semantics: Type.String(),
  after: Type.String({ description: 'Unix seconds, as applied' }),
  before: Type.String({ description: 'Unix seconds, as applied' }),
}

const presentPaidFee = (row: WithMarket<TradeRow>) => ({
  ...presentTrade(row),
  fee_paid: toDecimal(row.fee),
  fee_paid_raw: `${row.fee}`,
  source: 'wallet_fees_paid' as const,
})

/** `rows`: the presented fees of a page. */
function presentPaidFeeSums(rows: readonly object[]) {
  const paid = rows as readonly ReturnType<typeof presentPaidFee>[]
  return {
    page_total_fees_paid: toDecimal(paid.reduce((sum, row) => sum + BigInt(row.fee_paid_raw), 0n)),
    page_total_fees_paid_raw_note: 'page_total_fees_paid adds up the rows of this page only.',
    fee_semantics:
      'Fees that the owner of the filled order paid, in dollars; rebates and rewards are not subtracted.',
  }
}

const ROLES: Record<'maker' | 'taker' | 'both', readonly TradeRole[]> = {
  maker: ['maker'],
  taker: ['taker'],
  both: ['maker', 'taker'],
}

const TRADE_LIST = {
  tag: 'trades',
  access: V3_HEAVY,
  page: TRADE_PAGE,
  views: TRADE_VIEWS,
  chooseView: chooseTradeView,
}

export const walletTrades = defineList({
  path: '/v3/wallets/:address/trades',
  operationId: 'listWalletTrades',
  summary: 'Trades of a wallet',
  description: `The fills of a wallet, newest first, as the chain logs them: an order that took shows as a row of its own, whose taker is the exchange, and again as the \`taker\` of each order that it met. Sums over a wallet take the rows of role \`maker\`. \`group_by\` leaves the others out: \`order_hash\` gives a row for each order, \`user_trade\` one for each token and direction of a transaction.`,
  ...TRADE_LIST,
  narrowBy: ['after', 'before', 'market_slug', 'condition_id', 'token_id'],
  params: Type.Object({ address: Address }),
  query: Type.Object({
    ...TradeFilters,
    ...MarketFilters,
    sort_by: SortByOrder,
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
  secondList: {
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
      const found = scope === undefined ? undefined : await comboTradesByTime.select(sql, scope, page)
      const { values = [], hasMore = false } = found ?? {}
      return {
        include_combos: true,
        included_position_types: ['market', 'combo'],
        combo_trades: values.map((trade) => ({ ...trade, source: COMBO_TRADES_SOURCE })),
        combo_trade_count: values.length,
        combo_has_more: hasMore,
        combo_source: COMBO_TRADES_SOURCE,
      }
    },
  },
})

const MarketTradeFilters = Type.Object({
  ...TradeFilters,
  sort_by: SortByOrder,
  group_by: GroupByOrder,
})

export const marketTrades = defineList({
  path: '/v3/markets/:token_id/trades',
  operationId: 'listMarketTrades',
  summary: 'Trades of an outcome token',
  description: 'The fills of one outcome token, newest first, each from the side of the owner of its order.',
  ...TRADE_LIST,
  narrowBy: ['after', 'before'],
  params: Type.Object({ token_id: TokenId }),
  query: MarketTradeFilters,
  resolve: (sql, input, { until }) => resolveTrades(sql, input, {}, until),
})

export const slugTrades = defineList({
  path: '/v3/markets/slug/:slug/trades',
  operationId: 'listMarketTradesBySlug',
  summary: 'Trades of a market',
  description:
    'The fills of all outcome tokens of a market, newest first, each from the side of the owner of its order.',
  ...TRADE_LIST,
  narrowBy: ['after', 'before'],
  params: Type.Object({ slug: Slug }),
  query: MarketTradeFilters,
  resolve: (sql, { slug, ...filter }, { until }) =>
    resolveTrades(sql, { ...filter, market_slug: slug }, {}, until),
})

export const allTrades = defineList({
  path: '/v3/trades',
  operationId: 'listTrades',
  summary: 'Trades of all markets',
  description:
    'All fills, newest first, each from the side of the owner of its order. Filters narrow each other. Trades of combos are in lists of their own.',
  ...TRADE_LIST,
  narrowBy: ['after', 'before', 'market_slug', 'condition_id', 'token_id'],
  query: Type.Object({
    ...TradeFilters,
    ...MarketFilters,
    min_amount: Type.Optional(Millionths),
    builder: Type.Optional(BuilderCode),
    side: OwnerSide,
    sort_by: SortByOrder,
    group_by: GroupByOrder,
  }),
  resolve: async (sql, { builder: code, side, ...filter }, { until }) => {
    if (code === NO_BUILDER) {
      throw badRequest('Invalid builder: zeros stand for no builder; leave out builder.')
    }
    const builder = code === undefined ? undefined : await selectBuilderId(sql, code)
    const scope = await resolveTrades(sql, filter, { builder, isSell: isSellSide(side) }, until)
    return code !== undefined && builder === undefined ? undefined : scope
  },
})

/** The time after which nothing is, where a request does not say. */
const BEFORE_MAX = 9_999_999_999

export const walletFees = defineList({
  path: '/v3/wallets/:address/fees-paid',
  operationId: 'listWalletFees',
  summary: 'Fees that a wallet paid',
  description:
    'The fills of the orders of a wallet that cost it a fee, newest first. The total of all time is in the accounting summary of the wallet.',
  tag: 'wallets',
  access: V3,
  narrowBy: ['after', 'before'],
  params: Type.Object({ address: Address }),
  query: Type.Object({ ...TimeBounds, order: Order }),
  page: { name: 'fees', limitMax: 300 },
  view: tradesByTime<TradeScope>(PaidFee, presentPaidFee),
  resolve: async (sql, { address, ...filter }, { until }) => {
    const wallet = await selectWalletId(sql, address)
    const scope = await resolveTrades(sql, filter, { wallet, isCharged: true }, until)
    return wallet === undefined ? undefined : scope
  },
  extra: {
    fields: PaidFeeSums,
    select: (_sql, { input: { after = 0, before = BEFORE_MAX }, rows }) => ({
      ...presentPaidFeeSums(rows),
      after: `${after}`,
      before: `${before}`,
    }),
  },
})

export const tradeRoutes = endpointRoutes([walletTrades, marketTrades, slugTrades, allTrades, walletFees])
