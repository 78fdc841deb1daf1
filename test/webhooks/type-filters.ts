import type { EventTypeName } from './payload-shapes.js'

const NO_WALLET = `0x${'d'.repeat(40)}`
const NO_HASH = `0x${'d'.repeat(64)}`
const MUCH_USD = 1_000_000_000

/** What webhooks of the universe may ask for. */
type Known = { wallets: readonly string[]; builders: readonly string[] }

/** Filters that let as much pass as the type allows. */
export function broadFilters(type: EventTypeName, { wallets, builders }: Known): object {
  switch (type) {
    case 'large_trade':
      return { min_amount_usd: 1 }
    case 'builder_trade':
      return { builder_codes: builders }
    case 'pnl_change':
    case 'position_status_change':
    case 'wallet_activity':
      return { wallet_addresses: wallets }
    default:
      return {}
  }
}

/** Filters that nothing passes, for webhooks of the wallets. */
export const closedFilters = (type: EventTypeName, wallets: readonly string[]): object =>
  CLOSED_FILTERS[type](wallets)

const CLOSED_FILTERS: Record<EventTypeName, (wallets: readonly string[]) => object> = {
  trade: () => ({ wallet_addresses: [NO_WALLET] }),
  large_trade: () => ({ min_amount_usd: MUCH_USD }),
  builder_trade: () => ({ builder_codes: [NO_HASH] }),
  first_trade: () => ({ min_amount_usd: MUCH_USD }),
  price_change: () => ({ token_ids: ['12345'] }),
  market_resolved: () => ({ condition_ids: [NO_HASH] }),
  market_created: () => ({ tags: ['no-such-tag'] }),
  pnl_change: (wallets) => ({ wallet_addresses: wallets, min_pnl_change_usd: MUCH_USD }),
  position_status_change: (wallets) => ({
    wallet_addresses: wallets,
    status_from: 'redeemed',
    status_to: 'closed',
  }),
  redemption: () => ({ condition_ids: [NO_HASH] }),
  split: () => ({ wallet_addresses: [NO_WALLET] }),
  merge: () => ({ condition_ids: [NO_HASH] }),
  neg_risk_conversion: () => ({ wallet_addresses: [NO_WALLET] }),
  fee_earned: () => ({ receiver_addresses: [NO_WALLET] }),
  wallet_activity: () => ({ wallet_addresses: [NO_WALLET] }),
  order_complete: () => ({ min_total_usd: MUCH_USD }),
}
