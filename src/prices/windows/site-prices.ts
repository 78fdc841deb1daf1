import type { Clock } from '../../core/clock.js'
import { UpstreamError } from '../../core/upstream-error.js'
import { StaleFallbackCache } from '../../lib/stale-fallback-cache.js'
import { TimeoutError, withTimeout } from '../../lib/timeout.js'
import type { SitePriceClient } from '../../upstreams/site-price/client.js'
import type { SiteCryptoPrice } from '../../upstreams/site-price/parse.js'
import type { Window } from './window.js'

type SitePrice = Pick<SitePriceClient, 'getCryptoPrice'>

const ANSWERS_MAX = 2_000
/** The site has the price of a boundary some seconds late; what it lacks after a minute stays missing. */
const LATE_MS_MAX = 60_000
const UNKNOWN_MS = 60_000
const SOON_KNOWN_MS = 2_000
/** The caller waits no longer; the call itself goes on, and its answer is kept. */
const WAIT_MS_MAX = 5_000

/** The site's prices of windows, cached so that repeated requests do not reach the site. */
export class SitePrices {
  readonly #site: SitePrice
  readonly #waitMsMax: number
  readonly #cache: StaleFallbackCache

  constructor(site: SitePrice, clock: Clock, waitMsMax = WAIT_MS_MAX) {
    this.#site = site
    this.#waitMsMax = waitMsMax
    this.#cache = new StaleFallbackCache({ clock, limits: { max: ANSWERS_MAX }, staleMsMax: 0 })
  }

  /**
   * `undefined`: the site does not answer, or not in time. Throws when the account's share of the
   * requests to the site is used up.
   */
  async get(
    window: Window,
    twapLookbackSec?: number,
    accountId?: number,
  ): Promise<SiteCryptoPrice | undefined> {
    const { symbol, interval, startSec, endSec } = window
    const times = { startMs: startSec * 1000, endMs: endSec * 1000 }
    const price = this.#cache.get(`${symbol} ${interval} ${startSec} ${twapLookbackSec}`, {
      freshMs: (answer: SiteCryptoPrice, asOfMs) => keepMs(answer, window, asOfMs),
      accountId,
      load: () => this.#site.getCryptoPrice({ symbol, interval, ...times, twapLookbackSec }, { accountId }),
    })
    try {
      return (await withTimeout(price, this.#waitMsMax, 'the site is slow')).value
    } catch (error) {
      if (error instanceof UpstreamError || error instanceof TimeoutError) return undefined
      throw error
    }
  }
}

/** For how long the site's answer stays the same. */
function keepMs(answer: SiteCryptoPrice, { startSec, endSec }: Window, nowMs: number): number {
  const { openPrice, closePrice, completed } = answer
  const isOpenKnown = openPrice !== undefined
  if (isOpenKnown && completed && closePrice !== undefined) return Number.POSITIVE_INFINITY
  const missingSec = isOpenKnown ? endSec : startSec
  return nowMs - missingSec * 1000 > LATE_MS_MAX ? UNKNOWN_MS : SOON_KNOWN_MS
}
