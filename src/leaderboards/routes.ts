import { Type } from 'typebox'
import { V3 } from '../accounts/access.js'
import { badRequest, notFound } from '../core/errors.js'
import { endpointRoutes } from '../http/endpoint.js'
import { createView, defineList } from '../http/list.js'
import { oneOf, Slug } from '../http/parameters.js'
import { errorReply } from '../lib/error-reply.js'
import { checkDepth, rankKeyOf, requireBoard } from '../lookups/board.js'
import { isOfScope, readBoardFilter, resolveBoardFilter, selectPopulation } from './board-filter.js'
import {
  type BoardPeriod,
  type LeaderboardScope,
  selectAllTimePage,
  selectRollingPage,
} from './board-page.js'
import { presentAllTimeRow, presentEnvelope, presentRollingRow, presentTagRow } from './present.js'
import { type AllTimeColumn, selectBoardSnapshot, selectTagSlug } from './queries.js'
import {
  ALL_TIME_RANK_MAX,
  AllTimeRank,
  BOARD_ERRORS,
  BoardFilters,
  LeaderboardEnvelope,
  Period,
  ROLLING_RANK_MAX,
  RollingRank,
  TagRank,
} from './schemas.js'
import { leaderboardScopes } from './scopes.js'

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
  params: Type.Object({}),
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
    const asked = readBoardFilter(input)
    if (period !== 'all' && asked !== undefined && !isOfScope(asked)) {
      throw badRequest(
        `A leaderboard of ${period} is narrowed by category or tags alone; leave out ${asked.dimension}, or period.`,
      )
    }
    const isCapped = period === 'all' && asked === undefined
    if (isCapped) checkDepth({ ...input, limitMax: LIMIT_MAX, rankMax: ALL_TIME_RANK_MAX })
    const { snapshot, asOfSec } = requireBoard(await selectBoardSnapshot(sql), { until })
    return {
      ...(await resolveBoardFilter(sql, asked)),
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

export const leaderboardRoutes = endpointRoutes([leaderboard, tagLeaderboard, leaderboardScopes])
