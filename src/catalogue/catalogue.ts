import { LRUCache } from 'lru-cache'
import { type Clock, isYoungerThan } from '../core/clock.js'
import { limitCount } from '../lib/limit-count.js'
import { type LookupLimits, LookupQueue } from './lookup-queue.js'
import type { KnownMarket, MarketInfo, MarketLookup } from './market-info.js'

/** A market takes about a kilobyte: 100 MB. */
export const MARKETS_MAX = 100_000

/** A market in memory that is older is also read again when a caller needs it: other processes change it too. */
const FRESH_MS = 10 * 60 * 1000

type Entry = KnownMarket & { readAtMs: number }

const LIMITS = { marketsMax: MARKETS_MAX, waitingMax: 20_000, absentMax: 100_000 }

/**
 * The markets in the memory of this process: the most recently used ones, at most `marketsMax`. The
 * database has all markets; several processes share it, and one of them copies them from Gamma.
 *
 * - At the start memory is filled with the newest open markets of the database.
 * - `byToken` and `byCondition` read memory only and return at once. A key that is not there goes into
 *   `lookups`; the lookup job reads it from the database, else from Gamma, and puts it here.
 * - What the sync job reads from Gamma is stored in the database first; open markets are then put here,
 *   closed ones only if they are here already.
 */
export class Catalogue implements MarketLookup {
  readonly lookups: LookupQueue
  readonly #clock: Clock
  readonly #byCondition: LRUCache<string, Entry>
  readonly #byToken = new Map<string, Entry>()

  constructor(clock: Clock, limits: LookupLimits & { marketsMax: number } = LIMITS) {
    this.#clock = clock
    this.lookups = new LookupQueue(clock, limits)
    this.#byCondition = new LRUCache({
      ...limitCount(limits.marketsMax),
      dispose: (entry) => this.#forgetTokens(entry),
    })
  }

  get size(): number {
    return this.#byCondition.size
  }

  byToken(token: string): MarketInfo | undefined {
    const entry = this.#byToken.get(token)
    if (entry !== undefined) return this.byCondition(entry.info.conditionId)
    this.lookups.add('tokens', token)
    return undefined
  }

  byCondition(condition: string): MarketInfo | undefined {
    const entry = this.#byCondition.get(condition)
    const isFresh = entry !== undefined && isYoungerThan(FRESH_MS, entry.readAtMs, this.#clock.now())
    if (!isFresh) this.lookups.add('conditions', condition)
    return entry?.info
  }

  put(market: KnownMarket): void {
    const { info, tokens, isOpen } = market
    const entry = { info, tokens, isOpen, readAtMs: this.#clock.now() }
    this.#byCondition.set(info.conditionId, entry)
    for (const token of tokens) this.#byToken.set(token, entry)
  }

  /** Like `put`, but only for a market that is in memory already. */
  refresh(market: KnownMarket): void {
    if (this.#byCondition.has(market.info.conditionId)) this.put(market)
  }

  #forgetTokens(entry: Entry): void {
    for (const token of entry.tokens) {
      if (this.#byToken.get(token) === entry) this.#byToken.delete(token)
    }
  }
}
