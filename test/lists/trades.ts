import { allTrades, marketTrades, slugTrades, walletFees, walletTrades } from '../../src/trades/routes.js'
import type { ApiWorld } from '../api-world.js'
import { mostFrequent, type Subject } from './subject.js'

export const TRADE_LISTS: Subject[] = [
  {
    list: walletTrades,
    path: (world) => `/v3/wallets/${mostFrequent(world, ({ maker }) => maker)}/trades`,
    paged: [{}, { order: 'asc' }, { side: 'maker', sort_by: 'order_hash' }],
    unpaged: [{ group_by: 'order_hash' }, { group_by: 'user_trade' }],
  },
  {
    list: marketTrades,
    path: (world) => `/v3/markets/${mostFrequent(world, ({ token }) => token)}/trades`,
    paged: [{}, { order: 'asc' }, { sort_by: 'order_hash', order: 'asc' }],
    unpaged: [{ group_by: 'order_hash' }],
  },
  {
    list: slugTrades,
    path: (world) => `/v3/markets/slug/${mostFrequent(world, ({ token }) => slugOf(world, token))}/trades`,
    paged: [{}, { order: 'asc' }, { sort_by: 'order_hash' }],
    unpaged: [{ group_by: 'order_hash' }],
  },
  {
    list: allTrades,
    path: () => '/v3/trades',
    base: { min_amount_usd: '150' },
    paged: [{}, { order: 'asc' }, { sort_by: 'order_hash' }, { side: 'buy' }],
    unpaged: [{ group_by: 'order_hash' }],
  },
  {
    list: walletFees,
    path: (world) => {
      const charged = world.fills.filter(({ fee }) => fee > 0n)
      return `/v3/wallets/${mostFrequent({ ...world, fills: charged }, ({ maker }) => maker)}/fees-paid`
    },
    paged: [{}, { order: 'asc' }],
    unpaged: [],
  },
]

/** The slug of a token's market; the token itself where the catalogue of the test lacks the market. */
function slugOf({ universe }: ApiWorld, token: string): string {
  const of = universe.catalogue.token(token)?.of
  return of?.kind === 'market' && Number(of.event.id) % 4 !== 0 ? of.slug : token
}
