import type { Sql } from '../../store/connection.js'
import type { WebhookEventType } from '../event-types.js'
import type { WatchedStatus } from '../filters.js'
import type { FactSlice } from './fact-slice.js'

/** Finds what happened in a slice of the facts. One of these for each family of event types. */
export type Detector = {
  types: readonly WebhookEventType[]
  /** Also called every second when there are no new facts: it waits for time to pass, or for a queue. */
  runsWithoutBlocks?: true
  /** Called when a webhook asks for one of the types. In the order of `seq`. */
  detect(slice: FactSlice): Promise<Detected>
  /**
   * Called instead of `detect` when no webhook asks for its types, in the transaction that moves
   * the cursor: drops what has gathered for it.
   */
  skip?(tx: Sql): Promise<void>
}

export type Detected = {
  occurrences: readonly Occurrence[]
  /** Stores what the detector has to remember, in the transaction that moves the cursor. */
  store?: (tx: Sql) => Promise<void>
}

/** Something that happened, before it is known which webhooks want it. */
export type Occurrence = {
  type: WebhookEventType
  /** The `seq` of the fact, the last one of several. What is not on the chain has that of the head. */
  seq: number
  /** Where it began, if not at `seq`: a webhook sees it when this is after its `from_seq`. */
  sinceSeq?: number
  /** It is not on the chain: `from_seq`, `confirmations` and reorganisations do not concern it. */
  isOffChain?: true
  timeSec: number
  /**
   * Tells it from all others of its type, and stays the same when its transaction returns in another
   * block: made of the transaction and the number of the fact among those of its kind in the
   * transaction, never of a block or a log index. The id of the event is made from it.
   */
  identity: string
  keys: OccurrenceKeys
  /** The payload. Called once for each webhook that gets it where `change` is there, else once. */
  present: (base: bigint | undefined) => object
  /** A value that webhooks measure against one of their own: it is an event for those it moved far enough. */
  change?: ValueChange
}

/** What filters compare, spelled as in filters. */
export type OccurrenceKeys = {
  wallets?: readonly string[]
  tokenId?: string | undefined
  conditionIds?: readonly string[]
  eventSlug?: string | undefined
  /** In lower case. */
  tags?: readonly string[]
  builder?: string | undefined
  receiver?: string | undefined
  /** Millionths. `min_amount_usd`, `min_fee_usd` and `min_total_usd` compare it. */
  usd?: bigint
  side?: 'BUY' | 'SELL'
  statusFrom?: WatchedStatus
  statusTo?: WatchedStatus
}

export type ValueChange = {
  /** '' where the value is not about a wallet. */
  wallet: string
  /** 32 bytes as hex text. */
  token: string
  /** Prices and money in millionths. */
  value: bigint
  /** What it was before: the base of a webhook that has none yet. */
  before: bigint
}
