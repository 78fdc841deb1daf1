import type { EventKeys } from '../bus/event.js'
import { toDecimal } from '../core/money.js'
import type { EnrichedToken, MarketFields } from './enrichment.js'
import type { Match } from './match.js'

type Parts = {
  wallets?: readonly string[] | undefined
  tokens?: readonly string[] | undefined
  market?: MarketFields | undefined
  /** Told by the chain, for markets that are not known. */
  conditionId?: string | undefined
  side?: string | undefined
  usd?: bigint | undefined
  status?: EventKeys['status'] | undefined
}

export function toKeys(parts: Parts): EventKeys {
  const { wallets = [], tokens = [], market, side, usd, status = 'confirmed' } = parts
  const conditionId = market?.condition_id ?? parts.conditionId
  return {
    wallets: distinct(wallets),
    tokens: distinct(tokens),
    conditionIds: conditionId === undefined ? [] : [conditionId],
    marketSlug: market?.market_slug,
    eventSlug: market?.event_slug,
    side,
    sizeUsd: usd === undefined ? undefined : toDecimal(usd),
    status,
  }
}

/** A match counts for everybody in it, and as large as what its taker traded. */
export function keysOfMatch(
  { taker, rows, conditionId }: Match,
  { market }: EnrichedToken,
  tokens: readonly string[],
  status: EventKeys['status'],
): EventKeys {
  const wallets = [taker.maker, ...rows.map(({ maker }) => maker)]
  return toKeys({ wallets, tokens, market, conditionId, side: taker.side, usd: taker.usd, status })
}

export const distinct = (texts: readonly string[]): readonly string[] =>
  texts.length < 2 ? texts : [...new Set(texts)]
