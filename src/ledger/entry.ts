/**
 * What the ledger books, in the order of `seq`. Wallets, tokens, conditions and builders are their
 * numbers in the database, so that entries can come from fresh logs and from stored facts alike.
 */
export type Entry =
  | FillEntry
  | SplitEntry
  | RedemptionEntry
  | ConversionEntry
  | MigrationEntry
  | TransferEntry
  | SupplyEntry

/** The wallet that stands for tokens which do not exist: it makes and destroys. */
export const NOBODY = 0
/** Number of a condition or a builder that is not known or not there. */
export const NONE = 0

type Placed = { seq: number; timeSec: number }

export type FillEntry = Placed & {
  kind: 'fill'
  wallet: number
  exchange: number
  token: number
  isBuy: boolean
  isTaker: boolean
  usd: bigint
  shares: bigint
  fee: bigint
  isFeeInShares: boolean
  /** NONE: the order names no builder. */
  builder: number
}

export type SplitEntry = Placed & {
  kind: 'split'
  isMerge: boolean
  wallet: number
  condition: number
  tokens: readonly number[]
  amount: bigint
  isCore: boolean
  isUser: boolean
}

export type RedemptionEntry = Placed & {
  kind: 'redemption'
  wallet: number
  condition: number
  tokens: readonly number[]
  amounts: readonly bigint[]
  payout: bigint
  /** Of the condition, by outcome; `undefined` when the result is not in our history. */
  payouts: readonly bigint[] | undefined
  isCore: boolean
  isUser: boolean
}

export type ConversionEntry = Placed & {
  kind: 'conversion'
  wallet: number
  amount: bigint
  given: readonly number[]
  taken: readonly number[]
  received: bigint
  cash: bigint
}

export type MigrationEntry = Placed & {
  kind: 'migration'
  wallet: number
  fromToken: number
  toToken: number
  amount: bigint
}

export type TransferEntry = Placed & {
  kind: 'transfer'
  from: number
  to: number
  token: number
  amount: bigint
}

/** What the transfer logs alone say about how many tokens there are. */
export type SupplyEntry = Placed & {
  kind: 'supply'
  token: number
  minted: bigint
  burned: bigint
}
