/**
 * What the ledger books, in the order of `seq`. Wallets, tokens, conditions and builders are named
 * by their ids in the database, so entries can be made from new logs and from stored facts alike.
 */
export type Entry =
  | FillEntry
  | SplitEntry
  | RedemptionEntry
  | ConversionEntry
  | MigrationEntry
  | TransferEntry
  | SupplyEntry

/** Id of the zero address, which mints and burns tokens. */
export const ZERO_WALLET = 0
/** Stands for the id of a condition or a builder that is unknown or absent. */
export const NONE = 0

/** What every entry has: where it is on the chain, and when. */
type EntryBase = { seq: number; timeSec: number }

export type FillEntry = EntryBase & {
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

export type SplitEntry = EntryBase & {
  kind: 'split'
  isMerge: boolean
  wallet: number
  condition: number
  tokens: readonly number[]
  amount: bigint
  isCore: boolean
  isUser: boolean
}

export type RedemptionEntry = EntryBase & {
  kind: 'redemption'
  wallet: number
  condition: number
  tokens: readonly number[]
  amounts: readonly bigint[]
  payout: bigint
  /** Result of the condition, by outcome; `undefined` when it is not in the stored history. */
  payouts: readonly bigint[] | undefined
  isCore: boolean
  isUser: boolean
}

export type ConversionEntry = EntryBase & {
  kind: 'conversion'
  wallet: number
  amount: bigint
  given: readonly number[]
  taken: readonly number[]
  received: bigint
  cash: bigint
}

export type MigrationEntry = EntryBase & {
  kind: 'migration'
  wallet: number
  fromToken: number
  toToken: number
  amount: bigint
}

export type TransferEntry = EntryBase & {
  kind: 'transfer'
  from: number
  to: number
  token: number
  amount: bigint
  /** False: another entry of the transaction bears the cost of the shares. */
  bearsCost: boolean
}

/** Minted and burned tokens of one block, from the transfer logs alone. */
export type SupplyEntry = EntryBase & {
  kind: 'supply'
  token: number
  minted: bigint
  burned: bigint
}
