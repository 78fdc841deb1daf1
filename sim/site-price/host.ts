import type { HostParts, HttpReply, HttpRequest } from '../server/handlers.js'
import type { Universe } from '../universe/universe.js'
import { Candles } from './candles.js'
import { cryptoPrice, priceHistory } from './crypto-price.js'
import { pastResults } from './past-results.js'
import { BadQuery } from './query.js'

type Route = (universe: Universe, query: URLSearchParams) => object

/** The price API behind the pages of the up-or-down markets. It talks to browsers only. */
export function createSiteHost(universe: Universe): HostParts {
  const candles = new Candles(universe)
  const routes: { readonly [path: string]: Route } = {
    '/api/crypto/crypto-price': cryptoPrice,
    '/api/crypto/price-history': priceHistory,
    '/api/past-results': pastResults,
    '/api/chainlink-candles': (_, query) => candles.list(query),
  }
  return {
    http(request) {
      if (!looksLikeBrowser(request)) return { status: 403, body: 'Forbidden' }
      const route = routes[request.path]
      return route === undefined ? notFound : run(route, universe, request)
    },
  }
}

function run(route: Route, universe: Universe, { query }: HttpRequest): HttpReply {
  try {
    return { status: 200, body: route(universe, query) }
  } catch (error) {
    if (error instanceof BadQuery) return { status: 400, body: { error: error.message } }
    throw error
  }
}

const notFound: HttpReply = { status: 404, body: { error: 'Not found' } }

const looksLikeBrowser = ({ headers }: HttpRequest): boolean =>
  headers['user-agent']?.startsWith('Mozilla/') ?? false
