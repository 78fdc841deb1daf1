import type { WebhookEventType } from '../event-types.js'
import type { WatchedStatus } from '../filters.js'

/** Something that happened, before it is known which webhooks want it. */
export type Occurrence = {
  type: WebhookEventType
  /** The `seq` of the fact, the last one of several. What is not on the chain has that of the head. */
  seq: number
  /** Where it began, if not at `seq`: a webhook sees it when this is behind its `from_seq`. */
  sinceSeq?: number
  /** It has no place on the chain: `from_seq`, `confirmations` and reorganisations do not concern it. */
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
