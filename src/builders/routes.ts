import { Type } from 'typebox'
import { V3 } from '../accounts/access.js'
import { defineAnswer } from '../http/answer.js'
import { endpointRoutes } from '../http/endpoint.js'
import { createView, defineList, type PaginationContext } from '../http/list.js'
import { Order, oneOf, TimeBounds } from '../http/parameters.js'
import { checkTimeRange, type TimeRange } from '../lookups/seq-range.js'
import { builderBoard } from './board/board.js'
import { BUILDER_ERRORS, findBuilder } from './find-builder.js'
import { FEE_SEMANTICS, presentBuilder, presentDay, presentDayOfBuilder } from './present.js'
import {
  BUILDER_SORTS,
  type DayScope,
  selectBuilder,
  selectBuilders,
  selectDays,
  selectDaysOfBuilders,
} from './queries.js'
import { Builder, BuilderRef, DayOfBuilder, DayOfBuilders, RankedBuilder } from './schemas.js'
import { builderTrades } from './trades.js'

const DAY_SEC = 86_400
const DAYS_DEFAULT = 30

export const builders = defineList({
  path: '/v3/builders',
  operationId: 'listBuilders',
  summary: 'Builders, the largest first',
  description:
    'Every builder that a fill names, and those that the platform lists without one. Volumes are shares, each counted as one dollar.',
  tag: 'builders',
  access: V3,
  query: Type.Object({
    sort: oneOf(BUILDER_SORTS, 'the figure that ranks', { title: 'BuilderSort', default: 'fills' }),
  }),
  page: { name: 'builders', limitMax: 300 },
  resolve: async (_sql, { sort }) => ({ sort }),
  view: createView({
    row: RankedBuilder,
    select: selectBuilders,
    keyOf: ({ sortKey, code, rank }) => [`${sortKey}`, code, rank],
    present: ({ rank, ...row }) => ({ rank, ...presentBuilder(row) }),
  }),
})

export const builder = defineAnswer({
  path: '/v3/builders/:code',
  operationId: 'getBuilder',
  summary: 'One builder',
  description:
    'Its profile and figures. A public name that several builders share is answered with 409 and the candidates.',
  tag: 'builders',
  access: V3,
  errors: BUILDER_ERRORS,
  params: Type.Object({ code: BuilderRef }),
  reply: Builder,
  answer: async ({ sql }, { code }) => {
    const found = await findBuilder(sql, code)
    const fields = presentBuilder(await selectBuilder(sql, found.code))
    return {
      ...fields,
      source: 'builder_fee_stats',
      fee_semantics: FEE_SEMANTICS,
      stats_source: fields.stats_pending ? null : 'local_order_filled_event_index',
    }
  },
})

/** Whole UTC days, the last 30 without `after`. */
function daysOf(
  { order, ...range }: TimeRange & { order?: 'asc' | 'desc' | undefined },
  { nowMs }: PaginationContext,
  builder: number | undefined,
): DayScope {
  checkTimeRange(range)
  const toSec = range.before ?? Math.floor(nowMs / 1000)
  const fromSec = range.after ?? toSec - (DAYS_DEFAULT - 1) * DAY_SEC
  return {
    builder,
    fromDay: Math.floor(fromSec / DAY_SEC),
    toDay: Math.floor(toSec / DAY_SEC),
    isAscending: order === 'asc',
  }
}

const byDay = createView({
  row: DayOfBuilders,
  select: selectDays,
  keyOf: ({ day }) => [day],
  present: presentDay,
})

const byDayAndBuilder = createView({
  row: DayOfBuilder,
  select: selectDaysOfBuilders,
  keyOf: ({ day, builder }) => [day, builder],
  present: presentDayOfBuilder,
})

const buildersByDay = defineList({
  path: '/v3/builders/activity/daily',
  operationId: 'listBuildersByDay',
  summary: 'What all builders did, day by day',
  description:
    'Sums over all builders for each UTC day with fills, the newest first; a wallet that used two builders counts twice. `group_by=builder` gives a row for each builder. Without `after` the 30 days up to `before`.',
  tag: 'builders',
  access: V3,
  query: Type.Object({
    ...TimeBounds,
    order: Order,
    group_by: Type.Optional(oneOf(['builder'], 'a row for each builder and day')),
  }),
  page: { name: 'data', limitMax: 300 },
  resolve: async (_sql, input, pagination) => daysOf(input, pagination, undefined),
  views: { byDay, byDayAndBuilder },
  chooseView: ({ group_by: groupBy }) => (groupBy === undefined ? 'byDay' : 'byDayAndBuilder'),
})

const builderByDay = defineList({
  path: '/v3/builders/:code/activity/daily',
  operationId: 'listBuilderByDay',
  summary: 'What a builder did, day by day',
  description:
    'A row for each UTC day with fills, the newest first. Without `after` the 30 days up to `before`.',
  tag: 'builders',
  access: V3,
  errors: BUILDER_ERRORS,
  params: Type.Object({ code: BuilderRef }),
  query: Type.Object({ ...TimeBounds, order: Order }),
  page: { name: 'data', limitMax: 300 },
  resolve: async (sql, { code, ...input }, pagination) => {
    const { id } = await findBuilder(sql, code)
    const scope = daysOf(input, pagination, id ?? undefined)
    return id === null ? undefined : scope
  },
  view: byDay,
})

export const builderRoutes = endpointRoutes([
  builders,
  builder,
  builderTrades,
  buildersByDay,
  builderByDay,
  builderBoard,
])
