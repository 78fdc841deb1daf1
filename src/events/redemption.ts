import type { EventDraft } from '../bus/event.js'
import type { RedemptionFact } from '../chain/attribute/tape.js'
import { toDecimal } from '../core/money.js'
import { collateralOf } from './collateral.js'
import { enrichCondition, type MarketFields } from './enrichment.js'
import { toKeys } from './keys.js'
import type { Known } from './known.js'
import { logFields } from './log-fields.js'
import { readResolution } from './resolution.js'
import { readStructuredId, toConditionId, toTokenId } from './structured-id.js'

export function redemptionEvent(redemption: RedemptionFact, known: Known): EventDraft {
  const { wallet, condition, payout, isCore, source } = redemption
  const market = enrichCondition(known.markets, condition)
  const negRisk = market?.neg_risk ?? (source === 'direct' && !isCore)
  const conditionId = toConditionId(condition)
  const tokens = redemption.tokens.map(toTokenId)
  return {
    type: 'redemption',
    timestampMs: redemption.timeSec * 1000,
    data: {
      event_type: 'redemption',
      ...logFields(redemption),
      redeemer: wallet,
      collateral_token: collateralOf(condition, negRisk),
      condition_id: conditionId,
      index_sets: indexSetsOf(redemption, market),
      payout: toDecimal(payout),
      payout_e6: payout.toString(),
      source: sourceOf(redemption, negRisk),
      ...resultFields(known.payoutsOf(condition), market),
      ...market,
    },
    keys: toKeys({ wallets: [wallet], tokens, market, conditionId, usd: payout }),
  }
}

/** An outcome is a bit; the place of a token among the outcomes is known from its market or its id. */
function indexSetsOf({ tokens }: RedemptionFact, market: MarketFields | undefined): number[] {
  return tokens
    .map((token) => {
      const structured = readStructuredId(token)
      return structured?.outcomeIndex ?? market?.token_ids.indexOf(toTokenId(token)) ?? -1
    })
    .filter((outcome) => outcome >= 0)
    .map((outcome) => 2 ** outcome)
}

/** Nothing is said where the wallet asked itself. */
function sourceOf({ source, condition }: RedemptionFact, negRisk: boolean): string | undefined {
  if (source === 'direct') return undefined
  if (readStructuredId(condition) !== undefined) return 'AutoRedeemer.Redemption'
  return negRisk ? 'AutoRedeemer.NegRiskRedemption' : 'AutoRedeemer.BinaryRedemption'
}

function resultFields(payouts: readonly bigint[] | undefined, market: MarketFields | undefined) {
  if (payouts === undefined) return undefined
  const { payouts: numerators, prices, winner } = readResolution(payouts)
  return {
    payouts: numerators,
    outcome_prices: prices,
    winning_outcome_index: winner,
    winning_outcome: winner === undefined ? undefined : market?.outcomes[winner],
    winning_token_id: winner === undefined ? undefined : market?.token_ids[winner],
  }
}
