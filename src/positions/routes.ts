import { Type } from 'typebox'
import { V3 } from '../accounts/access.js'
import { REORG_BLOCKS_MAX } from '../core/blocks.js'
import { parseMillionths } from '../core/money.js'
import { endpointRoutes } from '../http/endpoint.js'
import { createView, defineList } from '../http/list.js'
import { Address, ConditionId, MarketFilters, oneOf, Shares, Slug, TokenId } from '../http/parameters.js'
import { nullable } from '../lib/nullable.js'
import { comboPositionsByChange } from '../lookups/combos/positions.js'
import { selectWalletId } from '../lookups/ids.js'
import { withMarkets } from '../lookups/market-block.js'
import { type MarketFilter, selectTokenIds } from '../lookups/market-filter.js'
import { POSITION_STATUSES, type PositionStatus } from '../lookups/position.js'
import { selectSeqRange } from '../lookups/seq-range.js'
import type { Sql } from '../store/connection.js'
import {
  presentGlobalPosition,
  presentMarketHolder,
  presentTokenHolder,
  presentWalletPosition,
} from './present.js'
import { type PositionScope, type PositionSort, selectPositions, withStates } from './queries.js'
import { GlobalPosition, MarketHolder, TokenHolder, WalletPosition } from './schemas.js'

const SORT_TEXT =
  'what the order goes by; `recent` is the newest change, `volume` all shares that were ever bought'

const { token_id, condition_id, market_slug } = MarketFilters

const Filters = {
  status: oneOf(
    ['all', ...POSITION_STATUSES],
    'by shares and result: `open` and `closed` have no result, `redeemable` and `open` have shares',
    { default: 'all' },
  ),
  order: oneOf(['asc', 'desc'], '`desc` has the largest first', {
    title: 'SortOrder',
    default: 'desc',
  }),
  condition_id,
  market_slug,
  min_size: Type.Optional(Shares),
}

const SORTS = {
  realized_pnl: 'realized',
  pnl: 'realized',
  amount: 'balance',
  size: 'balance',
  volume: 'bought',
  total_bought: 'bought',
  avg_price: 'average',
  recent: 'last_sec',
} as const satisfies Record<string, PositionSort>

type PositionFilter = MarketFilter & {
  sort: keyof typeof SORTS
  status: 'all' | PositionStatus
  order: 'asc' | 'desc'
  min_size?: string
}

/** What the lists of positions ask for. `undefined`: no position can match. */
async function resolvePositions(
  sql: Sql,
  filter: PositionFilter,
  until: number | undefined,
): Promise<PositionScope | undefined> {
  const range = await selectSeqRange(sql, {}, until)
  const tokens = await selectTokenIds(sql, filter)
  if (range === undefined || tokens?.length === 0) return undefined
  return {
    until: range.until,
    tokens,
    sort: SORTS[filter.sort],
    isAscending: filter.order === 'asc',
    status: filter.status === 'all' ? undefined : filter.status,
    sizeMin: filter.min_size === undefined ? undefined : parseMillionths(filter.min_size),
  }
}

const NO_COMBOS = { values: [], hasMore: false, lastKey: undefined }

export const walletPositions = defineList({
  path: '/v3/wallets/:address/positions',
  operationId: 'listWalletPositions',
  summary: 'Positions of a wallet',
  description: `Every outcome token that a wallet bought or holds, the most profitable first. The pages of a walk by cursor show the positions as they were at its first page, for up to ${REORG_BLOCKS_MAX} blocks; prices are those of the moment.`,
  tag: 'positions',
  access: V3,
  params: Type.Object({ address: Address }),
  query: Type.Object({
    sort: oneOf(Object.keys(SORTS) as (keyof typeof SORTS)[], SORT_TEXT, {
      default: 'realized_pnl',
    }),
    ...Filters,
    include_combos: Type.Boolean({
      default: false,
      description: 'appends up to `limit` positions in combos, the last changed first; pages by offset',
    }),
  }),
  page: { name: 'positions', limitMax: 300 },
  narrowBy: ['condition_id', 'market_slug'],
  view: createView({
    row: WalletPosition,
    select: selectPositions,
    keyOf: ({ key }) => key,
    complete: withStates,
    present: presentWalletPosition,
  }),
  resolve: async (sql, { address, ...filter }, { until }) => {
    const wallet = await selectWalletId(sql, address)
    const scope = await resolvePositions(sql, filter, until)
    return wallet === undefined || scope === undefined ? undefined : { ...scope, wallet }
  },
  extra: {
    fields: {
      next_offset: nullable(
        Type.Integer({ minimum: 1 }),
        'null on the last page, and on pages behind a cursor',
      ),
    },
    select: (_sql, { page: { offset, limit, hasMore } }) => ({
      next_offset: hasMore && offset !== undefined ? offset + limit : null,
    }),
  },
  appendedRows: {
    view: {
      row: comboPositionsByChange.row,
      select: async (sql, scope, page) => {
        const { wallet, tokens, status = 'all', until, sizeMin } = scope
        // A combo is of no market and of no condition of one.
        if (wallet === undefined || tokens !== undefined) return NO_COMBOS
        const combos = { condition: undefined, token: undefined, wallet, status, until, sizeMin }
        return await comboPositionsByChange.select(sql, combos, page)
      },
    },
    fields: {
      include_combos: Type.Optional(Type.Literal(true)),
      included_position_types: Type.Optional(Type.Array(Type.String())),
      combo_position_count: Type.Optional(Type.Integer({ minimum: 0 })),
    },
    isWanted: (input) => input.include_combos,
    describe: (combos) => ({
      include_combos: true,
      included_position_types: ['market', 'combo'],
      combo_position_count: combos.length,
    }),
  },
})

export const globalPositions = defineList({
  path: '/v3/positions',
  operationId: 'listPositions',
  summary: 'Positions of all wallets',
  description:
    'Positions of all wallets, those that changed last first. Walks by cursor behave as those over the positions of a wallet.',
  tag: 'positions',
  access: V3,
  query: Type.Object({
    sort: oneOf(['recent', 'pnl', 'size', 'volume'], SORT_TEXT, { default: 'recent' }),
    ...Filters,
    token_id,
  }),
  page: { name: 'positions', limitMax: 300 },
  narrowBy: ['token_id', 'condition_id', 'market_slug'],
  view: createView({
    row: GlobalPosition,
    select: selectPositions,
    keyOf: ({ key }) => key,
    complete: withStates,
    present: presentGlobalPosition,
  }),
  resolve: (sql, filter, { until }) => resolvePositions(sql, filter, until),
})

const HOLDER_SORTS = ['pnl', 'realized_pnl', 'amount', 'volume'] as const
const HOLDER_PAGE = { name: 'data', limitMax: 300, repeatsPath: false }
const HOLDER_QUERY = Type.Object({
  sort: oneOf(HOLDER_SORTS, 'the first two are the same; the largest is first', {
    default: 'pnl',
  }),
  status: oneOf(['all', 'open', 'closed'], '`open`: with shares; `closed`: without', {
    default: 'all',
  }),
})

type HolderFilter = {
  sort: (typeof HOLDER_SORTS)[number]
  status: 'all' | 'open' | 'closed'
}

/** The positions in some tokens. `undefined`: the tokens are unknown. */
async function resolveHolders(
  sql: Sql,
  market: MarketFilter,
  { sort, status }: HolderFilter,
  until: number | undefined,
): Promise<PositionScope | undefined> {
  const filter = { ...market, sort, status: 'all', order: 'desc' } as const
  const scope = await resolvePositions(sql, filter, until)
  if (scope === undefined) return undefined
  return { ...scope, isHeld: status === 'all' ? undefined : status === 'open' }
}

/** Holders of all outcomes, one row for each wallet and outcome. */
const marketHolders = createView({
  row: MarketHolder,
  select: selectPositions,
  keyOf: ({ key }) => key,
  complete: withMarkets,
  present: presentMarketHolder,
})

const HOLDER_LIST = { tag: 'positions', access: V3, query: HOLDER_QUERY, page: HOLDER_PAGE }

export const tokenHolders = defineList({
  path: '/v3/markets/:token_id/positions',
  operationId: 'listTokenHolders',
  summary: 'Positions in an outcome token',
  description: 'Every wallet that bought or holds an outcome token. Amounts are texts of whole millionths.',
  ...HOLDER_LIST,
  params: Type.Object({ token_id: TokenId }),
  view: createView({
    row: TokenHolder,
    select: selectPositions,
    keyOf: ({ key }) => key,
    present: presentTokenHolder,
  }),
  resolve: (sql, input, { until }) => resolveHolders(sql, { token_id: input.token_id }, input, until),
})

export const conditionHolders = defineList({
  path: '/v3/markets/condition/:condition_id/positions',
  operationId: 'listConditionHolders',
  summary: 'Positions in all outcomes of a condition',
  description:
    'Every wallet that bought or holds an outcome of a condition, one row for each outcome. Amounts are texts of whole millionths.',
  ...HOLDER_LIST,
  params: Type.Object({ condition_id: ConditionId }),
  page: { ...HOLDER_PAGE, limitMax: (plan) => plan.conditionPositionsPageMax },
  view: marketHolders,
  resolve: (sql, input, { until }) => resolveHolders(sql, { condition_id: input.condition_id }, input, until),
})

export const slugHolders = defineList({
  path: '/v3/markets/slug/:slug/positions',
  operationId: 'listMarketHolders',
  summary: 'Positions in all outcomes of a market',
  description:
    'Every wallet that bought or holds an outcome of a market, one row for each outcome. Amounts are texts of whole millionths.',
  ...HOLDER_LIST,
  params: Type.Object({ slug: Slug }),
  view: marketHolders,
  resolve: (sql, input, { until }) => resolveHolders(sql, { market_slug: input.slug }, input, until),
})

export const positionRoutes = endpointRoutes([
  walletPositions,
  globalPositions,
  tokenHolders,
  conditionHolders,
  slugHolders,
])
