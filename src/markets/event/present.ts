import { toTokenId } from '../../core/ids.js'
import { toDecimal } from '../../core/money.js'
import { presentIsoSecond, presentPriceTexts } from '../present.js'
import type { ListedMarket } from '../queries.js'
import type { EventSummary } from './queries.js'

type PricedMarket = ListedMarket & { prices: (number | null)[] }

/** In the names of the platform. */
export const presentEventSummary = (event: EventSummary) => ({
  slug: event.slug,
  title: event.title,
  image: event.image ?? '',
  active: event.active,
  closed: event.closed,
  volume: Number(event.volume),
  volume24hr: toDecimal(event.dayVolume),
  liquidity: Number(event.liquidity),
  startDate: presentIsoSecond(event.startSec) ?? '',
})

export const presentEventEnd = (event: EventSummary) => ({
  endDate: presentIsoSecond(event.endSec) ?? '',
  negRisk: event.negRisk,
})

export const presentEventMarket = (market: PricedMarket) => ({
  id: String(market.id),
  slug: market.slug ?? '',
  question: market.question ?? '',
  conditionId: market.condition ?? '',
  groupItemTitle: market.groupTitle ?? '',
  outcomes: market.outcomes,
  outcomePrices: presentPriceTexts(market.prices),
  clobTokenIds: market.tokens.map(toTokenId),
  volume: Number(market.volume),
  liquidity: Number(market.liquidity),
  active: market.active,
  closed: market.closed,
})
