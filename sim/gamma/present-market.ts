import { databaseTime, isoDate, isoTime, round } from '../markets/amounts.js'
import {
  baseFeeBps,
  feeSchedule,
  isClosed,
  isListed,
  isNegRisk,
  ORDER_SHARES_MIN,
  REWARD_ASSET,
  rewardsOf,
  tickSize,
} from '../markets/market-state.js'
import { isAnsweredByFeed, type Market, type Window } from '../universe/market.js'
import { SETTLEMENT_SEC } from '../universe/prices.js'
import type { Universe } from '../universe/universe.js'
import { settlesOnExchange } from '../universe/windows.js'
import { type Figures, readFigures } from './figures.js'
import { isNew, oracleStatuses } from './life.js'
import { presentGameMarket } from './present-game.js'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** A market without the event it belongs to. */
export function presentMarket(
  universe: Universe,
  market: Market,
  figures = readFigures(universe, market),
): object {
  // Spreading this many keys into one literal takes V8 thirty times as long.
  return Object.assign(
    presentIdentity(market),
    presentDates(universe, market),
    presentState(universe, market, figures),
    presentFigures(universe, market, figures),
    presentTerms(market, figures),
    presentOracle(universe, market),
    presentWindow(market.event.window),
    presentGameMarket(universe, market),
  )
}

const presentIdentity = (market: Market) => ({
  id: market.id,
  question: market.question,
  conditionId: market.conditionId,
  slug: market.slug,
  resolutionSource: market.event.resolutionSource,
  image: market.event.image,
  icon: market.event.image,
  description: market.description,
  category: market.event.category,
  questionID: market.questionId,
  outcomes: jsonText(market.outcomes),
  clobTokenIds: jsonText(market.tokens.map((token) => token.decimal)),
  marketMakerAddress: '',
  groupItemTitle: market.groupItemTitle,
  groupItemThreshold: String(market.index),
  version: 'v1',
  onchainEventId: null,
  requestId: null,
})

function presentDates(universe: Universe, market: Market) {
  const { createdMs, endMs, resolvesMs, event } = market
  return {
    startDate: isoTime(createdMs),
    endDate: isoTime(endMs),
    startDateIso: isoDate(createdMs),
    endDateIso: isoDate(endMs),
    createdAt: isoTime(createdMs),
    updatedAt: isoTime(Math.min(universe.nowMs, resolvesMs)),
    acceptingOrdersTimestamp: isoTime(createdMs),
    ...(event.window === undefined ? {} : { eventStartTime: isoTime(event.window.startMs) }),
  }
}

const presentState = (universe: Universe, market: Market, { book }: Figures) => ({
  active: true,
  closed: isClosed(universe, market),
  archived: false,
  new: isNew(universe, market.event),
  featured: false,
  restricted: true,
  ready: false,
  funded: false,
  approved: true,
  cyom: false,
  enableOrderBook: isListed(universe, market, book),
  acceptingOrders: book !== undefined,
  negRisk: isNegRisk(market),
  negRiskOther: false,
  ...(market.event.negRisk === undefined
    ? {}
    : { negRiskMarketID: market.event.negRisk.marketId, negRiskRequestID: market.requestId }),
  automaticallyActive: true,
  automaticallyResolved: isAnsweredByFeed(market.event),
  rfqEnabled: false,
  comboStatus: market.event.window === undefined ? 'enabled' : 'disabled',
  secondsDelay: 0,
  resolutionStatus: resolutionStatus(universe, market),
  holdingRewardsEnabled: false,
})

export const resolutionStatus = (universe: Universe, market: Market): string =>
  isClosed(universe, market) ? 'resolved' : 'active'

function presentFigures(universe: Universe, market: Market, figures: Figures) {
  const { price, volume, volume24hr, volume1wk, volume1mo, volume1yr, liquidity } = figures
  const change = (pastMs: number) => priceChange(universe, market, figures, pastMs)
  return {
    outcomePrices: jsonText([String(price), String(round(1 - price))]),
    volume: String(round(volume)),
    volumeNum: round(volume),
    volume24hr,
    volume1wk,
    volume1mo,
    volume1yr,
    volumeClob: round(volume),
    volume24hrClob: volume24hr,
    volume1wkClob: volume1wk,
    volume1moClob: volume1mo,
    volume1yrClob: volume1yr,
    liquidity: String(round(liquidity)),
    liquidityNum: round(liquidity),
    liquidityClob: round(liquidity),
    bestBid: figures.bestBid,
    bestAsk: figures.bestAsk,
    spread: round(figures.bestAsk - figures.bestBid),
    ...(figures.lastTradePrice === undefined ? {} : { lastTradePrice: figures.lastTradePrice }),
    oneHourPriceChange: change(HOUR_MS),
    oneDayPriceChange: change(DAY_MS),
    oneWeekPriceChange: change(7 * DAY_MS),
    oneMonthPriceChange: change(30 * DAY_MS),
    oneYearPriceChange: change(365 * DAY_MS),
    competitive: figures.competitive,
  }
}

/** Against the price of that time ago, or of the beginning where that is later. */
function priceChange(universe: Universe, market: Market, { price }: Figures, pastMs: number) {
  const thenMs = Math.max(market.createdMs, Math.min(universe.nowMs, market.endMs) - pastMs)
  return round(price - universe.fairAt(market, thenMs), 4)
}

function presentTerms(market: Market, { book }: Figures) {
  const fee = baseFeeBps(market)
  const rewards = rewardsOf(market)
  return {
    orderPriceMinTickSize: tickSize(book),
    orderMinSize: ORDER_SHARES_MIN,
    fee: '0',
    makerBaseFee: fee,
    takerBaseFee: fee,
    feesEnabled: fee > 0,
    ...(fee > 0
      ? {
          feeType: `${market.event.category.toLowerCase()}_fees_v2`,
          feeSchedule: feeSchedule(market),
        }
      : {}),
    rewardsMinSize: rewards?.sharesMin ?? 0,
    rewardsMaxSpread: rewards?.spreadCentsMax ?? 0,
    ...(rewards === undefined ? {} : { clobRewards: [presentReward(market, rewards.dailyRate)] }),
  }
}

const presentReward = (market: Market, dailyRate: number) => ({
  id: market.id,
  conditionId: market.conditionId,
  assetAddress: REWARD_ASSET,
  rewardsAmount: 0,
  rewardsDailyRate: dailyRate,
  startDate: isoDate(market.createdMs),
  endDate: isoDate(market.endMs),
})

function presentOracle(universe: Universe, market: Market) {
  const statuses = oracleStatuses(universe, market)
  const isResolved = isClosed(universe, market)
  return {
    umaBond: '500',
    umaReward: '5',
    umaResolutionStatus: statuses.at(-1) ?? '',
    umaResolutionStatuses: jsonText(statuses),
    resolvedBy: market.oracle,
    ...(isResolved
      ? { umaEndDate: isoTime(market.resolvesMs), closedTime: databaseTime(market.resolvesMs) }
      : {}),
  }
}

/** Windows that Chainlink decides name the mean that decides; hours and days go by Binance candles. */
function presentWindow(window: Window | undefined) {
  if (window === undefined || settlesOnExchange(window.interval)) return {}
  const { coin, interval } = window
  const id = `${coin}-${interval}-twap-${SETTLEMENT_SEC}`
  const config = { id, asset: coin, duration: interval, twapEnabled: true }
  return {
    cryptoMarketConfigId: id,
    cryptoMarketConfig: { ...config, twapLookbackSeconds: SETTLEMENT_SEC },
  }
}

/** Lists inside of markets are texts of JSON, with a blank after each comma. */
const jsonText = (items: readonly string[]): string =>
  `[${items.map((item) => JSON.stringify(item)).join(', ')}]`
