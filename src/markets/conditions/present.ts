import { toTokenId } from '../../core/ids.js'
import { toMicrosecondText } from '../../core/unix-time.js'
import { categoryOf, presentDate, winnerOf } from '../listing/present.js'
import type { ListedMarket } from '../listing/queries.js'
import type { ConditionRow, ResolutionRow } from './queries.js'

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
