import type { Journal } from './journal.js'
import { Shelf } from './shelf.js'
import { BUILDER_HOURS, BUILDER_WALLETS } from './tables/builders.js'
import { MARKET_HOURS } from './tables/market-hours.js'
import { POSITIONS } from './tables/positions.js'
import { LAST_PRICES, RESERVES, SUPPLIES } from './tables/tokens.js'
import { WALLET_TOTALS } from './tables/wallet-totals.js'

export type Shelves = ReturnType<typeof createShelves>

/** One shelf for each table of the state. */
export const createShelves = (journal: Journal, positionsMax: number) => ({
  positions: new Shelf(POSITIONS, journal, positionsMax),
  walletTotals: new Shelf(WALLET_TOTALS, journal, positionsMax),
  marketHours: new Shelf(MARKET_HOURS, journal, positionsMax),
  builderHours: new Shelf(BUILDER_HOURS, journal, positionsMax),
  builderWallets: new Shelf(BUILDER_WALLETS, journal, positionsMax),
  supplies: new Shelf(SUPPLIES, journal, positionsMax),
  reserves: new Shelf(RESERVES, journal, positionsMax),
  lastPrices: new Shelf(LAST_PRICES, journal, positionsMax),
})
