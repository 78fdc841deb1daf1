import assert from 'node:assert/strict'
import { ApiError, badRequest } from '../../core/errors.js'
import { EARLIEST_MS } from '../../upstreams/prices/parse-fields.js'
import type { PriceKind } from '../../upstreams/prices/source.js'
import { type CoinSymbol, MEAN_SECONDS } from '../streams.js'

const INTERVAL_SEC = { '5m': 300, '15m': 900, '1h': 3_600, '4h': 14_400 } as const
export type WindowInterval = keyof typeof INTERVAL_SEC
export const WINDOW_INTERVALS = Object.keys(INTERVAL_SEC) as WindowInterval[]
export const DEFAULT_INTERVAL: WindowInterval = '5m'

/** The time of an up-or-down market. Its end is the start of the next one. */
export type Window = {
  symbol: CoinSymbol
  interval: WindowInterval
  startSec: number
  endSec: number
}

/** A window as a request names it. */
export type WindowQuery = { symbol: CoinSymbol; window: number; interval?: WindowInterval }

/**
 * Throws a 400 if there is no such window, or not yet, and a 404 if it is too long ago. `parameter`: what the caller names
 * the window by.
 */
export function parseWindow(query: WindowQuery, nowMs: number, parameter = 'window'): Window {
  const { symbol, window: startSec, interval = DEFAULT_INTERVAL } = query
  const lengthSec = INTERVAL_SEC[interval]
  const pastSec = startSec % lengthSec
  if (pastSec !== 0) {
    const before = startSec - pastSec
    throw badRequest(
      `Invalid ${parameter}: windows of ${interval} begin at multiples of ${lengthSec} seconds. ` +
        `The nearest are ${before} and ${before + lengthSec}.`,
    )
  }
  if (startSec * 1000 > nowMs) throw badRequest(`Invalid ${parameter}: it has not begun yet.`)
  if (startSec * 1000 < EARLIEST_MS) throw priceUnknown()
  return { symbol, interval, startSec, endSec: startSec + lengthSec }
}

export const priceUnknown = () =>
  new ApiError(404, 'No price is known for this window: the archive does not have it, nor the site.')

/** The tick of a boundary comes within this time after it. */
export const SETTLE_MS = 10_000
const FRESH_CACHE_MS = 1_000
const CACHE_MS = 10_000

/** How long an answer about this window may be served again. */
export function cacheMsOf(query: WindowQuery, nowMs: number): number {
  const { window: startSec, interval = DEFAULT_INTERVAL } = query
  const isFresh = [startSec, startSec + INTERVAL_SEC[interval]].some((boundarySec) => {
    const sinceMs = nowMs - boundarySec * 1000
    return sinceMs >= 0 && sinceMs < SETTLE_MS
  })
  return isFresh ? FRESH_CACHE_MS : CACHE_MS
}

/** Which price decides; the next one stands in where there is none of it. */
type Kinds = readonly [PriceKind, ...PriceKind[]]

type Rule = { fromSec: number; kinds: Kinds }

const since = (date: string, kinds: Kinds): Rule => ({ fromSec: Date.parse(date) / 1000, kinds })
const always = (kinds: Kinds): Rule => ({ fromSec: 0, kinds })

/** Newest first. In August 2026 the platform went from the price of a second to means of it. */
const RULES: Readonly<Record<WindowInterval, readonly Rule[]>> = {
  '5m': [since('2026-08-14', ['twap60', 'spot']), since('2026-08-07', ['twap30', 'spot']), always(['spot'])],
  '15m': [since('2026-08-07', ['twap60', 'spot']), always(['spot'])],
  '1h': [always(['binance', 'spot'])],
  '4h': [since('2026-08-07', ['twap60', 'spot']), always(['spot'])],
}

/**
 * The prices that count at the boundary between two windows. They follow from the boundary alone, so
 * that one window ends at the price at which the next begins.
 */
export function kindsAt(interval: WindowInterval, boundarySec: number): Kinds {
  const rule = RULES[interval].find(({ fromSec }) => fromSec <= boundarySec)
  assert(rule !== undefined, 'a rule holds since the epoch')
  return rule.kinds
}

/** Over how many seconds the site is to take the mean; `undefined`: none, its variant says which price. */
export const lookbackSecOf = ([kind]: Kinds): number | undefined => MEAN_SECONDS[kind]
