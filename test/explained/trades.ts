import { ADDRESS } from '../../sim/contracts/addresses.js'
import type { ApiWorld } from '../api-world.js'
import { mostFrequent } from '../lists/subject.js'
import { mostCommonOf } from '../most-common.js'
import type { Request } from './explain-request.js'

const wallet = (world: ApiWorld) => mostFrequent(world, ({ maker }) => maker)
const token = (world: ApiWorld) => mostFrequent(world, ({ token }) => token)

const walletTrades = (world: ApiWorld) => `/v3/wallets/${wallet(world)}/trades`
const marketTrades = (world: ApiWorld) => `/v3/markets/${token(world)}/trades`
const allTrades = () => '/v3/trades'

/** An event with several markets, so that its trades are those of many tokens. */
function eventSlug({ universe, fills }: ApiWorld): string {
  const events = fills.flatMap((fill) => {
    const of = universe.catalogue.token(fill.token)?.of
    return of?.kind === 'market' && Number(of.event.id) % 4 !== 0 ? [of.event] : []
  })
  return events.sort((a, b) => b.markets.length - a.markets.length)[0]?.slug ?? ''
}

const marketSlug = (world: ApiWorld): string => {
  const of = world.universe.catalogue.token(token(world))?.of
  return of?.kind === 'market' ? of.slug : ''
}

const builder = (world: ApiWorld) =>
  mostFrequent(
    { ...world, fills: world.fills.filter((fill) => !/^0x0+$/.test(fill.builder)) },
    (fill) => fill.builder,
  )

const WALLET = '/v3/wallets/{address}'
const MARKET = '/v3/markets/{token_id}/trades'
const ALL = '/v3/trades'

const ofWallet = (query: Record<string, string>, rowsPerRow = 3): Request => ({
  title: `${WALLET}/trades?${new URLSearchParams(query)}`,
  path: walletTrades,
  query: () => query,
  rowsPerRow,
})

const ofAll = (query: Record<string, string>, rowsPerRow = 3): Request => ({
  title: `${ALL}?${new URLSearchParams(query)}`,
  path: allTrades,
  query: () => query,
  rowsPerRow,
})

const settlements = (title: string, path: (world: ApiWorld) => string): Request => ({
  title: `/v1/settlements/${title}`,
  path: (world) => `/v1/settlements/${path(world)}`,
  query: () => ({ count: 20 }),
  rowsPerRow: 40,
})

/** Those who traded the token that is traded most, most often. */
const ownersOf = (world: ApiWorld, wanted: number): string => {
  const traded = world.fills.filter((fill) => fill.token === token(world))
  return mostCommonOf(
    traded.map(({ maker }) => maker),
    wanted,
  ).join()
}

export const EXPLAINED_TRADES: Request[] = [
  ofWallet({}),
  ofWallet({ side: 'maker', sort_by: 'order_hash' }, 10),
  ofWallet({ group_by: 'order_hash' }, 10),
  ofWallet({ group_by: 'user_trade' }, 20),
  // Whichever of the two is rare among the rows of the wallet.
  ofWallet({ side: 'maker', fills: 'taker' }),
  ofWallet({ side: 'maker', fills: 'maker' }),
  { title: MARKET, path: marketTrades },
  {
    title: `${MARKET}?group_by=order_hash`,
    path: marketTrades,
    query: () => ({ group_by: 'order_hash' }),
    rowsPerRow: 10,
  },
  ofAll({}),
  ofAll({ order: 'asc' }),
  ofAll({ sort_by: 'order_hash' }, 10),
  ofAll({ group_by: 'order_hash' }, 10),
  {
    // One page for each of its tokens.
    title: `${ALL}?event_slug=`,
    path: allTrades,
    query: (world) => ({ event_slug: eventSlug(world) }),
    rowsPerRow: 20,
  },
  { title: `${ALL}?builder=`, path: allTrades, query: (world) => ({ builder: builder(world) }) },
  {
    title: `${ALL}?order_hash=`,
    path: allTrades,
    query: (world) => ({ order_hash: world.fills[700]?.orderHash }),
  },
  {
    title: '/v3/markets/slug/{slug}/trades',
    path: (world) => `/v3/markets/slug/${marketSlug(world)}/trades`,
    // One page for each of its tokens.
    rowsPerRow: 6,
  },
  {
    title: `${WALLET}/fees-paid`,
    path: (world) => `${WALLET.replace('{address}', wallet(world))}/fees-paid`,
  },
  {
    title: `${WALLET}/activity`,
    path: (world) => `${WALLET.replace('{address}', wallet(world))}/activity`,
  },
  // The blocks of the matches are read whole.
  settlements('recent', () => 'recent'),
  settlements('token/{token_id}', (world) => `token/${token(world)}`),
  settlements('wallet/{address}', (world) => `wallet/${wallet(world)}`),
  // 50 rows, whatever the limit.
  { title: '/v1/activity', path: () => '/v1/activity', rowsPerRow: 10 },
  { title: '/v1/wallets/{address}/trades', path: (world) => `/v1/wallets/${wallet(world)}/trades` },
  {
    title: '/v1/markets/{id}/trades',
    path: (world) => `/v1/markets/${marketSlug(world)}/trades`,
    rowsPerRow: 8,
  },
  {
    // One page for each of the wallets.
    title: '/v1/markets/{id}/trades?user=',
    path: (world) => `/v1/markets/${marketSlug(world)}/trades`,
    query: (world) => ({ user: ownersOf(world, 5) }),
    rowsPerRow: 30,
  },
  { title: '/v3/fees', path: () => '/v3/fees' },
  { title: '/v3/fees?order=asc', path: () => '/v3/fees', query: () => ({ order: 'asc' }) },
  { title: '/v3/fees/{receiver}', path: () => `/v3/fees/${ADDRESS.feeReceiver}` },
]
