import { messageOf } from '../core/errors.js'
import { backoffMs, systemTiming, type Timing } from '../lib/timing.js'
import { MARKETS_MAX } from './catalogue.js'
import { syncChanges, syncOpenEvents } from './changes.js'
import { type SyncProgress, syncWholeCatalogue } from './full-sync.js'
import { lookUpQueued } from './lookup.js'
import { toKnownMarket } from './market-info.js'
import type { MarketParts } from './parts.js'
import { countMarkets, selectOpenMarketInfos } from './queries.js'
import { refreshMidpoints } from './token-prices.js'

const CHANGES_MS = 30_000
const OPEN_EVENTS_MS = 10 * 60_000
const BACKOFF = { baseMs: 1_000, maxMs: 60_000 }

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

/** The work on the catalogue: loops that the service runs until their signal aborts. */
export class MarketJobs {
  readonly #parts: MarketParts
  readonly #timing: Timing
  readonly #problems = new Map<string, string>()
  #progress: SyncProgress | undefined
  #syncedAtMs: number | undefined
  #openReadAtMs = Number.NEGATIVE_INFINITY
  #known = 0

  constructor(parts: MarketParts, timing: Timing = systemTiming) {
    this.#parts = parts
    this.#timing = timing
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
  }

  /**
   * Reads the whole catalogue if that was never finished, and then follows its changes. One process
   * is enough: the others read the database. While Gamma does not answer the last copy stays.
   */
  runSync(signal: AbortSignal, onProgress?: (progress: SyncProgress) => void): Promise<void> {
    const tell = (progress: SyncProgress) => {
      this.#progress = progress
      onProgress?.(progress)
    }
    return this.#keepTrying('sync', signal, CHANGES_MS, () => this.#sync(signal, tell))
  }

  /** Looks up what memory was asked for and does not have, as soon as it is asked. */
  runLookups(signal: AbortSignal): Promise<void> {
    return this.#keepTrying('lookups', signal, 0, async () => {
      await this.#parts.catalogue.lookups.untilWaiting(signal)
      if (!signal.aborted) await lookUpQueued(this.#parts, signal)
    })
  }

  /** To be called every MIDPOINTS_MS. */
  refreshPrices(signal: AbortSignal): Promise<void> {
    return refreshMidpoints(this.#parts, signal)
  }

  async #sync(signal: AbortSignal, tell: (progress: SyncProgress) => void): Promise<void> {
    const { clock, store } = this.#parts
    const startedAtMs = clock.now()
    const isFirst = await syncWholeCatalogue(this.#parts, signal, tell)
    const isDue = startedAtMs - this.#openReadAtMs >= OPEN_EVENTS_MS
    if (!isFirst && isDue) await syncOpenEvents(this.#parts, signal)
    await syncChanges(this.#parts, signal)
    if (isFirst || isDue) {
      this.#openReadAtMs = startedAtMs
      this.#known = await countMarkets(store.sql)
    }
    this.#syncedAtMs = clock.now()
  }

  /** Does it again and again with a pause, which after failures grows. */
  async #keepTrying(
    name: string,
    signal: AbortSignal,
    pauseMs: number,
    work: () => Promise<void>,
  ): Promise<void> {
    let failures = 0
    while (!signal.aborted) {
      try {
        await work()
        failures = 0
        this.#problems.delete(name)
      } catch (error) {
        if (signal.aborted) return
        failures++
        this.#problems.set(name, messageOf(error))
        this.#parts.log.warn({ err: error, job: `markets ${name}` }, 'job failed')
      }
      const waitMs = failures === 0 ? pauseMs : backoffMs(BACKOFF, failures)
      if (waitMs > 0) await this.#timing.sleep(waitMs, signal).catch(() => undefined)
    }
  }
}
