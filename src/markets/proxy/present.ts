import { toTokenId } from '../../core/ids.js'
import { isStructuredId } from '../../core/structured-id.js'
import { presentIsoSecond, presentPriceTexts } from '../present.js'
import type { ProxyEvent, ProxyMarket } from './queries.js'

/** In the names and the forms of the platform's catalogue. */
export const presentProxyEvent = (event: ProxyEvent) => ({
  id: String(event.id),
  slug: event.slug,
  title: event.title,
  startDate: presentIsoSecond(event.startSec) ?? '',
  endDate: presentIsoSecond(event.endSec) ?? '',
  active: event.active,
  closed: event.closed,
  markets: event.markets.map(presentProxyMarket),
})

function presentProxyMarket(market: ProxyMarket) {
  const tokenIds = JSON.stringify(market.tokens.map(toTokenId))
  const isStructured = market.tokens.some(isStructuredId)
  return {
    id: String(market.id),
    slug: market.slug ?? '',
    question: market.question ?? '',
    conditionId: market.condition ?? '',
    outcomes: JSON.stringify(market.outcomes),
    outcomePrices: JSON.stringify(presentPriceTexts(market.prices)),
    clobTokenIds: tokenIds,
    volume: market.volume,
    volume24hr: market.dayVolume,
    liquidity: market.liquidity,
    feesEnabled: market.hasFees,
    takerBaseFee: market.takerBaseFee,
    version: isStructured ? ('v2' as const) : ('v1' as const),
    ...(isStructured && { positionIds: tokenIds }),
    active: market.active,
    closed: market.closed,
    acceptingOrders: market.acceptingOrders,
  }
}
