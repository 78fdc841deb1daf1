import { type CallOptions, type ConnectorOptions, HttpUpstream } from '../transport/http.js'
import type { PathLimit } from '../transport/rate-limit.js'
import { parseCandles, parseCryptoPrice, type SiteCandle, type SiteCryptoPrice } from './parse.js'

/** Nothing is published for the site; this is as fast as one of its own pages would be in a hurry. */
const SITE_PRICE_LIMITS: readonly PathLimit[] = [{ paths: /^/, calls: 100, windowMs: 10_000 }]

type SiteInterval = '5m' | '15m' | '1h' | '4h' | '1d'

/** The site's own names for the lengths of up-or-down windows. */
const VARIANTS: Readonly<Record<SiteInterval, string>> = {
  '5m': 'fiveminute',
  '15m': 'fifteen',
  '1h': 'hourly',
  '4h': 'fourhour',
  '1d': 'daily',
}

/** An up-or-down window. */
type SiteWindow = {
  /** In capitals: BTC. */
  symbol: string
  interval: SiteInterval
  startMs: number
  endMs: number
}

// The site answers browsers only.
const BROWSER =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'

/** The API that the up-or-down pages of the site load their prices from. Undocumented: it may change without notice. */
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
    call: CallOptions = {},
  ): Promise<SiteCryptoPrice> {
    const { symbol, interval, startMs, endMs, twapLookbackSec } = window
    const query = {
      symbol,
      eventStartTime: toIso(startMs),
      variant: VARIANTS[interval],
      endDate: toIso(endMs),
      twap: twapLookbackSec === undefined ? undefined : true,
      twapLookbackSeconds: twapLookbackSec,
    }
    return this.#http.get('/api/crypto/crypto-price', query, { parse: parseCryptoPrice, ...call })
  }

  /** Oldest first; the last one is still running. */
  getCandles(
    query: { symbol: string; interval: '1m' | SiteInterval; limit: number },
    signal?: AbortSignal,
  ): Promise<SiteCandle[]> {
    return this.#http.get('/api/chainlink-candles', query, { parse: parseCandles, signal })
  }
}

// Whole seconds and a plain Z, as the pages write it.
const toIso = (ms: number): string => new Date(ms).toISOString().replace('.000Z', 'Z')
