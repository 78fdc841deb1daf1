/** What a position of a wallet in a token can be. */
export const WATCHED_STATUSES = ['none', 'open', 'closed', 'redeemable', 'redeemed'] as const
export type WatchedStatus = (typeof WATCHED_STATUSES)[number]

/**
 * The filters of a webhook as they are stored and shown, checked by `parseFilters`. Values of a list are
 * alternatives; different filters must all hold; an absent or empty one lets everything pass. A type
 * ignores filters that it does not know. Addresses, condition ids and builder codes are in lower case.
 */
export type WebhookFilters = {
  wallet_addresses?: readonly string[]
  /** Decimal. */
  token_ids?: readonly string[]
  condition_ids?: readonly string[]
  event_slugs?: readonly string[]
  /** Compared without regard to case. */
  tags?: readonly string[]
  builder_codes?: readonly string[]
  receiver_addresses?: readonly string[]
  min_amount_usd?: number
  min_fee_usd?: number
  min_delta_pct?: number
  min_pnl_change_usd?: number
  min_total_usd?: number
  side?: 'BUY' | 'SELL'
  status_from?: WatchedStatus
  status_to?: Exclude<WatchedStatus, 'none'>
  /** Events wait until this many blocks are on top of theirs. */
  confirmations?: number
}

export type FilterName = keyof WebhookFilters
