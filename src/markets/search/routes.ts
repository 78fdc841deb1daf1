import { Type } from 'typebox'
import { V3 } from '../../accounts/access.js'
import { endpointRoutes } from '../../http/endpoint.js'
import { createView, defineList } from '../../http/list.js'
import { SearchText } from '../../http/parameters.js'
import { namedObject } from '../../lib/named-object.js'
import { nullable } from '../../lib/nullable.js'
import { StructuredMarket } from '../../lookups/market-block.js'
import { isSearchable, toQuerySlug, toQueryWords } from '../../lookups/query-words.js'
import { categoryOf, presentStructure, winnerOf } from '../present.js'
import { type ListedMarket, selectListedMarkets } from '../queries.js'
import { Category, TagLabels, Volume, WinningOutcome } from '../schemas.js'
import { keyOfFoundMarket, type SearchScope, selectExactMatches, selectFound } from './queries.js'

const FoundMarketRow = namedObject('FoundMarket', {
  condition_id: nullable(Type.String()),
  question: nullable(Type.String()),
  slug: nullable(Type.String()),
  category: Category,
  volume_all_time: Volume,
  active: Type.Boolean(),
  closed: Type.Boolean(),
  winning_outcome_index: WinningOutcome,
  tag_slugs: TagLabels,
  ...StructuredMarket,
})

const presentFound = (market: ListedMarket) => ({
  condition_id: market.condition,
  question: market.question,
  slug: market.slug,
  category: categoryOf(market),
  volume_all_time: market.volume,
  active: market.active,
  closed: market.closed,
  winning_outcome_index: winnerOf(market),
  tag_slugs: market.tags,
  ...presentStructure(market),
})

export const marketSearch = defineList({
  path: '/v3/markets/search',
  operationId: 'searchMarkets',
  summary: 'Search of markets',
  description:
    'Markets with all words of `q` in the question, the slug or the title of the event, in any order, without regard to capitals and accents; punctuation is literal. A market whose slug is `q` comes first, then those of the event with that slug, then markets with the words at beginnings of words, then inside of words; each by volume. Words of one or two letters match beginnings only. When no market has all words, misspelt ones are corrected.',
  tag: 'markets',
  access: V3,
  narrowBy: ['more words in q'],
  query: Type.Object({ q: SearchText }),
  page: { name: 'data', limitMax: 300 },
  view: createView({
    row: FoundMarketRow,
    select: selectFound,
    keyOf: keyOfFoundMarket,
    complete: (sql, rows) => selectListedMarkets(sql, rows),
    present: presentFound,
  }),
  resolve: async (sql, { q }): Promise<SearchScope | undefined> => {
    const words = toQueryWords(q)
    if (!isSearchable(words)) return undefined
    return { q, words, ...(await selectExactMatches(sql, toQuerySlug(q))) }
  },
})

export const marketSearchRoutes = endpointRoutes([marketSearch])
