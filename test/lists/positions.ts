import {
  conditionHolders,
  globalPositions,
  slugHolders,
  tokenHolders,
  walletPositions,
} from '../../src/positions/routes.js'
import type { ApiWorld } from '../api-world.js'
import { mostFrequent, type Subject } from './subject.js'

// What positions are like as of a block is in src/positions/cursor-pagination.test.ts.
const isOfSeq = false

export const POSITION_LISTS: Subject[] = [
  {
    list: walletPositions,
    path: (world) => `/v3/wallets/${mostFrequent(world, ({ maker }) => maker)}/positions`,
    paged: [
      {},
      { sort: 'recent', order: 'asc' },
      { sort: 'avg_price' },
      { sort: 'size', status: 'open' },
      { sort: 'volume', min_size: '1' },
    ],
    unpaged: [],
    isOfSeq,
  },
  {
    list: globalPositions,
    path: () => '/v3/positions',
    base: { min_size: '300' },
    paged: [{}, { sort: 'pnl', order: 'asc' }, { sort: 'size' }, { sort: 'volume', status: 'open' }],
    unpaged: [],
    isOfSeq,
  },
  {
    list: tokenHolders,
    path: (world) => `/v3/markets/${mostFrequent(world, ({ token }) => token)}/positions`,
    paged: [{}, { sort: 'amount' }, { sort: 'volume', status: 'open' }],
    unpaged: [],
    isOfSeq,
  },
  {
    list: conditionHolders,
    path: (world) =>
      `/v3/markets/condition/${mostFrequent(world, ({ token }) => marketOf(world, token).condition)}/positions`,
    paged: [{}, { sort: 'amount' }, { sort: 'volume', status: 'open' }],
    unpaged: [],
    limitMax: 1000,
    isOfSeq,
  },
  {
    list: slugHolders,
    path: (world) =>
      `/v3/markets/slug/${mostFrequent(world, ({ token }) => marketOf(world, token).slug)}/positions`,
    paged: [{}, { sort: 'amount' }, { sort: 'volume', status: 'open' }],
    unpaged: [],
    isOfSeq,
  },
]

/** The market of a token; the token itself where the catalogue of the test lacks the market. */
function marketOf({ universe }: ApiWorld, token: string): { condition: string; slug: string } {
  const of = universe.catalogue.token(token)?.of
  if (of?.kind !== 'market' || Number(of.event.id) % 4 === 0) return { condition: token, slug: token }
  return { condition: of.conditionId, slug: of.slug }
}
