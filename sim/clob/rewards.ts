import { isoDate, round } from '../markets/amounts.js'
import { REWARD_ASSET, rewardsOf } from '../markets/market-state.js'
import type { Market } from '../universe/market.js'
import type { Universe } from '../universe/universe.js'
import { presentTokens } from './market-info.js'

const DAY_MS = 86_400_000

type Sponsors = { count: number; dailyRate: number }

/** People who add to what a market pays: one market in five has some. */
function sponsorsOf(market: Market): Sponsors {
  const number = Number(market.id)
  if (number % 5 !== 0) return { count: 0, dailyRate: 0 }
  return { count: 1 + (number % 3), dailyRate: 10 + (number % 7) * 2.5 }
}

/** A market as the list of those that pay rewards has it. */
export function presentRewardedMarket(market: Market, isSponsored: boolean): object {
  const native = rewardsOf(market)?.dailyRate ?? 0
  const { count, dailyRate } = sponsorsOf(market)
  return {
    condition_id: market.conditionId,
    ...presentTerms(market, isSponsored),
    native_daily_rate: native,
    ...(isSponsored && { sponsored_daily_rate: dailyRate, sponsors_count: count }),
    total_daily_rate: isSponsored ? native + dailyRate : native,
  }
}

/** How many others rest orders there, from 0 to about 10. */
export const competitivenessOf = ({ id }: Market): number => round((Number(id) % 97) / 10)

/** The same market when it is asked for by its condition. */
export function presentRewardDetail(universe: Universe, market: Market, isSponsored: boolean): object {
  return {
    condition_id: market.conditionId,
    question: market.question,
    market_slug: market.slug,
    event_slug: market.event.slug,
    image: market.event.image,
    ...presentTerms(market, isSponsored),
    market_competitiveness: competitivenessOf(market),
    tokens: presentRewardTokens(universe, market),
  }
}

export const presentRewardTokens = (universe: Universe, market: Market): object[] =>
  presentTokens(universe, market).map(({ token_id, outcome, price }) => ({ token_id, outcome, price }))

/** Sponsors are part of the rate where they are asked for. */
export function presentTerms(market: Market, isSponsored: boolean) {
  const rewards = rewardsOf(market)
  const rate = (rewards?.dailyRate ?? 0) + (isSponsored ? sponsorsOf(market).dailyRate : 0)
  const days = Math.max(1, Math.ceil((market.endMs - market.createdMs) / DAY_MS))
  return {
    rewards_max_spread: rewards?.spreadCentsMax ?? 0,
    rewards_min_size: rewards?.sharesMin ?? 0,
    rewards_config: [
      {
        id: Number(market.id),
        asset_address: REWARD_ASSET,
        start_date: isoDate(market.createdMs),
        end_date: isoDate(market.endMs),
        rate_per_day: rate,
        total_rewards: rate * days,
        total_days: days,
      },
    ],
  }
}
