import { type Static, Type } from 'typebox'
import { V3 } from '../../accounts/access.js'
import { badRequest } from '../../core/errors.js'
import { toDecimalText } from '../../core/money.js'
import { createView, defineList } from '../../http/list.js'
import { oneOf } from '../../http/parameters.js'
import { errorReply } from '../../lib/error-reply.js'
import { checkDepth, rankKeyOf, requireBoard } from '../../lookups/board.js'
import { selectSeqRange } from '../../lookups/seq-range.js'
import type { Sql } from '../../store/connection.js'
import { BUILDER_ERRORS, type FoundBuilder, findBuilder, presentProfile } from '../find-builder.js'
import { dateOf, FEE_SEMANTICS, VOLUME_MEANING } from '../present.js'
import { BoardEnvelope, BuilderRef, RankedTrader, RankedTraderWithPnl } from '../schemas.js'
import {
  BOARD_SORTS,
  type BoardRow,
  type BoardScope,
  type BoardSort,
  type BoardState,
  countTraders,
  selectBoard,
  selectBoardState,
  selectLedgerStart,
} from './queries.js'

function presentBoardRow(row: BoardRow) {
  const volume = row.buyVolume + row.sellVolume
  return {
    rank: row.rank,
    wallet: row.address,
    trader_address: row.address,
    volume_e6: `${volume}`,
    volume: toDecimalText(volume),
    buy_volume_e6: `${row.buyVolume}`,
    buy_volume: toDecimalText(row.buyVolume),
    sell_volume_e6: `${row.sellVolume}`,
    sell_volume: toDecimalText(row.sellVolume),
    trades: row.fills,
    trader_paid_fees_e6: `${row.fees}`,
    trader_paid_fees: toDecimalText(row.fees),
    active_days: row.activeDays,
    first_activity_at: row.firstSec,
    last_activity_at: row.lastSec,
  }
}

const presentBoardRowWithPnl = (row: BoardRow) => ({
  ...presentBoardRow(row),
  realized_pnl: toDecimalText(row.realized),
  unrealized_pnl: row.unrealized === null ? null : toDecimalText(row.unrealized),
  total_pnl: row.total === null ? null : toDecimalText(row.total),
})

const DAY_SEC = 86_400
const PERIOD_DAYS = { '1d': 1, '7d': 7, '30d': 30, all: undefined }
type Period = keyof typeof PERIOD_DAYS

const LIMIT_MAX = 100
const RANK_MAX = 500

const PNL_SORTS: readonly BoardSort[] = ['pnl', 'realized_pnl', 'total_pnl', 'unrealized_pnl']
/** Profits of a rolling period are realized ones. */
const VALUED_SORTS: readonly BoardSort[] = ['total_pnl', 'unrealized_pnl']

const NOT_MADE = 'The leaderboards of builders are not made yet.'

const PNL_SEMANTICS = {
  all: 'Profit of all trades of the wallet since the beginning, open positions at current prices.',
  rolling: 'Profit that the wallet realized within the period, in all its trades.',
}

const BoardQuery = Type.Object({
  period: oneOf(['1d', '7d', '30d', 'all'], 'the time that counts', { default: 'all' }),
  sort: oneOf(Object.keys(BOARD_SORTS) as BoardSort[], 'what wallets are ranked by', {
    default: 'pnl',
  }),
  order: oneOf(['asc', 'desc'], '`desc` has the largest first', {
    title: 'SortOrder',
    default: 'desc',
  }),
  pagination: Type.Optional(
    oneOf(['cursor'], 'for boards of all time by profit: `next_cursor` goes on beyond rank 500'),
  ),
})

type BoardInput = Static<typeof BoardQuery> & { code: string; limit?: number; offset?: number }

type Scope = BoardScope & { until: number; found: FoundBuilder; state: BoardState; nowSec: number }

const view = {
  select: (sql: Sql, scope: Scope, page: Parameters<typeof selectBoard>[2]) => selectBoard(sql, scope, page),
  keyOf: rankKeyOf,
}

const isPnlSort = ({ sort }: BoardInput): boolean => PNL_SORTS.includes(sort)

export const builderBoard = defineList({
  path: '/v3/builders/:code/leaderboard',
  operationId: 'listBuilderLeaderboard',
  summary: 'Wallets that trade through a builder, ranked',
  description: `Volumes, fees and trades are those of fills that name the builder. Profits are those of the whole wallet. Boards of all time are made anew every five minutes (\`as_of\`); rolling ones are of the moment. Offsets reach rank ${RANK_MAX}. With \`pagination=cursor\` a board of all time by profit can be walked to its end; when it was made anew in between, the answer is 409 and the walk starts again.`,
  tag: 'builders',
  access: V3,
  errors: {
    ...BUILDER_ERRORS,
    409: errorReply('Several builders have this public name, or the board is newer than the cursor'),
  },
  params: Type.Object({ code: BuilderRef }),
  query: BoardQuery,
  page: { name: 'data', limitMax: LIMIT_MAX, repeatsPath: false },
  narrowBy: ['period'],
  allowsCursor: ({ pagination }) => pagination === 'cursor',
  resolve: async (sql, input, { until, nowMs }) => {
    checkInput(input)
    const found = await findBuilder(sql, input.code)
    const state = requireBoard(await selectBoardState(sql), { until, refusal: NOT_MADE })
    const { period, sort } = input
    const nowSec = Math.floor(nowMs / 1000)
    const days = PERIOD_DAYS[period]
    const range =
      days === undefined ? undefined : await selectSeqRange(sql, { after: nowSec - days * DAY_SEC + 1 })
    return {
      // Without an id no fill names the builder, and its board is empty.
      builder: found.id ?? 0,
      column: days !== undefined && sort === 'pnl' ? 'realized' : BOARD_SORTS[sort],
      isAscending: input.order === 'asc',
      sinceSeq: days === undefined ? undefined : (range?.min ?? Number.MAX_SAFE_INTEGER),
      withPnl: isPnlSort(input),
      until: state.snapshot,
      found,
      state,
      nowSec,
    }
  },
  views: {
    activity: createView({ row: RankedTrader, ...view, present: presentBoardRow }),
    profit: createView({ row: RankedTraderWithPnl, ...view, present: presentBoardRowWithPnl }),
  },
  chooseView: (input) => (isPnlSort(input) ? 'profit' : 'activity'),
  extra: {
    fields: BoardEnvelope,
    select: async (sql, { input, scope }) => {
      if (scope === undefined) throw new Error('a board has a builder')
      return {
        ...(await presentBoard(sql, input, scope)),
        ...(await presentPnl(sql, input, scope)),
      }
    },
  },
})

function checkInput(input: BoardInput): void {
  const { period, sort, pagination, limit, offset } = input
  const isOfAllTime = period === 'all'
  if (!isOfAllTime && VALUED_SORTS.includes(sort)) {
    throw badRequest(
      `Invalid sort: ${sort} needs today's prices, which only period=all has; leave out period.`,
    )
  }
  if (pagination === 'cursor') {
    if (isOfAllTime && isPnlSort(input)) return
    throw badRequest('Invalid pagination: cursors are for period=all sorted by profit; leave out pagination.')
  }
  checkDepth({ limit, offset, limitMax: LIMIT_MAX, rankMax: RANK_MAX })
}

async function presentBoard(sql: Sql, { period, sort, order }: BoardInput, scope: Scope) {
  const { found, state, nowSec } = scope
  const days = PERIOD_DAYS[period as Period]
  const { startSec, headSec } = await selectLedgerStart(sql)
  const windowSec = days === undefined ? null : nowSec - days * DAY_SEC + 1
  const coveredSec = startSec ?? nowSec
  return {
    ...presentProfile(found),
    period,
    sort,
    order,
    window: {
      start_date: dateOf(windowSec ?? coveredSec),
      end_date: dateOf(nowSec),
      complete_through: dateOf(nowSec - DAY_SEC),
    },
    coverage: {
      start_date: dateOf(coveredSec),
      end_date: dateOf(headSec ?? nowSec),
      complete: startSec !== null && (windowSec === null || windowSec >= startSec),
    },
    as_of: toIso(days === undefined ? state.blockTime : headSec),
    ...VOLUME_MEANING,
    fee_semantics: FEE_SEMANTICS,
  }
}

async function presentPnl(sql: Sql, input: BoardInput, scope: Scope) {
  if (!isPnlSort(input)) return { pnl_scope: 'not_applicable_builder_attributed_activity_only' }
  const wallets = await countTraders(sql, scope)
  const isOfAllTime = scope.sinceSeq === undefined
  return {
    pnl_scope: 'wallet_global_polymarket_not_builder_attributed',
    cohort_wallet_count: wallets,
    eligible_wallet_count: wallets,
    pnl_as_of: isOfAllTime ? scope.state.takenAt.toISOString() : toIso(scope.nowSec),
    pnl_semantics: isOfAllTime ? PNL_SEMANTICS.all : PNL_SEMANTICS.rolling,
  }
}

const toIso = (timeSec: number | null): string => new Date((timeSec ?? 0) * 1000).toISOString()
