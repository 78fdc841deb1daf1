import type { FilterName } from './filters.js'

type EventTypeRow = {
  /** What callers of `event-types` read. */
  description: string
  filters: readonly FilterName[]
  /** The filters without which a webhook for this type is refused. */
  required?: readonly FilterName[]
  /** A flag of the contract that says nothing about the type's behaviour. */
  exclusive?: true
}

const OF_MARKET = ['condition_ids', 'event_slugs', 'tags'] as const

/**
 * The event types of webhooks, with the filters that each one knows. `confirmations` works for every
 * type that has a place on the chain.
 */
const WEBHOOK_EVENT_TYPES = {
  trade: {
    description: 'fill involving watched wallets or markets',
    filters: ['wallet_addresses', 'token_ids', ...OF_MARKET, 'min_amount_usd', 'side'],
  },
  large_trade: {
    description: 'fill above a USD threshold',
    filters: ['min_amount_usd', ...OF_MARKET],
    required: ['min_amount_usd'],
  },
  builder_trade: {
    description: 'fill routed through a given builder',
    filters: ['builder_codes', 'min_amount_usd'],
    required: ['builder_codes'],
    exclusive: true,
  },
  first_trade: { description: "a wallet's first trade", filters: ['min_amount_usd'] },
  price_change: {
    description: 'token price moves beyond a threshold',
    filters: ['token_ids', 'condition_ids', 'min_delta_pct'],
  },
  market_resolved: { description: 'market resolved with payouts', filters: OF_MARKET },
  market_created: { description: 'new market appears', filters: ['tags', 'event_slugs'] },
  pnl_change: {
    description: 'wallet P&L changes beyond a threshold',
    filters: ['wallet_addresses', 'min_pnl_change_usd'],
    required: ['wallet_addresses'],
  },
  position_status_change: {
    description: 'watched-wallet position opens or exits',
    filters: ['wallet_addresses', 'token_ids', ...OF_MARKET, 'status_from', 'status_to'],
    required: ['wallet_addresses'],
    exclusive: true,
  },
  redemption: {
    description: 'wallet redeems shares',
    filters: ['wallet_addresses', 'condition_ids'],
    exclusive: true,
  },
  split: {
    description: 'wallet splits conditional tokens',
    filters: ['wallet_addresses', 'condition_ids'],
    exclusive: true,
  },
  merge: {
    description: 'wallet merges conditional tokens',
    filters: ['wallet_addresses', 'condition_ids'],
    exclusive: true,
  },
  neg_risk_conversion: {
    description: 'neg-risk conversion',
    filters: ['wallet_addresses'],
    exclusive: true,
  },
  fee_earned: {
    description: 'fee receiver is paid',
    filters: ['receiver_addresses', 'min_fee_usd'],
    exclusive: true,
  },
  wallet_activity: {
    description: 'any action by a watched wallet',
    filters: ['wallet_addresses'],
    required: ['wallet_addresses'],
    exclusive: true,
  },
  order_complete: {
    description: 'multi-fill order finishes',
    filters: ['wallet_addresses', 'min_total_usd'],
    exclusive: true,
  },
} as const satisfies Record<string, EventTypeRow>

export type WebhookEventType = keyof typeof WEBHOOK_EVENT_TYPES

export const WEBHOOK_EVENT_TYPE_NAMES = Object.keys(WEBHOOK_EVENT_TYPES) as WebhookEventType[]

export const eventTypeRow = (type: WebhookEventType): EventTypeRow => WEBHOOK_EVENT_TYPES[type]
