import { eventStats, marketStats } from '../../src/markets/stats/routes.js'
import type { Subject } from './subject.js'

const SORTS = ['volume', 'trades', 'traders', 'fees']
const paged = [...SORTS.map((sort) => ({ sort })), { period: 'all' }, { period: '7d' }]

export const STATS_LISTS: Subject[] = [
  { list: marketStats, path: () => '/v3/markets/stats', paged, unpaged: [], isOfSeq: false },
  { list: eventStats, path: () => '/v3/events/stats', paged, unpaged: [], isOfSeq: false },
]
