import type { MarketInfo, MarketLookup } from '../catalogue/market-info.js'
import { toTokenId } from './structured-id.js'

/** What every event says about its market beside its own fields. */
export type MarketFields = {
  market_title: string
  market_slug: string
  event_title: string | undefined
  event_slug: string | undefined
  market_image: string | undefined
  neg_risk: boolean
  tick_size: number | undefined
  /** Basis points; null: no fee. */
  taker_base_fee: number | null
  condition_id: string
  outcomes: readonly string[]
  token_ids: readonly string[]
  /** Outcomes by token id. */
  tokens: Readonly<Record<string, string>>
}

/** Everything that is known about a token, and nothing but its id when its market is not. */
export type EnrichedToken = {
  id: string
  outcome: string | undefined
  market: MarketFields | undefined
}

export function enrichToken(markets: MarketLookup, token: string): EnrichedToken {
  const id = toTokenId(token)
  const market = fieldsOf(markets.byToken(token))
  return { id, outcome: market?.tokens[id], market }
}

export function enrichCondition(
  markets: MarketLookup,
  condition: string,
): MarketFields | undefined {
  return fieldsOf(markets.byCondition(condition))
}

/** Made once as long as the catalogue hands out the same object. */
const known = new WeakMap<MarketInfo, MarketFields>()

function fieldsOf(market: MarketInfo | undefined): MarketFields | undefined {
  if (market === undefined) return undefined
  let fields = known.get(market)
  if (fields === undefined) {
    fields = toFields(market)
    known.set(market, fields)
  }
  return fields
}

function toFields(market: MarketInfo): MarketFields {
  const { outcomes, tokenIds } = market
  return {
    market_title: market.title,
    market_slug: market.slug,
    event_title: market.eventTitle,
    event_slug: market.eventSlug,
    market_image: market.image,
    neg_risk: market.negRisk,
    tick_size: market.tickSize,
    taker_base_fee: market.takerBaseFee ?? null,
    condition_id: market.conditionId,
    outcomes,
    token_ids: tokenIds,
    tokens: Object.fromEntries(tokenIds.map((id, index) => [id, outcomes[index] ?? ''])),
  }
}
