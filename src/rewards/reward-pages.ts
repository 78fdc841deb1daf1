import { LRUCache } from 'lru-cache'
import type { Clock } from '../core/clock.js'
import { badRequest, notFound } from '../core/errors.js'
import type { ClobClient, ClobRewardQuery } from '../upstreams/clob/client.js'
import { UpstreamError } from '../upstreams/transport/errors.js'
import type { CallOptions } from '../upstreams/transport/http.js'
import type { JsonObject } from '../upstreams/transport/parse-json.js'
import { withPatience } from '../upstreams/transport/patience.js'

type Clob = Pick<ClobClient, 'getRewardMarkets' | 'getRewardMarket'>
type AskedPage = ClobRewardQuery & { accountId: number }
type Copy = { page: JsonObject; asOfMs: number }

/** `staleSinceMs`: the order book does not answer, and this is what it said at that time. */
export type RewardPageCopy = { page: JsonObject; staleSinceMs: number | undefined }

/** A page of the list has up to 500 markets, about 300 KB. */
const LIST_PAGES_MAX = 40
const MARKETS_MAX = 2_000

/** The platform's pages of rewards. While its order book does not answer, the last copies are shown. */
export class RewardPages {
  readonly #clob: Clob
  readonly #clock: Clock
  readonly #patienceMs: number | undefined
  readonly #lists = new LRUCache<string, Copy>({ max: LIST_PAGES_MAX })
  readonly #markets = new LRUCache<string, Copy>({ max: MARKETS_MAX })

  constructor(clob: Clob, clock: Clock, patienceMs?: number) {
    this.#clob = clob
    this.#clock = clock
    this.#patienceMs = patienceMs
  }

  getList({ accountId, ...page }: AskedPage): Promise<RewardPageCopy> {
    return this.#get(this.#lists, keyOf(page), accountId, (call) => this.#clob.getRewardMarkets(page, call))
  }

  /** Throws 404 when there is no such market; one that pays nothing has a page without rows. */
  getMarket(conditionId: string, { accountId, ...page }: AskedPage): Promise<RewardPageCopy> {
    const key = `${conditionId} ${keyOf(page)}`
    return this.#get(this.#markets, key, accountId, async (call) => {
      const found = await this.#clob.getRewardMarket(conditionId, page, call)
      if (found === undefined) throw notFound()
      return found
    })
  }

  async #get(
    copies: LRUCache<string, Copy>,
    key: string,
    accountId: number,
    fetch: (call: CallOptions) => Promise<JsonObject>,
  ): Promise<RewardPageCopy> {
    try {
      const call = (signal: AbortSignal) => fetch({ signal, accountId })
      const page = await withPatience('clob', call, this.#patienceMs)
      copies.set(key, { page, asOfMs: this.#clock.now() })
      return { page, staleSinceMs: undefined }
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error
      if (error.status === 400) throw badRequest('Invalid next_cursor: the order book does not know it')
      const copy = copies.get(key)
      if (copy === undefined) throw error
      return { page: copy.page, staleSinceMs: copy.asOfMs }
    }
  }
}

const keyOf = ({ sponsored, nextCursor = '' }: ClobRewardQuery): string => `${sponsored} ${nextCursor}`
