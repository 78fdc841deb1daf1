import type { Clock } from '../core/clock.js'
import { badRequest, notFound } from '../core/errors.js'
import { UpstreamError } from '../core/upstream-error.js'
import { StaleFallbackCache } from '../lib/stale-fallback-cache.js'
import type { ClobClient, ClobRewardQuery } from '../upstreams/clob/client.js'
import type { CallOptions } from '../upstreams/transport/http.js'
import type { JsonObject } from '../upstreams/transport/parse-json.js'
import { withUpstreamTimeout } from '../upstreams/transport/upstream-timeout.js'

type Clob = Pick<ClobClient, 'getRewardMarkets' | 'getRewardMarket'>
type RewardPageRequest = ClobRewardQuery & { accountId: number }

/** `isStale`: the order book does not answer, and this is what it said at that time. */
export type RewardPage = { page: JsonObject; asOfMs: number; isStale: boolean }

/** A page of the list has up to 500 markets, about 300 KB. */
const LIST_PAGES_MAX = 40
const MARKETS_MAX = 2_000

/** The platform's pages of rewards. While its order book does not answer, the last ones are shown, however old. */
export class RewardPages {
  readonly #clob: Clob
  readonly #timeoutMs: number | undefined
  readonly #lists: StaleFallbackCache
  readonly #markets: StaleFallbackCache

  constructor(clob: Clob, clock: Clock, timeoutMs?: number) {
    this.#clob = clob
    this.#timeoutMs = timeoutMs
    const staleMsMax = Number.POSITIVE_INFINITY
    this.#lists = new StaleFallbackCache({ clock, limits: { max: LIST_PAGES_MAX }, staleMsMax })
    this.#markets = new StaleFallbackCache({ clock, limits: { max: MARKETS_MAX }, staleMsMax })
  }

  getList({ accountId, ...page }: RewardPageRequest): Promise<RewardPage> {
    return this.#get(this.#lists, keyOf(page), accountId, (call) => this.#clob.getRewardMarkets(page, call))
  }

  /** Throws 404 when there is no such market; one that pays nothing has a page without rows. */
  getMarket(conditionId: string, { accountId, ...page }: RewardPageRequest): Promise<RewardPage> {
    const key = `${conditionId} ${keyOf(page)}`
    return this.#get(this.#markets, key, accountId, async (call) => {
      const found = await this.#clob.getRewardMarket(conditionId, page, call)
      if (found === undefined) throw notFound()
      return found
    })
  }

  async #get(
    cache: StaleFallbackCache,
    key: string,
    accountId: number,
    fetch: (call: CallOptions) => Promise<JsonObject>,
  ): Promise<RewardPage> {
    const load = () =>
      withUpstreamTimeout('clob', (signal) => fetch({ signal, accountId }), this.#timeoutMs).catch(
        refuseCursor,
      )
    const { value: page, asOfMs, isStale } = await cache.get(key, { freshMs: 0, accountId, load })
    return { page, asOfMs, isStale }
  }
}

function refuseCursor(error: unknown): never {
  const isRefused = error instanceof UpstreamError && error.status === 400
  throw isRefused ? badRequest('Invalid next_cursor: the order book does not know it') : error
}

const keyOf = ({ sponsored, nextCursor = '' }: ClobRewardQuery): string => `${sponsored} ${nextCursor}`
