import { Type } from 'typebox'
import { V3 } from '../../accounts/access.js'
import { endpointRoutes } from '../../http/endpoint.js'
import { createView, defineList } from '../../http/list.js'
import { Order, oneOf, SearchText } from '../../http/parameters.js'
import { namedObject } from '../../lib/named-object.js'
import { nullable } from '../../lib/nullable.js'
import { resolveCatalogueFilters } from '../catalogue-filter.js'
import { type CatalogueScope, keyOfCatalogueId, selectCatalogueIds } from '../catalogue-page.js'
import { categoryOf, presentDate } from '../listing/present.js'
import { CatalogueParameters, Category, EndDate, Liquidity, TagLabels, Volume } from '../listing/schemas.js'
import { isSearchable, toQueryWords } from '../search/query-words.js'
import { hasEventText, type ListedEvent, selectListedEvents } from './queries.js'

const ListedEventRow = namedObject('Event', {
  event_id: Type.Integer(),
  event_slug: nullable(Type.String()),
  event_title: nullable(Type.String()),
  category: Category,
  tag_slugs: TagLabels,
  market_count: Type.Integer({ minimum: 0 }),
  active: Type.Boolean(),
  closed: Type.Boolean(),
  neg_risk: Type.Boolean(),
  volume_all_time: Volume,
  liquidity: Liquidity,
  end_date: EndDate,
  image: nullable(Type.String()),
  condition_ids: Type.Array(Type.String()),
})

const presentListedEvent = (event: ListedEvent) => ({
  event_id: event.id,
  event_slug: event.slug,
  event_title: event.title,
  category: categoryOf(event),
  tag_slugs: event.tags,
  market_count: event.marketCount,
  active: event.active,
  closed: event.closed,
  neg_risk: event.negRisk,
  volume_all_time: event.volume,
  liquidity: event.liquidity,
  end_date: presentDate(event.endSec),
  image: event.image,
  condition_ids: event.conditions,
})

export const events = defineList({
  path: '/v3/events',
  operationId: 'listEvents',
  summary: 'Events',
  description:
    'Events of the catalogue, which are groups of markets, those of most volume first. `q` finds events with all its words in title or slug.',
  tag: 'markets',
  access: V3,
  narrowBy: ['q', 'tag_slug', 'closed=false'],
  params: Type.Object({}),
  query: Type.Object({
    ...CatalogueParameters,
    q: Type.Optional(SearchText),
    sort: oneOf(
      ['volume_all_time', 'liquidity', 'market_count', 'created_at', 'end_date'],
      'order of the rows',
      { default: 'volume_all_time' },
    ),
    order: Order,
  }),
  page: { name: 'data', limitMax: 300 },
  view: createView({
    row: ListedEventRow,
    select: selectCatalogueIds,
    keyOf: keyOfCatalogueId,
    complete: selectListedEvents,
    present: presentListedEvent,
  }),
  resolve: async (sql, input): Promise<CatalogueScope | undefined> => {
    const { sort, order, closed, q, ...given } = input
    const words = q === undefined ? undefined : toQueryWords(q)
    const filters = await resolveCatalogueFilters(sql, given)
    if (filters === undefined || (words !== undefined && !isSearchable(words))) return undefined
    return {
      table: 'events',
      sort,
      isAscending: order === 'asc',
      isClosed: closed,
      filters: words === undefined ? filters : [...filters, hasEventText(sql, words)],
    }
  },
})

export const eventRoutes = endpointRoutes([events])
