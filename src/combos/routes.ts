import { Type } from 'typebox'
import { V3, V3_HEAVY } from '../accounts/access.js'
import { badRequest, unavailable } from '../core/errors.js'
import { defineAnswer } from '../http/answer.js'
import { endpointRoutes } from '../http/endpoint.js'
import { createView, defineList } from '../http/list.js'
import { Address, ConditionId, Order, oneOf, TimeBounds, TokenId } from '../http/parameters.js'
import { withLegs } from '../lookups/combos/legs.js'
import { COMBO_STATUSES, comboPositionsByChange } from '../lookups/combos/positions.js'
import { selectWalletId } from '../lookups/ids.js'
import { selectSeqRange } from '../lookups/seq-range.js'
import { COMBO_TRADES_SOURCE, comboTradesByTime } from '../lookups/trades/combo-trades.js'
import { FillsFilter, resolveTrades } from '../lookups/trades/trade-lists.js'
import type { Sql } from '../store/connection.js'
import { comboLeaderboard } from './leaderboard.js'
import { selectComboHead, selectComboMarkets } from './market-queries.js'
import { EVENT_KINDS, presentComboActivity, presentComboMarket, presentComboSummary } from './present.js'
import {
  type ComboActivityScope,
  selectComboActivity,
  selectComboSummary,
  selectComboTokens,
  selectNamedCombo,
} from './queries.js'
import { ComboActivity, ComboMarket, ComboSummary, describedBy } from './schemas.js'

const ComboFilters = {
  condition_id: Type.Optional(ConditionId),
  market_id: Type.Optional(ConditionId),
  position_id: Type.Optional(TokenId),
}

const ComboStatus = oneOf(COMBO_STATUSES, 'in any letter case', {
  default: 'all',
  format: 'any-case',
})

const WalletOfPath = Type.Object({ address: Address })

export const walletComboPositions = defineList({
  path: '/v3/wallets/:address/combos/positions',
  operationId: 'listWalletComboPositions',
  summary: 'Positions of a wallet in combos',
  description:
    'What a wallet holds and held in combos, the last changed first. A combo has a result when all its legs have one, or one of them has lost.',
  tag: 'combos',
  access: V3,
  narrowBy: ['condition_id', 'position_id'],
  params: WalletOfPath,
  query: Type.Object({ ...ComboFilters, status: ComboStatus }),
  page: { name: 'positions', limitMax: 300 },
  resolve: async (sql, input, pagination) => {
    const wallet = await selectWalletId(sql, input.address)
    const combo = await selectNamedCombo(sql, input)
    const range = await selectSeqRange(sql, {}, pagination.until)
    if (wallet === undefined || combo === undefined || range === undefined) return undefined
    return { ...combo, wallet, status: input.status, until: range.until }
  },
  view: comboPositionsByChange,
  extra: describedBy('v3.wallet_combos.positions'),
})

const walletComboSummary = defineAnswer({
  path: '/v3/wallets/:address/combos/summary',
  operationId: 'getWalletComboSummary',
  summary: 'Combos of a wallet in numbers',
  description: 'How many combos a wallet holds and held, and what they earned.',
  tag: 'combos',
  access: V3,
  params: WalletOfPath,
  reply: ComboSummary,
  answer: async ({ sql }, { address }) => {
    const wallet = await selectWalletId(sql, address)
    const row = wallet === undefined ? undefined : await selectComboSummary(sql, wallet)
    return presentComboSummary(address, row)
  },
})

export const walletComboTrades = defineList({
  path: '/v3/wallets/:address/combos/trades',
  operationId: 'listWalletComboTrades',
  summary: 'Trades of a wallet in combos',
  description:
    'The fills of a wallet in combos, newest first: its own orders as maker, and the orders of others that it met as taker.',
  tag: 'combos',
  access: V3_HEAVY,
  narrowBy: ['after', 'before', 'condition_id', 'position_id'],
  params: WalletOfPath,
  query: Type.Object({
    ...ComboFilters,
    ...TimeBounds,
    order: Order,
    side: oneOf(['BUY', 'SELL', 'ALL'], 'what the owner of the order does', {
      default: 'ALL',
      format: 'capitals',
    }),
    fills: FillsFilter,
  }),
  page: { name: 'trades', limitMax: 300 },
  resolve: async (sql, input, { until }) => {
    const { address, side, condition_id, market_id, position_id, ...times } = input
    const wallet = await selectWalletId(sql, address)
    const combo = await selectNamedCombo(sql, { condition_id, market_id, position_id })
    const isSell = side === 'ALL' ? undefined : side === 'SELL'
    const roles = ['maker', 'taker'] as const
    const scope = await resolveTrades(sql, times, { wallet, roles, isSell }, until)
    if (wallet === undefined || combo === undefined || scope === undefined) return undefined
    return { ...scope, tokens: await selectComboTokens(sql, combo) }
  },
  view: comboTradesByTime,
  extra: describedBy(COMBO_TRADES_SOURCE),
})

const ActivityFilters = {
  ...ComboFilters,
  ...TimeBounds,
  order: Order,
  event_kind: oneOf(['all', ...EVENT_KINDS.keys()], 'the name of the log', { default: 'all' }),
}

type ActivityInput = {
  condition_id?: string
  market_id?: string
  position_id?: string
  after?: number
  before?: number
  order?: 'asc' | 'desc'
  event_kind: string
}

/** What both lists of activity ask for. `undefined`: nothing can match. */
async function resolveActivity(
  sql: Sql,
  input: ActivityInput,
  address: string | undefined,
  until: number | undefined,
): Promise<ComboActivityScope | undefined> {
  const range = await selectSeqRange(sql, input, until)
  const wallet = address === undefined ? undefined : await selectWalletId(sql, address)
  const combo = await selectNamedCombo(sql, input)
  if (range === undefined || combo === undefined) return undefined
  if (address !== undefined && wallet === undefined) return undefined
  const kind = EVENT_KINDS.get(input.event_kind)
  const kinds = kind === undefined ? [...EVENT_KINDS.values()] : [kind]
  return { ...range, ...combo, wallet, kinds, isAscending: input.order === 'asc' }
}

const activityView = createView({
  row: ComboActivity,
  select: selectComboActivity,
  keyOf: ({ seq }) => [seq],
  complete: withLegs,
  present: presentComboActivity,
})

export const walletComboActivity = defineList({
  path: '/v3/wallets/:address/combos/activity',
  operationId: 'listWalletComboActivity',
  summary: 'Activity of a wallet in combos',
  description:
    'What a wallet did with structured positions beside trading, newest first: splits, merges, conversions, redemptions, also those that the platform made for it.',
  tag: 'combos',
  access: V3,
  narrowBy: ['after', 'before', 'condition_id'],
  params: WalletOfPath,
  query: Type.Object(ActivityFilters),
  page: { name: 'activity', limitMax: 300 },
  resolve: (sql, input, { until }) => resolveActivity(sql, input, input.address, until),
  view: activityView,
  extra: describedBy('v3.wallet_combos.activity'),
})

export const comboActivity = defineList({
  path: '/v3/combos/activity',
  operationId: 'listComboActivity',
  summary: 'Activity of a combo',
  description:
    'What wallets did with the positions of one combo beside trading, newest first. One of market_id, condition_id and position_id is required.',
  tag: 'combos',
  access: V3,
  narrowBy: ['after', 'before', 'wallet'],
  query: Type.Object({ ...ActivityFilters, wallet: Type.Optional(Address) }),
  page: { name: 'activity', limitMax: 300 },
  resolve: (sql, input, { until }) => {
    if ((input.market_id ?? input.condition_id ?? input.position_id) === undefined) {
      throw badRequest('Give one of market_id, condition_id and position_id.')
    }
    return resolveActivity(sql, input, input.wallet, until)
  },
  view: activityView,
  extra: describedBy('v3.combos.activity'),
})

export const comboMarkets = defineList({
  path: '/v3/combos/markets',
  operationId: 'listComboMarkets',
  summary: 'Combos',
  description: 'All combos with their legs and what happened in them, the last active first.',
  tag: 'combos',
  access: V3,
  narrowBy: ['condition_id', 'status'],
  query: Type.Object({ ...ComboFilters, status: ComboStatus }),
  page: { name: 'markets', limitMax: 300 },
  resolve: async (sql, input, pagination) => {
    const head = await selectComboHead(sql)
    if (head === undefined) throw unavailable('The combos are not counted yet.')
    const combo = await selectNamedCombo(sql, input)
    if (combo === undefined) return undefined
    const until = pagination.until ?? head
    return { condition: combo.condition, status: input.status, until }
  },
  view: createView({
    row: ComboMarket,
    select: selectComboMarkets,
    keyOf: ({ lastSeq, combo }) => [lastSeq, combo],
    complete: withLegs,
    present: presentComboMarket,
  }),
  extra: describedBy('v3.combos.markets'),
})

export const comboRoutes = endpointRoutes([
  comboMarkets,
  comboLeaderboard,
  walletComboPositions,
  walletComboSummary,
  walletComboTrades,
  walletComboActivity,
  comboActivity,
])
