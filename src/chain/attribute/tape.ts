import type { Generation } from '../../upstreams/polygon/contracts.js'
import type { Side } from '../../upstreams/polygon/order.js'

/**
 * What the logs of some blocks say, attributed to the wallets that meant it: one entry for each row
 * that is kept. Ids are the text of the chain (lower-case hex, `0x` first): wallets have 20 bytes,
 * everything else 32; a structured condition is padded with zero bytes at its end. Amounts are
 * millionths and below AMOUNT_MAX. Each list is in the order of `seq`.
 */
export type Tape = {
  /** Every block that had a log, and every one whose header was given. */
  blocks: TapeBlock[]
  fills: FillFact[]
  splits: SplitFact[]
  redemptions: RedemptionFact[]
  conversions: ConversionFact[]
  migrations: MigrationFact[]
  transfers: TransferFact[]
  /** Outcome tokens made and destroyed, as the transfer logs alone say: the check on all the rest. */
  supplies: SupplyFact[]
  fees: FeeFact[]
  flows: FlowFact[]
  preparations: PreparationFact[]
  resolutions: ResolutionFact[]
  /** Which tokens a condition has, learned from the logs that make or destroy full sets. */
  outcomes: OutcomesFact[]
  oracle: OracleFact[]
  negRiskMarkets: NegRiskMarketFact[]
  negRiskQuestions: NegRiskQuestionFact[]
  combos: ComboFact[]
  comboEvents: ComboEventFact[]
  walletOwners: WalletOwnerFact[]
  rawLogs: RawLogFact[]
  quarantine: QuarantineFact[]
  /** Movers of outcome tokens that are neither the owner nor a contract that we know. */
  unknownOperators: UnknownOperator[]
}

export type TapeBlock = {
  number: number
  hash: string
  /** `undefined` where only the logs of the block were read. */
  parentHash: string | undefined
  timeSec: number
  /** All its transactions; only where the block was read whole. */
  txCount?: number | undefined
}

/** An order was filled, told from the side of its owner. */
export type FillFact = {
  seq: number
  timeSec: number
  txHash: string
  orderHash: string
  /** Owner of the order: the `maker` of the log. */
  wallet: string
  /** The other side; the exchange itself when the order took. */
  taker: string
  exchange: string
  generation: Generation
  negRisk: boolean
  isTaker: boolean
  side: Side
  token: string
  usd: bigint
  shares: bigint
  /** What was kept in the end: refunds of the same transaction are subtracted. */
  fee: bigint
  /** Only a BUY of generation 1 pays its fee out of the shares. */
  isFeeInShares: boolean
  builder: string | undefined
  metadata: string | undefined
}

/**
 * A full set of outcome tokens was made (`split`) or destroyed (`merge`). One act may need two
 * entries: the neg-risk adapter names the wallet, and the token contract moves the tokens.
 */
export type SplitFact = {
  seq: number
  timeSec: number
  txHash: string
  isMerge: boolean
  /** Who has or had the tokens in the end: a wallet, or the exchange of a match. */
  wallet: string
  condition: string
  /** Tokens of the set by outcome. */
  tokens: readonly string[]
  amount: bigint
  /** Told by the token contract: moves tokens and collateral. */
  isCore: boolean
  /** A wallet wanted it: bears cost and profit. False for the mints and merges inside a match. */
  isUser: boolean
}

/** Tokens were given for what they are worth after the result. */
export type RedemptionFact = {
  seq: number
  timeSec: number
  txHash: string
  wallet: string
  condition: string
  /** What was given: only amounts above zero; none at all for an empty redemption. */
  tokens: readonly string[]
  amounts: readonly bigint[]
  payout: bigint
  isCore: boolean
  isUser: boolean
  source: 'direct' | 'auto_redeemer'
}

/** NO tokens of a neg-risk market became money and YES tokens of its other questions. */
export type ConversionFact = {
  seq: number
  timeSec: number
  txHash: string
  wallet: string
  market: string
  indexSet: string
  amount: bigint
  /** The NO tokens given, `amount` of each. */
  given: readonly string[]
  /** The YES tokens received, `received` of each; none when all questions were in the set. */
  taken: readonly string[]
  received: bigint
  /** The money received. */
  cash: bigint
}

/** Shares moved from an old token to its structured one. */
export type MigrationFact = {
  seq: number
  timeSec: number
  txHash: string
  wallet: string
  fromToken: string
  toToken: string
  amount: bigint
}

/**
 * Tokens changed hands outside of trades, splits, merges and redemptions. In a transaction with any
 * of these it is what they leave unexplained, so that all entries together give exact balances.
 */
export type TransferFact = {
  seq: number
  /** Counts the entries that share a `seq`, from 0. */
  sub: number
  timeSec: number
  txHash: string
  /** The zero address makes and destroys. */
  from: string
  to: string
  token: string
  amount: bigint
  /** A contract gives or takes it: nobody's gift. */
  isInternal: boolean
}

export type SupplyFact = { block: number; token: string; minted: bigint; burned: bigint }

export type FeeFact = {
  seq: number
  txHash: string
  kind: 'charged' | 'refunded' | 'withdrawn'
  /** Who got it. */
  wallet: string
  /** `undefined`: money. */
  token: string | undefined
  amount: bigint
}

/** Collateral came, went or changed hands outside of trading. */
export type FlowFact = {
  seq: number
  timeSec: number
  txHash: string
  kind: 'deposit' | 'withdrawal' | 'transfer' | 'perps_deposit' | 'perps_withdrawal'
  from: string
  to: string
  /** Address of the asset that was wrapped or unwrapped, else of pUSD. */
  asset: string
  amount: bigint
}

export type PreparationFact = {
  seq: number
  txHash: string
  condition: string
  oracle: string
  question: string
  outcomes: number
}

export type ResolutionFact = {
  seq: number
  timeSec: number
  txHash: string
  condition: string
  payouts: readonly bigint[]
}

export type OutcomesFact = { seq: number; condition: string; tokens: readonly string[] }

/** A step in the life of a question: the fields that a kind lacks are `undefined`. */
export type OracleFact = {
  seq: number
  timeSec: number
  txHash: string
  kind:
    | 'initialized'
    | 'requested'
    | 'proposed'
    | 'disputed'
    | 'settled'
    | 'resolved'
    | 'manually_resolved'
    | 'emergency_resolved'
    | 'reset'
    | 'flagged'
    | 'unflagged'
    | 'paused'
    | 'unpaused'
    | 'reported'
  contract: string
  /** The adapter whose question it is, where the oracle itself tells: its `requester`. */
  requester?: string | undefined
  question: string | undefined
  requestTimeSec: number | undefined
  /** Who asked, proposed or disputed. */
  actor: string | undefined
  proposer: string | undefined
  /** As the oracle writes it: 10^18 is one. */
  price: bigint | undefined
  payouts: readonly bigint[] | undefined
  expirationSec: number | undefined
}

export type NegRiskMarketFact = {
  seq: number
  txHash: string
  market: string
  oracle: string
  feeBips: number
}

export type NegRiskQuestionFact = {
  seq: number
  txHash: string
  market: string
  question: string
  index: number
}

export type ComboFact = { seq: number; txHash: string; condition: string; legs: readonly string[] }

/** What else happens to structured positions, for the combo lists. */
export type ComboEventFact = {
  seq: number
  timeSec: number
  txHash: string
  /** The name of the event, in our spelling: `positionsSplit`, `compressed`. */
  kind: string
  contract: string
  wallet: string
  /** Condition or event, padded; `undefined` where the log names neither. */
  condition: string | undefined
  tokens: readonly string[]
  amount: bigint
  payout: bigint | undefined
}

export type WalletOwnerFact = {
  seq: number
  wallet: string
  owner: string
  kind: 'safe' | 'proxy'
}

/** A log of ours that has no table of its own, or whose event nobody knows (`kind` is `unknown`). */
export type RawLogFact = {
  seq: number
  txHash: string
  kind: string
  contract: string
  topics: readonly string[]
  data: string
}

/**
 * What could not be booked, and why. A log that tells of tokens takes all others of its transaction
 * that do with it, for what they add up to would be wrong. Only absurd amounts of a token that
 * nothing else in the transaction is about stay alone.
 */
export type QuarantineFact = {
  seq: number
  txHash: string
  reason: 'undecodable' | 'absurd_amount' | 'inconsistent' | 'not_in_receipts'
  detail: string
  contract: string
  topics: readonly string[]
  data: string
}

export type UnknownOperator = { seq: number; operator: string; transfers: number }
