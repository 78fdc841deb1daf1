import type { SiteInterval } from './variants.js'

/** An up-or-down window. */
export type SiteWindow = {
  /** In capitals: BTC. */
  symbol: string
  interval: SiteInterval
  startMs: number
  endMs: number
}

/**
 * The price at both ends of a window. `openPrice` is `undefined` before it opens and for some seconds
 * after; while it runs, `closePrice` is absent or the price of the moment.
 */
export type SiteCryptoPrice = {
  openPrice: number | undefined
  closePrice: number | undefined
  timestampMs: number
  completed: boolean
  incomplete: boolean | undefined
  cached: boolean | undefined
}

export type SiteCandleInterval = '1m' | SiteInterval

export type SiteCandle = {
  timeSec: number
  open: number
  high: number
  low: number
  close: number
}

export type SitePricePoint = { timestampMs: number; value: number }

export type SitePastResult = {
  startMs: number
  endMs: number
  openPrice: number | undefined
  closePrice: number | undefined
  outcome: 'up' | 'down' | undefined
  percentChange: number | undefined
}

export type SitePastResults = {
  results: SitePastResult[]
  outcomesBySlug: Map<string, 'up' | 'down'>
}
