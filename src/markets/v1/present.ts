import { toTokenId } from '../../core/ids.js'
import { toDecimal } from '../../core/money.js'
import type { TokenCandle } from '../candles/candle.js'
import { categoryOf, presentIsoSecond } from '../present.js'
import type { DayTrades, MarketFacts, TradedMarket } from './queries.js'

/** `outcome`: which one the row is about. */
export function presentTradedMarket(market: TradedMarket, outcome = 0) {
  const tokenIds = market.tokens.map(toTokenId)
  return {
    token_id: tokenIds[outcome] ?? null,
    ...presentMarketOf(market, outcome),
    token_ids: tokenIds,
    last_price: market.prices[outcome] ?? null,
    prices: market.prices,
    ...presentDay(market.day),
    last_status: 'confirmed' as const,
    volume: Number(market.volume),
    liquidity: Number(market.liquidity),
  }
}

const presentMarketOf = (market: MarketFacts, outcome: number) => ({
  condition_id: market.condition,
  question: market.question,
  slug: market.slug,
  event_slug: market.eventSlug,
  event_title: market.eventTitle,
  category: categoryOf(market),
  image: market.image,
  outcome: market.outcomes[outcome] ?? null,
  outcomes: market.outcomes,
  end_date: presentIsoSecond(market.endSec),
  active: market.active,
  closed: market.closed,
  neg_risk: market.negRisk,
})

const presentDay = (day: DayTrades | undefined) => ({
  volume_24h: toDecimal(day?.volume ?? 0n),
  trade_count_24h: day?.trades ?? 0,
  last_trade_at: (day?.lastSec ?? 0) * 1000,
})

/** `candles`: of the hours of the day, oldest first. */
export const presentTokenStats = (
  market: TradedMarket,
  outcome: number,
  { tokenId, candles }: { tokenId: string; candles: readonly TokenCandle[] },
) => ({
  token_id: tokenId,
  price: market.prices[outcome] ?? null,
  ...presentDay(market.day),
  ohlcv_24h: presentDayCandle(candles),
  volume: Number(market.volume),
  liquidity: Number(market.liquidity),
  metadata: { ...presentMarketOf(market, outcome), tags: market.tags },
})

function presentDayCandle(candles: readonly TokenCandle[]) {
  // Without shares there is no price.
  const priced = candles.filter(({ shares }) => shares > 0n)
  const [first] = priced
  const last = priced.at(-1)
  if (first === undefined || last === undefined) return null
  return {
    open: toDecimal(first.open),
    high: Math.max(...priced.map(({ high }) => toDecimal(high))),
    low: Math.min(...priced.map(({ low }) => toDecimal(low))),
    close: toDecimal(last.close),
    volume: toDecimal(candles.reduce((sum, { volume }) => sum + volume, 0n)),
  }
}

export const presentLiveCandle = (candle: TokenCandle) => ({
  timestamp: candle.timeSec,
  open: toDecimal(candle.open),
  high: toDecimal(candle.high),
  low: toDecimal(candle.low),
  close: toDecimal(candle.close),
  volume: toDecimal(candle.volume),
})
