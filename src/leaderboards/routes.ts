import { Type } from 'typebox'
import { V3 } from '../accounts/access.js'
import { badRequest, notFound } from '../core/errors.js'
import { toDecimal } from '../core/money.js'
import type { Page } from '../core/page.js'
import { defineAnswer } from '../http/answer.js'
import { endpointRoutes } from '../http/endpoint.js'
import { createView, defineList } from '../http/list.js'
import { Address, oneOf, Slug } from '../http/parameters.js'
import { ERROR_CODE } from '../http/validation.js'
import { errorReply } from '../lib/error-reply.js'
import { checkDepth, rankKeyOf, requireBoard } from '../lookups/board.js'
import { selectWalletId } from '../lookups/ids.js'
import type { Sql } from '../store/connection.js'
import {
  type BoardPeriod,
  isOfScope,
  type LeaderboardScope,
  readBoardFilter,
  resolveBoardFilter,
  selectAllTimePage,
  selectPopulation,
  selectRollingPage,
} from './board-filter.js'
import {
  presentAllTimeRow,
  presentEnvelope,
  presentRollingRow,
  presentScope,
  presentTagRow,
} from './present.js'
import {
  type AllTimeColumn,
  countScopes,
  type ScopeSearch,
  selectBoardSnapshot,
  selectScopes,
  selectTagSlug,
  selectWalletRank,
} from './queries.js'
import {
  ALL_TIME_RANK_MAX,
  AllTimeRank,
  BOARD_ERRORS,
  BoardFilters,
  LeaderboardEnvelope,
  ListedScope,
  PERIOD_DAYS,
  Period,
  ROLLING_RANK_MAX,
  RollingRank,
  ScopesEnvelope,
  ScopesQuery,
  TagRank,
  WalletRanks,
} from './schemas.js'

const LIMIT_MAX = 100

const SORT_COLUMNS = {
  total: 'total',
  total_pnl: 'total',
  realized: 'realized',
  profit: 'profit',
  loss: 'loss',
  volume: 'bought',
  wins: 'wins',
  positions: 'positions',
  unrealized: 'unrealized',
} as const satisfies Record<string, AllTimeColumn>

const TAG_SORT_COLUMNS = {
  net_pnl: 'realized',
  volume: 'bought',
  profit: 'gained',
  loss: 'lost',
} as const satisfies Record<string, AllTimeColumn>

const sortOf = <Sort extends string>(columns: Record<Sort, AllTimeColumn>, first: Sort) =>
  Type.Optional(
    oneOf(
      Object.keys(columns) as Sort[],
      `what boards of all time are ranked by, \`${first}\` by default; \`loss\` has the largest loss first. Rolling ones are ranked by realized profit.`,
    ),
  )

/** Refuses a sort that a rolling board does not have. */
function checkSort(period: BoardPeriod, sort: string | undefined, column: AllTimeColumn): void {
  if (period === 'all' || sort === undefined || column === 'realized') return
  throw badRequest(
    `Invalid sort: a leaderboard of ${period} is ranked by realized profit; leave out sort, or period.`,
  )
}

const allTime = { select: selectAllTimePage, keyOf: rankKeyOf }
const rolling = { row: RollingRank, select: selectRollingPage, keyOf: rankKeyOf, present: presentRollingRow }

export const leaderboard = defineList({
  path: '/v3/leaderboard',
  operationId: 'listLeaderboard',
  summary: 'Wallets by profit',
  description: `Wallets of all markets, or of one category, tag, market or event, ranked. Boards of all time count open positions at their prices; rolling ones (\`1d\`, \`7d\`, \`30d\`) add up what wallets realized in the time before \`as_of\`, by category or tag alone. All boards are brought up to date together, every minute at the latest; a cursor of the state before is answered with 409. Rolling boards end at rank ${ROLLING_RANK_MAX}, that of all time over all markets at rank ${ALL_TIME_RANK_MAX}.`,
  tag: 'leaderboards',
  access: V3,
  narrowBy: ['market_slug', 'condition_id'],
  errors: BOARD_ERRORS,
  query: Type.Object({
    period: Period,
    sort: sortOf(SORT_COLUMNS, 'total'),
    ...BoardFilters,
  }),
  page: { name: 'leaderboard', limitMax: LIMIT_MAX },
  readsOneSnapshot: true,
  resolve: async (sql, input, { until }): Promise<LeaderboardScope> => {
    const { period, sort } = input
    const column = SORT_COLUMNS[sort ?? 'total']
    const ranked = sort ?? (period === 'all' ? 'total' : 'realized')
    checkSort(period, sort, column)
    const filter = readBoardFilter(input)
    if (period !== 'all' && filter !== undefined && !isOfScope(filter)) {
      throw badRequest(
        `A leaderboard of ${period} is narrowed by category or tags alone; leave out ${filter.dimension}, or period.`,
      )
    }
    const isCapped = period === 'all' && filter === undefined
    if (isCapped) checkDepth({ ...input, limitMax: LIMIT_MAX, rankMax: ALL_TIME_RANK_MAX })
    const { snapshot, asOfSec } = requireBoard(await selectBoardSnapshot(sql), { until })
    return {
      ...(await resolveBoardFilter(sql, filter)),
      until: snapshot,
      asOfSec,
      period,
      column,
      isCapped,
      sort: ranked,
    }
  },
  views: {
    allTime: createView({ ...allTime, row: AllTimeRank, present: presentAllTimeRow }),
    rolling: createView(rolling),
  },
  chooseView: ({ period }) => (period === 'all' ? 'allTime' : 'rolling'),
  extra: {
    fields: LeaderboardEnvelope,
    select: (_sql, { scope }) => presentEnvelope(scope),
  },
})

export const tagLeaderboard = defineList({
  path: '/v3/tags/:slug/leaderboard',
  operationId: 'listTagLeaderboard',
  summary: 'Wallets by profit in the markets of a tag',
  description: `Wallets ranked by what they realized in the markets of a tag, which may be given by slug or label. With a rolling \`period\` the rows are those of \`/v3/leaderboard\`, in \`leaderboard\`, up to rank ${ROLLING_RANK_MAX}.`,
  tag: 'leaderboards',
  access: V3,
  errors: {
    ...BOARD_ERRORS,
    404: errorReply('There is no such tag', { tag: Type.String() }, 'UnknownTagError'),
  },
  params: Type.Object({ slug: Slug }),
  query: Type.Object({ period: Period, sort: sortOf(TAG_SORT_COLUMNS, 'net_pnl') }),
  page: { name: 'data', limitMax: LIMIT_MAX, repeatsPath: false },
  readsOneSnapshot: true,
  resolve: async (sql, { slug, period, sort }, { until }): Promise<LeaderboardScope> => {
    const column = TAG_SORT_COLUMNS[sort ?? 'net_pnl']
    checkSort(period, sort, column)
    const tag = await selectTagSlug(sql, slug)
    if (tag === undefined) throw notFound('tag not found', { tag: slug })
    const { snapshot, asOfSec } = requireBoard(await selectBoardSnapshot(sql), { until })
    return {
      kind: 'tag',
      value: tag,
      population: await selectPopulation(sql, 'tag', tag),
      until: snapshot,
      asOfSec,
      period,
      column,
      isCapped: false,
      sort: sort ?? 'net_pnl',
    }
  },
  views: {
    allTime: createView({ ...allTime, row: TagRank, present: presentTagRow }),
    rolling: createView({ ...rolling, name: 'leaderboard' }),
  },
  chooseView: ({ period }) => (period === 'all' ? 'allTime' : 'rolling'),
  extra: {
    fields: LeaderboardEnvelope,
    select: (_sql, { scope }) => presentEnvelope(scope),
  },
})

const BOARDS = [
  { period: 'all', sort: 'total', board: 'all', rankMax: ALL_TIME_RANK_MAX },
  ...Object.entries(PERIOD_DAYS).map(
    ([period, days]) => ({ period, sort: 'realized', board: { days }, rankMax: ROLLING_RANK_MAX }) as const,
  ),
] as const

const walletRanks = defineAnswer({
  path: '/v3/wallets/:address/ranks',
  operationId: 'getWalletRanks',
  summary: 'Ranks of a wallet',
  description: 'Its place on the leaderboards over all markets, as of their last refresh.',
  tag: 'leaderboards',
  access: V3,
  errors: BOARD_ERRORS,
  params: Type.Object({ address: Address }),
  reply: WalletRanks,
  answer: async ({ sql }, { address }) => {
    const { asOfSec } = requireBoard(await selectBoardSnapshot(sql))
    const wallet = await selectWalletId(sql, address)
    const ranks = await Promise.all(
      BOARDS.map(async ({ period, sort, board, rankMax }) => {
        const found =
          wallet === undefined ? undefined : await selectWalletRank(sql, board, { wallet, rankMax })
        const value = found === undefined ? null : toDecimal(found.value)
        return { period, sort, rank: found?.rank ?? null, value }
      }),
    )
    return { address, ranks, as_of: asOfSec }
  },
})

const SCOPES_LIMIT_MAX = 200
/** Rows that a page may pass over. */
const SCOPES_OFFSET_MAX = 10_000

type ListedScopes = ScopeSearch & { asOfSec: number }

export const leaderboardScopes = defineList({
  path: '/v3/leaderboard/scopes',
  operationId: 'listLeaderboardScopes',
  summary: 'Categories or tags that have a rolling leaderboard',
  description:
    'The categories or tags in which a wallet realized a profit or a loss in the period, those of most wallets first, then by name. `value` is what `category` or `tags` of `/v3/leaderboard` takes.',
  tag: 'leaderboards',
  access: V3,
  errors: { 503: BOARD_ERRORS[503] },
  query: ScopesQuery,
  page: {
    name: 'scopes',
    limitMax: SCOPES_LIMIT_MAX,
    hasCursors: false,
    offset: { minimum: 0, maximum: SCOPES_OFFSET_MAX, [ERROR_CODE]: 'scope_offset_too_deep' },
  },
  readsOneSnapshot: true,
  resolve: async (sql, { period, scope, q = '' }): Promise<ListedScopes> => {
    const { asOfSec } = requireBoard(await selectBoardSnapshot(sql))
    return { days: PERIOD_DAYS[period], kind: scope, query: q.toLowerCase(), asOfSec }
  },
  view: createView({
    row: ListedScope,
    // A page that no offset reaches is none.
    select: (sql: Sql, scope: ListedScopes, page: Page) =>
      selectScopes(sql, scope, {
        ...page,
        limit: page.offset + page.limit - 1 > SCOPES_OFFSET_MAX ? page.limit - 1 : page.limit,
      }),
    keyOf: ({ value }) => [value],
    present: presentScope,
  }),
  extra: {
    fields: ScopesEnvelope,
    select: async (sql, { input, scope, rows }) => {
      if (scope === undefined) throw new Error('every search has a period')
      return {
        count: rows.length,
        total_count: await countScopes(sql, scope),
        period: input.period,
        scope: input.scope,
        query: scope.query === '' ? null : scope.query,
        as_of: scope.asOfSec,
      }
    },
  },
})

export const leaderboardRoutes = endpointRoutes([leaderboard, tagLeaderboard, leaderboardScopes, walletRanks])
