import { toTokenId } from '../core/ids.js'
import { toIsoSecond, toMicrosecondText, toTimestampText } from '../core/unix-time.js'
import { presentStructuredMarket } from '../lookups/market-block.js'
import { winningOutcomeOf } from '../lookups/position.js'
import type { ConditionRow, ListedMarket, ResolutionRow } from './queries.js'

export const presentListedMarket = (market: ListedMarket) => ({
  condition_id: market.condition,
  question: market.question,
  slug: market.slug,
  outcomes: market.outcomes,
  category: categoryOf(market),
  active: market.active,
  closed: market.closed,
  neg_risk: market.negRisk,
  volume_all_time: market.volume,
  liquidity: market.liquidity,
  end_date: presentDate(market.endSec),
  event_slug: market.eventSlug,
  event_title: market.eventTitle,
  winning_outcome_index: winnerOf(market),
  ...presentStructure(market),
})

/** With what only lookups of one market and the list of all of them have. */
export const presentWholeMarket = (market: ListedMarket) => ({
  ...presentListedMarket(market),
  tag_slugs: market.tags,
  token_ids: market.tokens.map(toTokenId),
  token_outcomes: market.outcomes.slice(0, market.tokens.length),
})

/** The fields that only markets with structured token ids have. */
export function presentStructure({ tokens: [token] }: Pick<ListedMarket, 'tokens'>) {
  return token === undefined ? {} : presentStructuredMarket({ token })
}

/** The first tag. */
export const categoryOf = ({ tags }: Pick<ListedMarket, 'tags'>): string | null => tags?.[0] ?? null

export const winnerOf = ({ payouts }: Pick<ListedMarket, 'payouts'>): number | null =>
  payouts === null ? null : winningOutcomeOf(payouts.map(BigInt))

export const presentDate = (timeSec: number | null): string | null =>
  timeSec === null ? null : toTimestampText(timeSec)

/** `2026-01-31T12:00:00Z`. */
export const presentIsoSecond = (timeSec: number | null): string | null =>
  timeSec === null ? null : toIsoSecond(timeSec)

/** As the platform writes them: texts; empty while there are none. */
export const presentPriceTexts = (prices: readonly (number | null)[]): string[] =>
  prices.every((price) => price === null) ? [] : prices.map((price) => String(price ?? 0))

const NO_MARKET = { question: null, slug: null, outcomes: null, endSec: null, tags: null }

export function presentCondition(
  id: string,
  chain: ConditionRow | undefined,
  market: ListedMarket | undefined,
) {
  const known = market ?? NO_MARKET
  const tokens = market !== undefined && market.tokens.length > 0 ? market.tokens : chain?.tokens
  const payouts = chain?.payouts ?? null
  const outcomes = Math.max(known.outcomes?.length ?? 0, tokens?.length ?? 0)
  return {
    id,
    position_ids: (tokens ?? []).map(toTokenId),
    payout_numerators: payouts?.map(Number) ?? Array.from({ length: outcomes }, () => 0),
    payout_denominator: sumOf(payouts ?? []).toString(),
    question: known.question,
    slug: known.slug,
    outcomes: known.outcomes,
    end_date: presentDate(known.endSec),
    active: market?.active ?? null,
    closed: market?.closed ?? null,
    neg_risk: market?.negRisk ?? null,
    event_slug: market?.eventSlug ?? null,
    event_title: market?.eventTitle ?? null,
    category: categoryOf(known),
    liquidity: market?.liquidity ?? null,
    volume: market?.volume ?? null,
    tags: known.tags,
    winning_outcome_index: winnerOf({ payouts }),
  }
}

export function presentResolution({ condition, payouts, timeSec, market }: ResolutionRow) {
  const known = market ?? NO_MARKET
  return {
    condition_id: condition,
    payout_numerators: payouts.map(Number),
    payout_denominator: Number(sumOf(payouts)),
    resolved_at: String(timeSec * 1000),
    created_at: toMicrosecondText(timeSec * 1000),
    question: known.question,
    slug: known.slug,
    outcomes: known.outcomes,
    category: categoryOf(known),
  }
}

const sumOf = (payouts: readonly string[]): bigint =>
  payouts.reduce((sum, payout) => sum + BigInt(payout), 0n)
