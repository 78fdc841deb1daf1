import { toUsd } from '../prices/amounts.js'
import { readFlag, readInt } from '../server/query.js'
import type { Coin, Interval } from '../universe/market.js'
import { SETTLEMENT_SEC } from '../universe/prices.js'
import type { Universe } from '../universe/universe.js'
import { settlesOnExchange } from '../universe/windows.js'
import { BadQuery, readCoin, readInterval, readSpan } from './query.js'

/** How long after its moment the price of a boundary can be read. */
export const PUBLISH_DELAY_MS = 5_000

const TWAP_SECONDS_MAX = 3_600
const DAILY_STEP_MS = 300_000
const STEP_MS = 60_000
/** The longest window: a day on which New York sets its clocks back. */
const HISTORY_MS_MAX = 25 * 3_600_000

/** The price to beat of a window and, once it is over, the price that decided it. */
export function cryptoPrice(universe: Universe, query: URLSearchParams): object {
  const coin = readCoin(query)
  const { startMs, endMs } = readSpan(query)
  const interval = readInterval(query)
  const twapSeconds = readTwapSeconds(query)
  const boundaryPrice = (atMs: number): number | null => {
    if (universe.nowMs < atMs + PUBLISH_DELAY_MS) return null
    const sec = Math.floor(atMs / 1000)
    return twapSeconds === undefined
      ? spotPrice(universe, coin, interval, sec)
      : toUsd(universe.prices.twapE8(coin, sec, twapSeconds))
  }
  const closePrice = boundaryPrice(endMs)
  const isOver = closePrice !== null
  return {
    openPrice: boundaryPrice(startMs),
    closePrice,
    timestamp: universe.nowMs,
    completed: isOver,
    incomplete: !isOver,
    cached: isOver,
  }
}

/** The path of a window up to now. */
export function priceHistory(universe: Universe, query: URLSearchParams): object {
  const coin = readCoin(query)
  const { startMs, endMs } = readSpan(query)
  if (endMs - startMs > HISTORY_MS_MAX) throw new BadQuery('Invalid endDate')
  const interval = readInterval(query)
  const stepMs = interval === '1d' ? DAILY_STEP_MS : STEP_MS
  const points: { timestamp: number; value: number }[] = []
  for (let atMs = startMs; atMs <= Math.min(endMs, universe.nowMs); atMs += stepMs) {
    const value = spotPrice(universe, coin, interval, Math.floor(atMs / 1000))
    points.push({ timestamp: atMs, value })
  }
  return points
}

/** Hourly and daily pages show the exchange's price, all others the oracle's. */
function spotPrice({ prices }: Universe, coin: Coin, interval: Interval | undefined, sec: number): number {
  const isExchange = interval !== undefined && settlesOnExchange(interval)
  return toUsd(isExchange ? prices.binanceE8(coin, sec) : prices.spot(coin, sec).priceE8)
}

/** `undefined`: not a mean but the price of the moment. */
function readTwapSeconds(query: URLSearchParams): number | undefined {
  if (readFlag(query, 'twap') !== true) return undefined
  const seconds = readInt(query, 'twapLookbackSeconds') ?? SETTLEMENT_SEC
  if (seconds >= 1 && seconds <= TWAP_SECONDS_MAX) return seconds
  throw new BadQuery('Invalid twapLookbackSeconds')
}
