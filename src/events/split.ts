import type { EventDraft } from '../bus/event.js'
import type { MarketLookup } from '../catalogue/market-info.js'
import type { SplitFact } from '../chain/attribute/tape.js'
import { toDecimal } from '../core/money.js'
import { collateralOf } from './collateral.js'
import { enrichCondition } from './enrichment.js'
import { toKeys } from './keys.js'
import { logFields } from './log-fields.js'
import { toConditionId, toTokenId } from './structured-id.js'

/** A wallet made or undid full sets. Only the neg-risk adapter tells it without moving tokens itself. */
export function splitEvent(split: SplitFact, markets: MarketLookup): EventDraft {
  const { wallet, condition, amount, isMerge, isCore } = split
  const type = isMerge ? 'position_merge' : 'position_split'
  const market = enrichCondition(markets, condition)
  const conditionId = toConditionId(condition)
  return {
    type,
    timestampMs: split.timeSec * 1000,
    data: {
      event_type: type,
      ...logFields(split),
      stakeholder: wallet,
      collateral_token: collateralOf(condition, market?.neg_risk ?? !isCore),
      condition_id: conditionId,
      amount: toDecimal(amount),
      ...market,
    },
    keys: toKeys({
      wallets: [wallet],
      tokens: split.tokens.map(toTokenId),
      market,
      conditionId,
      usd: amount,
    }),
  }
}
