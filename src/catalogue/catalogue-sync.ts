import { messageOf } from '../core/errors.js'
import { MARKETS_MAX } from './catalogue.js'
import { syncChanges, syncOpenEvents } from './changes.js'
import { type SyncProgress, syncWholeCatalogue } from './full-sync.js'
import { lookUpQueued } from './lookup.js'
import { toKnownMarket } from './market-info.js'
import type { MarketParts } from './parts.js'
import { countMarkets, selectOpenMarketInfos } from './queries.js'

const OPEN_EVENTS_MS = 10 * 60_000

export type MarketStatus = {
  /** Of the first reading; `undefined` when it was finished in an earlier life, or has not begun. */
  progress: SyncProgress | undefined
  /** When the catalogue was last brought up to date; `undefined`: not by this process. */
  syncedAtMs: number | undefined
  /** Why it is not going on; `undefined` when all is well. */
  problem: string | undefined
  /** Markets in the catalogue, as last counted. */
  known: number
  /** Markets in memory. */
  resident: number
  lookupsQueued: number
  lookupsDropped: number
  /** Tokens and conditions that were looked up and not found. */
  unknown: number
}

/** Keeps the catalogue up to date: each method is one run of a job. */
export class CatalogueSync {
  readonly #parts: MarketParts
  readonly #problems = new Map<string, string>()
  #progress: SyncProgress | undefined
  #syncedAtMs: number | undefined
  #openReadAtMs = Number.NEGATIVE_INFINITY
  #known = 0
  #isLoaded = false

  constructor(parts: MarketParts) {
    this.#parts = parts
  }

  status(): MarketStatus {
    const { size, lookups } = this.#parts.catalogue
    const [problem] = this.#problems.values()
    return {
      progress: this.#progress,
      syncedAtMs: this.#syncedAtMs,
      problem,
      known: this.#known,
      resident: size,
      lookupsQueued: lookups.waiting,
      lookupsDropped: lookups.dropped,
      unknown: lookups.absent,
    }
  }

  /** Fills memory with the newest open markets that the database has. */
  async load(limit = MARKETS_MAX): Promise<void> {
    const { store, catalogue } = this.#parts
    const rows = await selectOpenMarketInfos(store.sql, limit)
    // The newest come first and shall be the last to be forgotten.
    for (const row of rows.reverse()) catalogue.put(toKnownMarket(row))
    this.#known = await countMarkets(store.sql)
    this.#isLoaded = true
  }

  /**
   * Reads the whole catalogue if that was never finished, and then its changes. One process is
   * enough: the others read the database. While Gamma does not answer the last copy stays.
   */
  sync(signal: AbortSignal): Promise<void> {
    return this.#recordProblem('sync', () => this.#sync(signal))
  }

  /** Waits until memory was asked for a market that it does not have, and looks that up. */
  lookUp(signal: AbortSignal): Promise<void> {
    return this.#recordProblem('lookups', async () => {
      if (!this.#isLoaded) await this.load()
      await this.#parts.catalogue.lookups.untilWaiting(signal)
      if (!signal.aborted) await lookUpQueued(this.#parts, signal)
    })
  }

  async #sync(signal: AbortSignal): Promise<void> {
    const { clock, store } = this.#parts
    const startedAtMs = clock.now()
    const isFirst = await syncWholeCatalogue(this.#parts, signal, (progress) => {
      this.#progress = progress
    })
    const isDue = startedAtMs - this.#openReadAtMs >= OPEN_EVENTS_MS
    if (!isFirst && isDue) await syncOpenEvents(this.#parts, signal)
    await syncChanges(this.#parts, signal)
    if (isFirst || isDue) {
      this.#openReadAtMs = startedAtMs
      this.#known = await countMarkets(store.sql)
    }
    this.#syncedAtMs = clock.now()
  }

  async #recordProblem(name: string, work: () => Promise<void>): Promise<void> {
    try {
      await work()
      this.#problems.delete(name)
    } catch (error) {
      this.#problems.set(name, messageOf(error))
      throw error
    }
  }
}
