import { Type } from 'typebox'
import type { EventDraft } from '../bus/event.js'
import type { RedemptionFact } from '../chain/facts/redemption.js'
import { toDecimal } from '../core/money.js'
import { parseStructuredId, positionsOf } from '../core/structured-id.js'
import type { MessageFamily } from './block-facts.js'
import { collateralOf, type Enricher, type Result } from './enrichment.js'
import { defineLogMessage, described, ENRICHED, type MarketFields, optional, Wire } from './message.js'

const redemption = defineLogMessage({
  type: 'redemption',
  summary: 'Tokens of a resolved condition became money, by the wallet or automatically.',
  examples: {
    'By the wallet': { source: undefined },
    'By the AutoRedeemer': { source: 'AutoRedeemer.BinaryRedemption' },
  },
  fields: {
    ...ENRICHED,
    redeemer: described(Wire.Address, 'the wallet, also where the AutoRedeemer acts for it'),
    collateral_token: Wire.Address,
    condition_id: Wire.Hash,
    index_sets: Type.Array(Type.Union([Type.Literal(1), Type.Literal(2)]), {
      description: '1: the first outcome was redeemed, 2: the second',
    }),
    payout: described(Wire.Amount, 'USDC; 0: the shares had lost'),
    ...optional({
      payout_e6: described(Wire.Digits, 'the payout in millionths'),
      source: Type.Union(
        [
          Type.Literal('AutoRedeemer.BinaryRedemption'),
          Type.Literal('AutoRedeemer.NegRiskRedemption'),
          Type.Literal('AutoRedeemer.Redemption'),
        ],
        { description: 'absent where the wallet redeemed itself' },
      ),
      payouts: described(Type.Array(Wire.Count), 'numerators by outcome'),
      outcome_prices: described(
        Type.Array(Type.Number({ minimum: 0, maximum: 1 })),
        'by outcome, 1 together',
      ),
      winning_outcome_index: described(Wire.Count, 'only where exactly one outcome pays'),
      winning_outcome: Type.String(),
      winning_token_id: Wire.TokenId,
    }),
  },
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
  const { market, fields } = enricher.condition(condition)
  const negRisk = market?.neg_risk ?? (source === 'direct' && !isCore)
  const tokenIds = market?.token_ids ?? tokensOf(fact).map((token) => enricher.tokenId(token))
  return redemption.draft(
    fact,
    {
      redeemer: wallet,
      collateral_token: collateralOf(condition, negRisk),
      index_sets: INDEX_SETS.filter((bit) => (fact.outcomes & bit) !== 0),
      payout: toDecimal(payout),
      payout_e6: payout.toString(),
      source: presentSource(fact, negRisk),
      ...presentResult(enricher.resultOf(condition), market),
      ...fields,
      token_ids: tokenIds.length === 0 ? undefined : tokenIds,
    },
    {
      wallets: [wallet],
      tokens: [...tokenIds, ...fact.tokens.map((token) => enricher.tokenId(token))],
      market,
      conditionId: fields.condition_id,
      usd: payout,
    },
  )
}

const INDEX_SETS = [1, 2] as const

/** Both tokens of a structured condition; of another one that the catalogue lacks, those given. */
const tokensOf = ({ condition, tokens }: RedemptionFact): readonly string[] =>
  parseStructuredId(condition) === undefined ? tokens : positionsOf(condition)

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
