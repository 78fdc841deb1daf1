/** One number or fact that the platform and this database state differently. */
export type PlatformDifference = {
  what: 'position' | 'trade'
  /** Decimal. */
  token: string
  slug: string | undefined
  outcome: string | undefined
  /** Of a trade. */
  trade?: { txHash: string; side: 'BUY' | 'SELL'; timeSec: number }
  field: string
  /** Decimals, counts or words. `undefined`: that side has no such row. */
  ours: string | undefined
  theirs: string | undefined
  /** Ours less theirs, where both are numbers. */
  by: string | undefined
}

/** What of one wallet was compared, and how it came out. */
export type WalletComparison = {
  wallet: string
  /** Rows that were compared, each once, whichever side has it. */
  positions: number
  trades: number
  /** Positions that changed after the span, and that began before it. */
  tooNew: number
  tooOld: number
  differences: PlatformDifference[]
}

/** The time that is compared, both ends included, in Unix seconds. */
export type ComparedSpan = {
  fromSec: number
  toSec: number
  headBlock: number
  /** The chain was not followed up to now, so the platform may know results that are not booked. */
  isBehind: boolean
}
