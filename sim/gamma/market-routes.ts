import type { Market } from '../universe/market.js'
import type { Gamma } from './gamma.js'
import { MARKET_ORDER, selectMarkets } from './market-list.js'
import { type Order, orderRows, type Row, readOrder } from './ordering.js'
import { keysetPage, offsetPage } from './paging.js'
import { askedFlag } from './parameters.js'
import { createMarketPresenter } from './present-event.js'
import { presentTag } from './present-tag.js'
import { notFound } from './refusal.js'

const OFFSET_LIMIT_MAX = 500
const KEYSET_LIMIT_MAX = 100

export function listMarkets(gamma: Gamma, query: URLSearchParams): object[] {
  const order = readOrder(query, MARKET_ORDER)
  const rows = rowsOf(gamma, query, order)
  const page = offsetPage(rows, query, OFFSET_LIMIT_MAX)
  return presentAll(
    gamma,
    query,
    page.map(({ item }) => item),
  )
}

export function pageMarkets(gamma: Gamma, query: URLSearchParams): object {
  const order = readOrder(query, MARKET_ORDER)
  const rows = rowsOf(gamma, query, order)
  const { items, cursor } = keysetPage(rows, query, order, KEYSET_LIMIT_MAX)
  const markets = presentAll(gamma, query, items)
  return cursor === undefined ? { markets } : { markets, next_cursor: cursor }
}

function rowsOf(gamma: Gamma, query: URLSearchParams, order: Order): readonly Row<Market>[] {
  const { universe, markets } = gamma
  return markets.of(query, universe.chain.head.number, () =>
    orderRows(universe, selectMarkets(gamma, query), MARKET_ORDER, order),
  )
}

export function showMarket(gamma: Gamma, query: URLSearchParams, market: Market): object {
  return presentAll(gamma, query, [market])[0] ?? {}
}

export function requireMarket({ universe }: Gamma, by: 'id' | 'slug', value: string): Market {
  const { catalogue } = universe
  const market = by === 'id' ? catalogue.marketById(value) : catalogue.marketBySlug(value)
  if (market === undefined) throw notFound(`${by} not found`)
  return market
}

function presentAll({ universe }: Gamma, query: URLSearchParams, markets: Market[]): object[] {
  const present = createMarketPresenter(universe)
  if (askedFlag(query, 'include_tag') !== true) return markets.map(present)
  return markets.map((market) =>
    Object.assign(present(market), { tags: market.event.tags.map(presentTag) }),
  )
}
