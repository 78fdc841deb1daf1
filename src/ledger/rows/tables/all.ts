import type { TableShape } from '../state-table.js'
import { BUILDER_HOURS, BUILDER_WALLETS } from './builders.js'
import { MARKET_HOURS } from './market-hours.js'
import { POSITIONS } from './positions.js'
import { LAST_PRICES, RESERVES, SUPPLIES } from './tokens.js'
import { WALLET_TOTALS } from './wallet-totals.js'

/** Every table whose rows change. P&L steps are only added. */
export const STATE_TABLES: readonly TableShape[] = [
  POSITIONS,
  WALLET_TOTALS,
  MARKET_HOURS,
  BUILDER_HOURS,
  BUILDER_WALLETS,
  SUPPLIES,
  RESERVES,
  LAST_PRICES,
]
