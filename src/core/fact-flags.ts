/** Bits of the column `flags` of the tables of facts. A generation of exchanges counts as a multiple of its bit. */
export const FILL_FLAGS = { sell: 1, taker: 2, feeInShares: 4, negRisk: 8, generation: 16, combo: 128 }
export const SPLIT_FLAGS = { merge: 1, core: 2, user: 4 }
export const REDEMPTION_FLAGS = { core: 2, user: 4, autoRedeemer: 8, outcomes: 16 }

export const hasFlag = (flags: number, bit: number): boolean => (flags & bit) !== 0
