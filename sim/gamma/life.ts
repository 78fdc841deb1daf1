import { isClosed } from '../markets/market-state.js'
import type { Market, MarketEvent } from '../universe/market.js'
import { oracleLife } from '../universe/oracle.js'
import type { Universe } from '../universe/universe.js'

const SECOND_MS = 1_000
const NEW_MS = 3_600_000

export const isEventClosed = (universe: Universe, event: MarketEvent): boolean =>
  event.markets.every((market) => isClosed(universe, market))

/** Only for an event that is closed. */
export const eventClosedMs = ({ markets }: MarketEvent): number =>
  Math.max(...markets.map((market) => market.resolvesMs))

export const isNew = (universe: Universe, { createdMs }: MarketEvent): boolean =>
  universe.nowMs - createdMs < NEW_MS

/** The stations of the oracle that the market has passed. Windows go straight to the last one. */
export function oracleStatuses(universe: Universe, market: Market): string[] {
  const { nowMs, seed } = universe
  const life = oracleLife(seed, market)
  const stations: [string, number | undefined][] = [
    ['proposed', life?.disputed?.proposedMs],
    ['disputed', life?.disputed?.disputedMs],
    ['proposed', life?.proposedMs],
  ]
  const passed = stations.filter(([, atMs]) => atMs !== undefined && atMs <= nowMs)
  const statuses = passed.map(([status]) => status)
  return isClosed(universe, market) ? [...statuses, 'resolved'] : statuses
}

/**
 * The two prices that decide a window. They are written minutes after it ended, the first one two to
 * five minutes, the second one one to three minutes after that.
 */
export function windowPrices(
  universe: Universe,
  { id, window }: MarketEvent,
): { priceToBeat: number; finalPrice?: number } | undefined {
  if (window === undefined) return undefined
  const { nowMs, prices } = universe
  const firstMs = window.endMs + (120 + (Number(id) % 181)) * SECOND_MS
  const secondMs = firstMs + (60 + (Number(id) % 121)) * SECOND_MS
  if (nowMs < firstMs) return undefined
  const priceToBeat = prices.openE8(window) / 1e8
  return nowMs < secondMs ? { priceToBeat } : { priceToBeat, finalPrice: prices.closeE8(window) / 1e8 }
}
