import { toTokenId } from '../../core/ids.js'
import { toTimestampText } from '../../core/unix-time.js'
import { presentStructuredMarket } from '../../lookups/market-block.js'
import { winningOutcomeOf } from '../../lookups/position.js'
import type { ListedMarket } from './queries.js'

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
