import { Type } from 'typebox'
import type { EventDraft } from '../bus/event.js'
import type { RedemptionFact } from '../chain/facts/redemption.js'
import { toDecimal } from '../core/money.js'
import { parseStructuredId, toConditionId } from '../core/structured-id.js'
import type { MessageFamily } from './block-facts.js'
import { collateralOf, type Enricher, type Result } from './enrichment.js'
import { defineLogMessage, MARKET, type MarketFields, optional, Wire } from './message.js'

const redemption = defineLogMessage('redemption', {
  ...optional(MARKET),
  redeemer: Wire.Address,
  collateral_token: Wire.Address,
  condition_id: Wire.ConditionId,
  index_sets: Type.Array(Type.Integer({ minimum: 1 })),
  payout: Wire.Amount,
  ...optional({
    payout_e6: Wire.Digits,
    source: Type.Union([
      Type.Literal('AutoRedeemer.BinaryRedemption'),
      Type.Literal('AutoRedeemer.NegRiskRedemption'),
      Type.Literal('AutoRedeemer.Redemption'),
    ]),
    payouts: Type.Array(Wire.Count),
    outcome_prices: Type.Array(Wire.Price),
    winning_outcome_index: Wire.Count,
    winning_outcome: Wire.Text,
    winning_token_id: Wire.TokenId,
  }),
})

/** Redemptions by a wallet or for it. */
export const redemptionFamily = {
  messages: [redemption],
  *fromBlock({ redemptions }, enricher) {
    for (const fact of redemptions)
      if (fact.isUser) yield { seq: fact.seq, event: redemptionEvent(fact, enricher) }
  },
} as const satisfies MessageFamily

function redemptionEvent(fact: RedemptionFact, enricher: Enricher): EventDraft {
  const { wallet, condition, payout, isCore, source } = fact
  const market = enricher.market(condition)
  const negRisk = market?.neg_risk ?? (source === 'direct' && !isCore)
  const conditionId = toConditionId(condition)
  const tokens = fact.tokens.map((token) => enricher.tokenId(token))
  return redemption.draft(
    fact,
    {
      redeemer: wallet,
      collateral_token: collateralOf(condition, negRisk),
      condition_id: conditionId,
      index_sets: presentIndexSets(fact, market, enricher),
      payout: toDecimal(payout),
      payout_e6: payout.toString(),
      source: presentSource(fact, negRisk),
      ...presentResult(enricher.resultOf(condition), market),
      ...market,
    },
    { wallets: [wallet], tokens, market, conditionId, usd: payout },
  )
}

/** One bit for each outcome. The index of a token's outcome comes from its id or from its market. */
function presentIndexSets(
  { tokens }: RedemptionFact,
  market: MarketFields | undefined,
  enricher: Enricher,
): number[] {
  return tokens
    .map((token) => {
      const structured = parseStructuredId(token)
      return structured?.outcomeIndex ?? market?.token_ids.indexOf(enricher.tokenId(token)) ?? -1
    })
    .filter((outcome) => outcome >= 0)
    .map((outcome) => 2 ** outcome)
}

/** Absent where the wallet redeemed itself. */
function presentSource({ source, condition }: RedemptionFact, negRisk: boolean) {
  if (source === 'direct') return undefined
  if (parseStructuredId(condition) !== undefined) return 'AutoRedeemer.Redemption'
  return negRisk ? 'AutoRedeemer.NegRiskRedemption' : 'AutoRedeemer.BinaryRedemption'
}

function presentResult(result: Result | undefined, market: MarketFields | undefined) {
  if (result === undefined) return undefined
  const { payouts, prices, winner } = result
  return {
    payouts,
    outcome_prices: prices,
    winning_outcome_index: winner,
    winning_outcome: winner === undefined ? undefined : market?.outcomes[winner],
    winning_token_id: winner === undefined ? undefined : market?.token_ids[winner],
  }
}
