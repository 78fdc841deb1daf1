import { LRUCache } from 'lru-cache'
import type { Clock } from '../../core/clock.js'
import { TimeoutError, withTimeout } from '../../lib/timeout.js'
import type { SitePriceClient } from '../../upstreams/site-price/client.js'
import type { SiteCryptoPrice } from '../../upstreams/site-price/parse.js'
import { UpstreamError } from '../../upstreams/transport/errors.js'
import type { Window } from './window.js'

type SitePrice = Pick<SitePriceClient, 'getCryptoPrice'>
type AskedWindow = Window & { twapLookbackSec: number | undefined }
type Known = { answer: SiteCryptoPrice; untilMs: number }

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
  readonly #clock: Clock
  readonly #waitMsMax: number
  readonly #known = new LRUCache<string, Known>({ max: ANSWERS_MAX })

  constructor(site: SitePrice, clock: Clock, waitMsMax = WAIT_MS_MAX) {
    this.#site = site
    this.#clock = clock
    this.#waitMsMax = waitMsMax
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
    const { symbol, interval, startSec } = window
    const key = `${symbol} ${interval} ${startSec} ${twapLookbackSec}`
    const known = this.#known.get(key)
    if (known !== undefined && this.#clock.now() < known.untilMs) return known.answer
    const asking = this.#ask(key, { ...window, twapLookbackSec }, accountId)
    try {
      return await withTimeout(asking, this.#waitMsMax, 'the site is slow')
    } catch (error) {
      if (error instanceof UpstreamError || error instanceof TimeoutError) return undefined
      throw error
    }
  }

  async #ask(key: string, window: AskedWindow, accountId: number | undefined) {
    const { symbol, interval, startSec, endSec, twapLookbackSec } = window
    const times = { startMs: startSec * 1000, endMs: endSec * 1000 }
    const asked = { symbol, interval, ...times, twapLookbackSec }
    const answer = await this.#site.getCryptoPrice(asked, { accountId })
    const nowMs = this.#clock.now()
    this.#known.set(key, { answer, untilMs: nowMs + keepMs(answer, window, nowMs) })
    return answer
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
