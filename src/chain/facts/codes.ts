import type { FeeFact, FlowFact } from '../attribute/tape.js'

/** Bits of the `flags` columns and numbers of the kinds, as the schema describes them. */
export const FILL_FLAGS = { sell: 1, taker: 2, feeInShares: 4, negRisk: 8, generation: 16 }
export const SPLIT_FLAGS = { merge: 1, core: 2, user: 4 }
export const REDEMPTION_FLAGS = { core: 2, user: 4, autoRedeemer: 8 }

export const FEE_KINDS: Record<FeeFact['kind'], number> = { charged: 0, refunded: 1, withdrawn: 2 }
export const FLOW_KINDS: Record<FlowFact['kind'], number> = {
  deposit: 0,
  withdrawal: 1,
  transfer: 2,
  perps_deposit: 3,
  perps_withdrawal: 4,
}
