import type { ApiWorld } from '../api-world.js'
import { mostFrequent } from '../lists/subject.js'
import type { Request } from './explain-request.js'

const walletPositions = (world: ApiWorld) =>
  `/v3/wallets/${mostFrequent(world, ({ maker }) => maker)}/positions`
const closedPositions = (world: ApiWorld) =>
  `/v2/wallets/${mostFrequent(world, ({ maker }) => maker)}/closed-positions`
const tokenHolders = (world: ApiWorld) => `/v3/markets/${mostFrequent(world, ({ token }) => token)}/positions`

/** The condition whose token is traded most. */
function conditionHolders(world: ApiWorld): string {
  const of = world.universe.catalogue.token(mostFrequent(world, ({ token }) => token))?.of
  return `/v3/markets/condition/${of?.conditionId ?? ''}/positions`
}

const marketHolders = (world: ApiWorld): string =>
  conditionHolders(world).replace('/v3/markets/condition/', '/v1/markets/')

const sorted = (title: string, path: (world: ApiWorld) => string, sorts: readonly string[]): Request[] =>
  sorts.map((sort) => ({
    title: `${title}?sort=${sort}`,
    path,
    query: () => ({ sort }),
    rowsPerRow: 4,
  }))

/** Each order of a list of positions has an index of its own. */
export const EXPLAINED_POSITIONS: Request[] = [
  ...sorted('/v3/wallets/{address}/positions', walletPositions, [
    'realized_pnl',
    'amount',
    'volume',
    'recent',
  ]),
  ...sorted('/v3/positions', () => '/v3/positions', ['recent', 'pnl', 'size', 'volume']),
  ...sorted('/v3/markets/{token_id}/positions', tokenHolders, ['pnl', 'amount', 'volume']),
  ...sorted('/v3/markets/condition/{condition_id}/positions', conditionHolders, ['pnl', 'amount', 'volume']),
  {
    title: '/v1/wallets/{address}/positions',
    path: (world) => `/v1/wallets/${mostFrequent(world, ({ maker }) => maker)}/positions`,
    rowsPerRow: 4,
  },
  { title: '/v1/markets/{id}/positions', path: (world) => marketHolders(world), rowsPerRow: 4 },
  {
    // The newest 5,000 fills of an outcome are looked at.
    title: '/v1/markets/{id}/positions?includeTrades=true',
    path: (world) => marketHolders(world),
    query: () => ({ includeTrades: true }),
    rowsPerRow: 5_000 / 20,
  },
  ...['TIMESTAMP', 'REALIZEDPNL', 'AVGPRICE'].flatMap((sortBy) =>
    ['ASC', 'DESC'].map((sortDirection) => ({
      title: `closed-positions by ${sortBy} ${sortDirection}`,
      path: closedPositions,
      query: () => ({ sortBy, sortDirection }),
    })),
  ),
]
