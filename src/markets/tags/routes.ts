import { Type } from 'typebox'
import { V3 } from '../../accounts/access.js'
import { notFound } from '../../core/errors.js'
import type { Page } from '../../core/page.js'
import { endpointRoutes } from '../../http/endpoint.js'
import { createView, defineList } from '../../http/list.js'
import { oneOf, Slug } from '../../http/parameters.js'
import { errorReply } from '../../lib/error-reply.js'
import { namedObject } from '../../lib/named-object.js'
import { selectTagIds } from '../../lookups/tag-filter.js'
import type { Sql } from '../../store/connection.js'
import { type CatalogueScope, hasTag, keyOfCatalogueId, selectCatalogueIds } from '../catalogue-page.js'
import { presentListedMarket } from '../present.js'
import { selectListedMarkets } from '../queries.js'
import { ListedMarketRow } from '../schemas.js'
import { onchainTags } from './onchain.js'
import { selectTags } from './queries.js'

export const tags = defineList({
  path: '/v3/tags',
  operationId: 'listTags',
  summary: 'Tags',
  description: 'Tags with how many markets have them, the most frequent first; counted every hour.',
  tag: 'markets',
  access: V3,
  page: { name: 'tags', limitMax: 300 },
  view: createView({
    row: namedObject('Tag', {
      tag: Type.String({ description: 'label' }),
      market_count: Type.Integer({ minimum: 1 }),
    }),
    select: (sql: Sql, _scope: object, page: Page) => selectTags(sql, page),
    keyOf: ({ markets, slug }) => [-markets, slug],
    present: ({ label, markets }) => ({ tag: label, market_count: markets }),
  }),
  resolve: async () => ({}),
})

export const tagMarkets = defineList({
  path: '/v3/tags/:slug',
  operationId: 'listMarketsOfTag',
  summary: 'Markets of a tag',
  description:
    'The markets of a tag, which may be given by slug or label, in capitals or small letters, with `-` for a space.',
  tag: 'markets',
  access: V3,
  errors: { 404: errorReply('There is no such tag', { tag: Type.String() }, 'UnknownTagError') },
  params: Type.Object({ slug: Slug }),
  query: Type.Object({
    sort: oneOf(['volume_all_time', 'liquidity', 'created_at'], 'order of the rows, descending', {
      default: 'volume_all_time',
    }),
  }),
  page: { name: 'data', limitMax: 300, repeatsPath: false },
  view: createView({
    row: ListedMarketRow,
    select: selectCatalogueIds,
    keyOf: keyOfCatalogueId,
    complete: (sql, rows) => selectListedMarkets(sql, rows),
    present: presentListedMarket,
  }),
  resolve: async (sql, { slug, sort }): Promise<CatalogueScope> => {
    const ids = await selectTagIds(sql, slug)
    if (ids.length === 0) throw notFound('tag not found', { tag: slug })
    return {
      table: 'markets',
      sort,
      isAscending: false,
      filters: [hasTag(sql, { tags: ids, isCategory: false })],
    }
  },
})

export const tagRoutes = endpointRoutes([tags, tagMarkets, onchainTags])
