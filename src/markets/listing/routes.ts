import { Type } from 'typebox'
import { V3 } from '../../accounts/access.js'
import type { Page } from '../../core/page.js'
import { endpointRoutes } from '../../http/endpoint.js'
import { createView, defineList } from '../../http/list.js'
import { ConditionId, Order, oneOf, Slug } from '../../http/parameters.js'
import type { Sql } from '../../store/connection.js'
import { resolveCatalogueFilters } from '../catalogue-filter.js'
import { type CatalogueScope, keyOfCatalogueId, selectCatalogueIds } from '../catalogue-page.js'
import { presentDate, presentWholeMarket } from './present.js'
import { type ListedMarket, selectListedMarkets, selectMarketsOfConditions } from './queries.js'
import { CatalogueParameters, DatedMarketRow, WholeMarketRow } from './schemas.js'

export const markets = defineList({
  path: '/v3/markets',
  operationId: 'listMarkets',
  summary: 'Markets',
  description:
    'Markets of the catalogue, those of most volume first. Labels and slugs of tags are compared without regard to capitals, and `-` is a space. Rows without the value of `sort` come last in descending order.',
  tag: 'markets',
  access: V3,
  narrowBy: ['event_slug', 'closed=false'],
  params: Type.Object({}),
  query: Type.Object({
    ...CatalogueParameters,
    event_slug: Type.Optional(Slug),
    neg_risk: Type.Optional(Type.Boolean({ description: 'whether it is one of several outcomes' })),
    sort: oneOf(['volume_all_time', 'liquidity', 'created_at', 'end_date'], 'order of the rows', {
      default: 'volume_all_time',
    }),
    order: Order,
  }),
  page: { name: 'data', limitMax: 300 },
  view: createView({
    row: DatedMarketRow,
    select: selectCatalogueIds,
    keyOf: keyOfCatalogueId,
    complete: (sql, rows) => selectListedMarkets(sql, rows),
    present: (market) => ({
      ...presentWholeMarket(market),
      created_at: presentDate(market.createdSec),
    }),
  }),
  resolve: async (sql, { sort, order, closed, ...given }): Promise<CatalogueScope | undefined> => {
    const filters = await resolveCatalogueFilters(sql, given)
    if (filters === undefined) return undefined
    return { table: 'markets', sort, isAscending: order === 'asc', isClosed: closed, filters }
  },
})

export const marketOfCondition = defineList({
  path: '/v3/markets/condition/:condition_id',
  operationId: 'getMarketOfCondition',
  summary: 'The market of a condition',
  description: 'One row, or none when the catalogue does not have the condition.',
  tag: 'markets',
  access: V3,
  params: Type.Object({ condition_id: ConditionId }),
  query: Type.Object({}),
  page: { name: 'data', limit: 1, limitMax: 1, hasCursors: false, repeatsPath: false },
  view: createView({
    row: WholeMarketRow,
    select: async (_sql: Sql, { found }: { found: ListedMarket[] }, { offset }: Page) => found.slice(offset),
    keyOf: ({ id }) => [id],
    present: presentWholeMarket,
  }),
  resolve: async (sql, { condition_id: condition }) => ({
    found: [...(await selectMarketsOfConditions(sql, [condition])).values()],
  }),
})

export const marketListRoutes = endpointRoutes([markets, marketOfCondition])
