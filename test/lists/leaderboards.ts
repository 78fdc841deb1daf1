import { leaderboard, tagLeaderboard } from '../../src/leaderboards/routes.js'
import type { Subject } from './subject.js'

/** A hundred rows are whole pages of this size. */
const shared = { unpaged: [], limitMax: 100, pageSize: 20, isOfSeq: false }

export const LEADERBOARD_LISTS: Subject[] = [
  {
    ...shared,
    list: leaderboard,
    path: () => '/v3/leaderboard',
    paged: [
      {},
      { sort: 'loss' },
      { sort: 'volume', tags: 'crypto' },
      { sort: 'wins', category: 'crypto' },
      { period: '7d' },
    ],
  },
  {
    ...shared,
    list: tagLeaderboard,
    path: () => '/v3/tags/crypto/leaderboard',
    paged: [{}, { sort: 'loss' }, { sort: 'volume' }],
  },
]
