import type { EventDraft } from '../bus/event.js'
import type { MarketLookup } from '../catalogue/market-info.js'
import type { ConversionFact } from '../chain/attribute/tape.js'
import { toDecimal } from '../core/money.js'
import { type EnrichedToken, enrichToken } from './enrichment.js'
import { toKeys } from './keys.js'
import { logFields } from './log-fields.js'
import { toTokenId } from './structured-id.js'

/** It is about several markets of one event: what belongs to a single one is only said if it is one. */
export function conversionEvent(conversion: ConversionFact, markets: MarketLookup): EventDraft {
  const { wallet, amount, market: marketId, given, taken } = conversion
  const tokens = given.map((token) => enrichToken(markets, token))
  const named = tokens.flatMap(({ market }) => market ?? [])
  const only = tokens.length === 1 ? named[0] : undefined
  return {
    type: 'positions_converted',
    timestampMs: conversion.timeSec * 1000,
    data: {
      event_type: 'positions_converted',
      ...logFields(conversion),
      stakeholder: wallet,
      market_id: marketId,
      index_set: conversion.indexSet,
      amount: toDecimal(amount),
      converted_outcomes:
        named.length === tokens.length ? named.map((market) => market.market_title) : undefined,
      event_title: named[0]?.event_title,
      neg_risk: true,
      market_title: only?.market_title,
      market_slug: only?.market_slug,
      market_image: only?.market_image,
      taker_base_fee: only?.taker_base_fee,
      tokens: labelsOf(tokens),
    },
    keys: {
      ...toKeys({
        wallets: [wallet],
        tokens: [...tokens.map(({ id }) => id), ...taken.map(toTokenId)],
        market: named[0],
        usd: amount,
      }),
      conditionIds: named.map((market) => market.condition_id),
    },
  }
}

function labelsOf(tokens: readonly EnrichedToken[]): Record<string, string> | undefined {
  const labels = tokens.flatMap(({ id, outcome }) => (outcome === undefined ? [] : [[id, outcome]]))
  return labels.length === 0 ? undefined : Object.fromEntries(labels)
}
