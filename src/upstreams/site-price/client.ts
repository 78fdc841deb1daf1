import type { ConnectorOptions } from '../transport/http.js'
import { HttpUpstream } from '../transport/http.js'
import type { PathLimit } from '../transport/rate-limit.js'
import type { Query } from '../transport/url.js'
import {
  parseCandles,
  parseCryptoPrice,
  parsePastResults,
  parsePriceHistory,
  type SiteCandle,
  type SiteCryptoPrice,
  type SitePastResults,
  type SitePricePoint,
} from './parse.js'

/** Nothing is published for the site; this is as fast as one of its own pages would be in a hurry. */
const SITE_PRICE_LIMITS: readonly PathLimit[] = [{ paths: /^/, calls: 100, windowMs: 10_000 }]

export type SiteInterval = '5m' | '15m' | '1h' | '4h' | '1d'

/** The site's own names for the lengths of up-or-down windows. */
const VARIANTS: Readonly<Record<SiteInterval, string>> = {
  '5m': 'fiveminute',
  '15m': 'fifteen',
  '1h': 'hourly',
  '4h': 'fourhour',
  '1d': 'daily',
}

/** An up-or-down window. */
export type SiteWindow = {
  /** In capitals: BTC. */
  symbol: string
  interval: SiteInterval
  startMs: number
  endMs: number
}

export type SiteCandleInterval = '1m' | SiteInterval

// The site answers browsers only.
const BROWSER =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'

/** The prices behind the up-or-down pages of the site. Undocumented: it may change without notice. */
export class SitePriceClient {
  readonly #http: HttpUpstream

  constructor(options: ConnectorOptions) {
    const own = { name: 'site', limits: SITE_PRICE_LIMITS, userAgent: BROWSER }
    this.#http = new HttpUpstream({ ...options, ...own })
  }

  close(): Promise<void> {
    return this.#http.close()
  }

  /** Windows settle on a mean over seconds: without `twapLookbackSec` the prices are of a moment. */
  getCryptoPrice(
    window: SiteWindow & { twapLookbackSec?: number | undefined },
    signal?: AbortSignal,
  ): Promise<SiteCryptoPrice> {
    const { twapLookbackSec } = window
    const twap = twapLookbackSec === undefined ? undefined : true
    const query = { ...toWindowQuery(window), twap, twapLookbackSeconds: twapLookbackSec }
    return this.#http.get('/api/crypto/crypto-price', query, { parse: parseCryptoPrice, signal })
  }

  /** Oldest first; the last one is still running. */
  getCandles(
    asked: {
      symbol: string
      interval: SiteCandleInterval
      limit: number
      endMs?: number | undefined
    },
    signal?: AbortSignal,
  ): Promise<SiteCandle[]> {
    const { symbol, interval, limit, endMs } = asked
    const query = { symbol, interval, limit, endTime: endMs }
    return this.#http.get('/api/chainlink-candles', query, { parse: parseCandles, signal })
  }

  /** Oldest first: a point a minute, of a daily window one every five minutes. */
  getPriceHistory(window: SiteWindow, signal?: AbortSignal): Promise<SitePricePoint[]> {
    const query = toWindowQuery(window)
    return this.#http.get('/api/crypto/price-history', query, { parse: parsePriceHistory, signal })
  }

  /** How the windows before this one ended. */
  getPastResults(
    { count, ...window }: SiteWindow & { count: number },
    signal?: AbortSignal,
  ): Promise<SitePastResults> {
    const { symbol, variant, eventStartTime, endDate } = toWindowQuery(window)
    const query = {
      symbol,
      variant,
      assetType: 'crypto',
      currentEventStartTime: eventStartTime,
      endDate,
      count,
      includeOutcomesBySlug: true,
    }
    return this.#http.get('/api/past-results', query, { parse: parsePastResults, signal })
  }
}

const toWindowQuery = ({ symbol, interval, startMs, endMs }: SiteWindow) =>
  ({
    symbol,
    eventStartTime: toIso(startMs),
    variant: VARIANTS[interval],
    endDate: toIso(endMs),
  }) satisfies Query

// Whole seconds and a plain Z, as the pages write it.
const toIso = (ms: number): string => new Date(ms).toISOString().replace('.000Z', 'Z')
