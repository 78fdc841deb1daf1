import { COINS } from '../universe/coins.js'
import type { Coin, Interval } from '../universe/market.js'

/** The message is what the host answers. */
export class BadQuery extends Error {
  override name = 'BadQuery'
}

/** Two names each are in use for the windows of a quarter of an hour and of four hours. */
const VARIANTS: ReadonlyMap<string, Interval> = new Map([
  ['fiveminute', '5m'],
  ['fifteen', '15m'],
  ['fifteenminute', '15m'],
  ['hourly', '1h'],
  ['fourhour', '4h'],
  ['4h', '4h'],
  ['daily', '1d'],
])

export const INTERVAL_MS: { readonly [Name in Interval]: number } = {
  '5m': 300_000,
  '15m': 900_000,
  '1h': 3_600_000,
  '4h': 14_400_000,
  '1d': 86_400_000,
}

export function readCoin(query: URLSearchParams): Coin {
  const symbol = query.get('symbol')?.toUpperCase()
  const facts = COINS.find((entry) => entry.symbol === symbol)
  if (facts === undefined) throw new BadQuery('Invalid symbol')
  return facts.coin
}

/** `undefined`: an unknown variant, which is no error. */
export const readInterval = (query: URLSearchParams): Interval | undefined =>
  VARIANTS.get(query.get('variant') ?? '')

/** `undefined`: absent. */
export function readTimeMs(query: URLSearchParams, key: string): number | undefined {
  const text = query.get(key)
  if (text === null || text === '') return undefined
  const timeMs = Date.parse(text)
  if (Number.isNaN(timeMs)) throw new BadQuery(`Invalid ${key}`)
  return timeMs
}

type Span = { startMs: number; endMs: number }

/** The window that is asked for; without its end, the variant says how long it is. */
export function readSpan(query: URLSearchParams): Span {
  const startMs = readTimeMs(query, 'eventStartTime')
  if (startMs === undefined) throw new BadQuery('Missing eventStartTime')
  const endMs = readTimeMs(query, 'endDate')
  return { startMs, endMs: endMs ?? startMs + INTERVAL_MS[readInterval(query) ?? '5m'] }
}
