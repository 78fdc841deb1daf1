import { isoTime, round } from '../markets/amounts.js'
import {
  baseFeeBps,
  bookOf,
  feeSchedule,
  isClosed,
  isListed,
  isNegRisk,
  ORDER_SHARES_MIN,
  REWARD_ASSET,
  rewardsOf,
  shownPrice,
  tickSize,
} from '../markets/market-state.js'
import type { Book } from '../universe/books.js'
import type { Market } from '../universe/market.js'
import { winnerOf } from '../universe/outcomes.js'
import type { Universe } from '../universe/universe.js'

/** The long form of a market, as `/markets` lists it. */
export function presentMarket(universe: Universe, market: Market): object {
  const { event } = market
  const book = bookOf(universe, market)
  const fee = baseFeeBps(market)
  return {
    enable_order_book: isListed(universe, market, book),
    active: true,
    closed: isClosed(universe, market),
    archived: false,
    accepting_orders: book !== undefined,
    accepting_order_timestamp: book === undefined ? null : isoTime(market.createdMs),
    minimum_order_size: ORDER_SHARES_MIN,
    minimum_tick_size: tickSize(book),
    condition_id: market.conditionId,
    question_id: market.questionId,
    question: market.question,
    description: market.description,
    market_slug: market.slug,
    end_date_iso: isoTime(market.endMs),
    game_start_time: null,
    seconds_delay: 0,
    fpmm: '',
    maker_base_fee: fee,
    taker_base_fee: fee,
    notifications_enabled: true,
    neg_risk: isNegRisk(market),
    neg_risk_market_id: event.negRisk?.marketId ?? '',
    neg_risk_request_id: event.negRisk === undefined ? '' : market.requestId,
    icon: event.image,
    image: event.image,
    rewards: presentRewards(market),
    is_50_50_outcome: isDraw(universe, market),
    tokens: presentTokens(universe, market, book),
    tags: event.tags.map(({ label }) => label),
  }
}

export function presentSimplifiedMarket(universe: Universe, market: Market): object {
  const book = bookOf(universe, market)
  return {
    condition_id: market.conditionId,
    rewards: presentRewards(market),
    tokens: presentTokens(universe, market, book),
    active: true,
    closed: isClosed(universe, market),
    archived: false,
    accepting_orders: book !== undefined,
  }
}

/** The short-keyed form that newer clients ask for before they place an order. */
export function presentCompactMarket(universe: Universe, market: Market): object {
  const [first, second] = market.tokens
  const book = bookOf(universe, market)
  const fee = baseFeeBps(market)
  const { rate, exponent, takerOnly } = feeSchedule(market)
  const [firstName, secondName] = market.outcomes
  const tokens = [
    { t: first.decimal, o: firstName },
    { t: second.decimal, o: secondName },
  ]
  return {
    c: market.conditionId,
    t: isListed(universe, market, book) ? tokens : [],
    mts: tickSize(book),
    mos: ORDER_SHARES_MIN,
    ...(isNegRisk(market) ? { nr: true } : {}),
    ...(market.feeRate > 0 ? { fd: { r: rate, e: exponent, to: takerOnly } } : {}),
    mbf: fee,
    tbf: fee,
    r: rewardsOf(market) === undefined ? null : presentRewards(market),
    ao: book !== undefined,
    sd: 0,
    gst: null,
    aot: book === undefined ? null : isoTime(market.createdMs),
  }
}

function presentRewards(market: Market): object {
  const rewards = rewardsOf(market)
  if (rewards === undefined) return { rates: null, min_size: 0, max_spread: 0 }
  return {
    rates: [{ asset_address: REWARD_ASSET, rewards_daily_rate: rewards.dailyRate }],
    min_size: rewards.sharesMin,
    max_spread: rewards.spreadCentsMax,
  }
}

export function presentTokens(
  universe: Universe,
  market: Market,
  book: Book | undefined = bookOf(universe, market),
) {
  if (!isListed(universe, market, book)) return []
  const price = shownPrice(universe, market, book)
  const payouts = universe.payouts(market)
  return market.tokens.map(({ decimal, outcome }) => ({
    token_id: decimal,
    outcome: market.outcomes[outcome],
    price: round(outcome === 0 ? price : 1 - price),
    winner: payouts !== undefined && winnerOf(payouts) === outcome,
  }))
}

function isDraw(universe: Universe, market: Market): boolean {
  const payouts = universe.payouts(market)
  return payouts !== undefined && winnerOf(payouts) === undefined
}
