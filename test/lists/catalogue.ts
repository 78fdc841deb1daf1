import { events, markets, resolutions } from '../../src/markets/routes.js'
import { marketSearch } from '../../src/markets/search/routes.js'
import { tagMarkets, tags } from '../../src/markets/tags/routes.js'
import type { Subject } from './subject.js'

export const CATALOGUE_LISTS: Subject[] = [
  {
    list: markets,
    path: () => '/v3/markets',
    base: { tag_slug: 'Daily-Temperature' },
    paged: [
      {},
      { sort: 'liquidity', closed: 'false' },
      { sort: 'created_at', neg_risk: 'true' },
      { sort: 'end_date', order: 'asc', category: 'weather' },
    ],
    unpaged: [],
    isOfSeq: false,
  },
  {
    list: marketSearch,
    path: () => '/v3/markets/search',
    base: { q: 'temperature' },
    paged: [{}, { q: 'november emperat' }, { q: 'tempreature' }],
    unpaged: [],
    isOfSeq: false,
  },
  {
    list: events,
    path: () => '/v3/events',
    base: { tag_slug: '4h' },
    paged: [
      {},
      { sort: 'liquidity', order: 'asc' },
      { sort: 'market_count', q: 'down up' },
      { sort: 'created_at', active: 'true' },
      { sort: 'end_date', closed: 'false' },
    ],
    unpaged: [],
    isOfSeq: false,
  },
  { list: tags, path: () => '/v3/tags', paged: [{}], unpaged: [], isOfSeq: false },
  {
    list: tagMarkets,
    path: () => '/v3/tags/weather',
    paged: [{}, { sort: 'liquidity' }, { sort: 'created_at' }],
    unpaged: [],
    isOfSeq: false,
  },
  { list: resolutions, path: () => '/v3/resolutions', paged: [{}], unpaged: [] },
]
