import type { Request } from './explain-request.js'

export const EXPLAINED_LEADERBOARDS: Request[] = [
  { title: '/v3/leaderboard', path: () => '/v3/leaderboard' },
  {
    title: '/v3/leaderboard?sort=loss&tags=crypto',
    path: () => '/v3/leaderboard',
    query: () => ({ sort: 'loss', tags: 'crypto' }),
  },
  {
    title: '/v3/leaderboard?period=7d&offset=5',
    path: () => '/v3/leaderboard',
    query: () => ({ period: '7d', offset: 5 }),
  },
  {
    title: '/v3/tags/crypto/leaderboard',
    path: () => '/v3/tags/crypto/leaderboard',
  },
]
