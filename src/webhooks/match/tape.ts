import type { Sql } from '../../store/connection.js'

/** The part of the tape that a pass of the matcher reads: whole blocks, in one snapshot of the database. */
export type Tape = {
  sql: Sql
  /** Behind this place, up to and with the other one. */
  afterSeq: number
  toSeq: number
  /** The end of the tape in this snapshot: what the ledger's rows stand for. Above `toSeq` while the matcher lags. */
  headSeq: number
  nowMs: number
  /** Whether a webhook asks for a type and, where it names wallets, for this one. Answered from memory. */
  isWatched(
    type: 'pnl_change' | 'position_status_change' | 'order_complete',
    wallet: string,
  ): boolean
  /** The fills of this part, without combos, read once for all detectors. */
  fills(): Promise<readonly TapeFill[]>
  /** What the catalogue says of markets, read once for each. Keys are 32 bytes as hex text. */
  marketsOfTokens(tokens: readonly string[]): Promise<ReadonlyMap<string, TapeMarket>>
  marketsOfConditions(conditions: readonly string[]): Promise<ReadonlyMap<string, TapeMarket>>
}

/** An order was filled, from the side of its owner. Bytes are hex text with `0x`. */
export type TapeFill = {
  seq: number
  timeSec: number
  /** Number among the fills of its transaction, from 0. */
  place: number
  maker: string
  taker: string
  isTaker: boolean
  isSell: boolean
  token: string
  usd: bigint
  shares: bigint
  fee: bigint
  builder: string | undefined
  orderHash: string
  txHash: string
  /** It is the first fill of its maker. */
  isFirstOfMaker: boolean
}

/** Null where the catalogue does not know. */
export type TapeMarket = {
  conditionId: string | null
  question: string | null
  slug: string | null
  eventSlug: string | null
  eventTitle: string | null
  image: string | null
  /** Slugs of the event's tags, in its order. */
  tags: readonly string[]
  /** Tokens as hex text and their outcomes, side by side. */
  tokens: readonly string[]
  outcomes: readonly string[]
}
