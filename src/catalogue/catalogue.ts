import { LRUCache } from 'lru-cache'
import type { Clock } from '../core/clock.js'
import type { KnownMarket } from './info.js'
import type { MarketInfo, MarketLookup } from './market-info.js'
import { Unseen, type UnseenLimits } from './unseen.js'

/** A market takes about a kilobyte: 100 MB. */
export const MARKETS_MAX = 100_000

/** After this time a market that is asked for is also read again, for other processes change it too. */
const FRESH_MS = 10 * 60 * 1000

type Entry = KnownMarket & { readAtMs: number }

const LIMITS = { marketsMax: MARKETS_MAX, waitingMax: 20_000, absentMax: 100_000 }

/**
 * The markets that this process has in memory. Whatever is not there is answered with `undefined`
 * and put in line to be looked up; nobody waits for it.
 */
export class Catalogue implements MarketLookup {
  readonly unseen: Unseen
  readonly #clock: Clock
  readonly #byCondition: LRUCache<string, Entry>
  readonly #byToken = new Map<string, Entry>()

  constructor(clock: Clock, limits: UnseenLimits & { marketsMax: number } = LIMITS) {
    this.#clock = clock
    this.unseen = new Unseen(clock, limits)
    this.#byCondition = new LRUCache({
      max: limits.marketsMax,
      dispose: (entry) => this.#forgetTokens(entry),
    })
  }

  get size(): number {
    return this.#byCondition.size
  }

  byToken(token: string): MarketInfo | undefined {
    const entry = this.#byToken.get(token)
    if (entry !== undefined) return this.byCondition(entry.info.conditionId)
    this.unseen.add('tokens', token)
    return undefined
  }

  byCondition(condition: string): MarketInfo | undefined {
    const entry = this.#byCondition.get(condition)
    const isFresh = entry !== undefined && this.#clock.now() - entry.readAtMs < FRESH_MS
    if (!isFresh) this.unseen.add('conditions', condition)
    return entry?.info
  }

  put(market: KnownMarket): void {
    const { info, tokens, isOpen } = market
    const entry = { info, tokens, isOpen, readAtMs: this.#clock.now() }
    this.#byCondition.set(info.conditionId, entry)
    for (const token of tokens) this.#byToken.set(token, entry)
  }

  /** Brings up to date what is in memory, and leaves the rest where it is. */
  refresh(market: KnownMarket): void {
    if (this.#byCondition.has(market.info.conditionId)) this.put(market)
  }

  #forgetTokens(entry: Entry): void {
    for (const token of entry.tokens) {
      if (this.#byToken.get(token) === entry) this.#byToken.delete(token)
    }
  }
}
