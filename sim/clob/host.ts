import { baseFeeBps, isNegRisk, tickSize } from '../markets/market-state.js'
import type { HostParts, HttpReply, HttpRequest } from '../server/handlers.js'
import type { Market } from '../universe/market.js'
import type { SettledMatch } from '../universe/settled-acts.js'
import type { Universe } from '../universe/universe.js'
import { findBook, readTokenId, requireToken } from './asked-tokens.js'
import { listBuilderTrades, showBuilderFees } from './builder-trades.js'
import { batchPriceHistory, priceHistory } from './history.js'
import { presentCompactMarket, presentMarket } from './market-info.js'
import { MarketPages } from './market-pages.js'
import { decimal, showPrice } from './order-book.js'
import { QUOTE_ROUTES } from './quote-routes.js'
import { listRebates } from './rebates.js'
import { Refusal } from './refusal.js'

type Route = (request: HttpRequest) => unknown

/** The REST side of the exchange, reads only. `skewMs` is by how much its own clock is wrong. */
export function createClobHost(universe: Universe, skewMs: () => number = () => 0): HostParts {
  const pages = new MarketPages(universe)
  const routes = createRoutes(universe, pages, skewMs)
  return {
    http: (request) => {
      try {
        return answer(universe, pages, routes, request)
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        return { status: error.status, body: { error: error.message } }
      }
    },
  }
}

function createRoutes(universe: Universe, pages: MarketPages, skewMs: () => number): Map<string, Route> {
  const routes = new Map<string, Route>([
    ['GET /', () => 'OK'],
    ['GET /ok', () => 'OK'],
    ['GET /time', () => String(Math.floor((universe.nowMs + skewMs()) / 1000))],
    ['GET /prices-history', (request) => priceHistory(universe, request)],
    ['POST /batch-prices-history', (request) => batchPriceHistory(universe, request)],
    ['GET /markets', ({ query }) => pages.markets(query.get('next_cursor'))],
    ['GET /simplified-markets', ({ query }) => pages.simplified(query.get('next_cursor'))],
    ['GET /sampling-markets', ({ query }) => pages.sampling(query.get('next_cursor'))],
    ['GET /sampling-simplified-markets', ({ query }) => pages.samplingSimplified(query.get('next_cursor'))],
    [
      'GET /rewards/markets/current',
      ({ query }) => pages.rewarded(query.get('next_cursor'), asksForSponsors(query)),
    ],
    ['GET /rewards/markets/multi', ({ query }) => pages.searchRewarded(query)],
    ['GET /builder/trades', ({ query }) => listBuilderTrades(universe, query)],
    ['GET /rebates/current', ({ query }) => listRebates(universe, query)],
    ['GET /tick-size', ({ query }) => presentTickSize(universe, readTokenId(query))],
    [
      'GET /neg-risk',
      ({ query }) => ({ neg_risk: isNegRisk(requireToken(universe, readTokenId(query)).of) }),
    ],
    ['GET /fee-rate', ({ query }) => presentFeeRate(universe, readTokenId(query))],
  ])
  for (const [name, handle] of Object.entries(QUOTE_ROUTES)) {
    routes.set(name, (request) => handle(universe, request))
  }
  return routes
}

function answer(
  universe: Universe,
  pages: MarketPages,
  routes: Map<string, Route>,
  request: HttpRequest,
): HttpReply {
  const method = request.method === 'HEAD' ? 'GET' : request.method
  const route = routes.get(`${method} ${request.path}`)
  const body = route === undefined ? answerByPath(universe, pages, request) : route(request)
  if (body === undefined) return { status: 404, body: { error: 'not found' } }
  if (typeof body !== 'string') return { status: 200, body }
  return { status: 200, body, headers: { 'content-type': 'text/plain' } }
}

/** Paths that end in an id. `undefined`: no such path. */
function answerByPath(universe: Universe, pages: MarketPages, { path, query }: HttpRequest): unknown {
  const cut = path.lastIndexOf('/')
  const id = path.slice(cut + 1)
  switch (path.slice(0, cut)) {
    case '/markets':
      return presentMarket(universe, requireMarket(universe, id))
    case '/clob-markets':
      return presentCompactMarket(universe, requireMarket(universe, id))
    case '/rewards/markets': {
      const market = requireMarket(universe, id)
      return pages.rewardDetail(market, query.get('next_cursor'), asksForSponsors(query))
    }
    case '/fees/builder-fees':
      return showBuilderFees(universe, id)
    case '/markets-by-token':
      return presentParent(universe, id)
    // Two paths: clients in use know the one or the other.
    case '/markets/live-activity':
    case '/live-activity/events':
      return listActivity(universe, requireMarket(universe, id))
    default:
      return undefined
  }
}

const asksForSponsors = (query: URLSearchParams): boolean => query.get('sponsored') === 'true'

function requireMarket(universe: Universe, conditionId: string): Market {
  if (!/^0x[0-9a-fA-F]{64}$/.test(conditionId)) throw new Refusal(400, 'Invalid market')
  const market = universe.catalogue.marketByCondition(conditionId.toLowerCase())
  if (market === undefined) throw new Refusal(404, 'market not found')
  return market
}

function presentParent(universe: Universe, tokenId: string): object {
  const { of } = requireToken(universe, tokenId)
  const [primary, secondary] = of.tokens
  return {
    condition_id: of.conditionId,
    primary_token_id: primary.decimal,
    secondary_token_id: secondary.decimal,
  }
}

function presentTickSize(universe: Universe, tokenId: string): object {
  requireToken(universe, tokenId)
  return { minimum_tick_size: tickSize(findBook(universe, tokenId)) }
}

function presentFeeRate(universe: Universe, tokenId: string): object {
  const { of } = requireToken(universe, tokenId)
  return { base_fee: of.kind === 'market' ? baseFeeBps(of) : 0 }
}

const TRADES_MAX = 100

/** The newest trades of a market with who took them, the newest first. */
function listActivity(universe: Universe, market: Market): object[] {
  return universe.settledActs
    .ofMarket(market)
    .slice(-TRADES_MAX)
    .reverse()
    .map((settled) => presentTrade(market, settled))
}

function presentTrade(market: Market, { tx, block }: SettledMatch): object {
  const { order, usd, shares } = tx.act.taker
  const { wallet, token } = order
  return {
    event_type: 'trade',
    market: {
      condition_id: market.conditionId,
      asset_id: token.decimal,
      question: market.question,
      icon: market.event.image,
      slug: market.slug,
    },
    user: {
      address: wallet.address,
      username: wallet.name,
      profile_picture: wallet.profileImage,
      optimized_profile_picture: wallet.profileImage,
      pseudonym: wallet.pseudonym,
    },
    side: order.side,
    size: decimal(shares, 6),
    fee_rate_bps: String(baseFeeBps(market)),
    price: showPrice(Math.round((usd * 10_000) / shares)),
    outcome: market.outcomes[token.outcome],
    outcome_index: token.outcome,
    transaction_hash: tx.hash,
    timestamp: String(block.timestampSec),
  }
}
