import type { FastifyPluginAsync } from 'fastify'
import { type KeyedAccess, STANDARD, V3 } from '../accounts/access.js'
import { notSupported } from '../core/errors.js'

/** Routes that clients of the platform's services know and that this service cannot answer, and why not. */
type UnsupportedFamily = {
  detail: string
  method: 'GET' | 'POST'
  paths: readonly string[]
  /** Absent: that of `/v3`. */
  access?: KeyedAccess
}

export const UNSUPPORTED: readonly UnsupportedFamily[] = [
  {
    detail:
      'Perpetuals are not traded on the chain that this service reads: it sees deposits to them and withdrawals alone.',
    method: 'GET',
    paths: ['/v3/perps', '/v3/perps/*'],
  },
  {
    detail:
      'What a wallet earned with resting orders is shown by the platform to the owner of the wallet alone. GET /v3/rewards/markets has what markets pay, GET /v3/wallets/{address}/rebates what makers got back.',
    method: 'GET',
    paths: ['/v3/wallets/:address/rewards'],
  },
  {
    detail:
      'Credits are transfers from distributors of the platform, whose addresses it does not publish; transfers of USDC.e are not kept either.',
    method: 'GET',
    paths: [
      '/v3/wallets/:address/credits',
      '/v3/wallets/:address/credits/totals',
      '/v3/wallets/:address/credits/series',
      '/v3/credits/leaderboard',
      '/v3/credits/stats',
      '/v3/credits/events',
      '/v3/credits/recipients/stats',
      '/v3/credits/distributors',
      '/v3/credits/txs/:hash',
    ],
  },
  {
    detail:
      'A username is changed at the platform, with a signature of its owner. This service reads, and writes nothing there.',
    method: 'POST',
    paths: ['/v3/polymarket/profiles/username/challenge', '/v3/polymarket/profiles/username/complete'],
  },
  {
    detail:
      'Brackets of tournaments are not published by the platform. GET /v2/sports/series has the series of leagues, GET /v2/sports/leagues/{league}/games their games.',
    method: 'GET',
    paths: ['/v2/sports/tournaments', '/v2/sports/tournaments/:id'],
    access: STANDARD,
  },
]

/** Each answers 501 with the reason: a client learns that it need not try again, or look for a mistake of its own. */
export const unsupportedRoutes: FastifyPluginAsync = async (app) => {
  for (const { detail, method, paths, access = V3 } of UNSUPPORTED) {
    const config = { access: { ...access, cost: 'small' as const } }
    for (const url of paths) {
      // The document lists what the service answers.
      app.route({
        method,
        url,
        config,
        schema: { hide: true },
        handler: async () => {
          throw notSupported(detail)
        },
      })
    }
  }
}
