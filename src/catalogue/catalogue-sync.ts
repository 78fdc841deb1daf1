import { Gauge, type Registry } from 'prom-client'
import type { Clock } from '../core/clock.js'
import { messageOf } from '../core/errors.js'
import { MARKETS_MAX } from './catalogue.js'
import { syncChanges, syncOpenEvents } from './changes.js'
import type { CatalogueDeps } from './deps.js'
import { type SyncProgress, syncWholeCatalogue } from './full-sync.js'
import { lookUpQueued } from './lookup.js'
import { toKnownMarket } from './market-info.js'
import { countMarkets, selectOpenMarketInfos } from './queries.js'

const OPEN_EVENTS_MS = 10 * 60_000

type CatalogueStatus = ReturnType<CatalogueSync['status']>

/** Keeps the catalogue up to date: each method is one run of a job. */
export class CatalogueSync {
  readonly #deps: CatalogueDeps
  readonly #problems = new Map<string, string>()
  #progress: SyncProgress | undefined
  #syncedAtMs: number | undefined
  #openReadAtMs = Number.NEGATIVE_INFINITY
  #known = 0
  #isLoaded = false

  constructor(deps: CatalogueDeps) {
    this.#deps = deps
  }

  status() {
    const { size, lookups } = this.#deps.catalogue
    const [problem] = this.#problems.values()
    return {
      /** Of the first copy; `undefined`: finished by an earlier process, or not begun. */
      progress: this.#progress,
      /** When this process last brought the catalogue up to date; `undefined`: it did not. */
      syncedAtMs: this.#syncedAtMs,
      /** The error of the last run; `undefined`: it went well. */
      problem,
      /** Markets in the database, as last counted. */
      known: this.#known,
      /** Markets in memory. */
      resident: size,
      lookupsQueued: lookups.waiting,
      lookupsDropped: lookups.counts.dropped,
      /** Tokens and conditions that were looked up and not found. */
      unknown: lookups.absent,
    }
  }

  /** Fills memory with the newest open markets that the database has. */
  async load(limit = MARKETS_MAX): Promise<void> {
    const { store, catalogue } = this.#deps
    const rows = await selectOpenMarketInfos(store.sql, limit)
    // The newest come first. They are put last, because the cache evicts the oldest entry first.
    for (const row of rows.reverse()) catalogue.put(toKnownMarket(row))
    this.#known = await countMarkets(store.sql)
    this.#isLoaded = true
  }

  /**
   * Copies the whole catalogue if that was never finished, and then its changes. One process does it;
   * the others read the database. While Gamma does not answer the last copy stays.
   */
  sync(signal: AbortSignal): Promise<void> {
    return this.#recordProblem('sync', () => this.#sync(signal))
  }

  /** Waits until a caller needs a market that is not in memory, and looks it up. */
  lookUp(signal: AbortSignal): Promise<void> {
    return this.#recordProblem('lookups', async () => {
      if (!this.#isLoaded) await this.load()
      await this.#deps.catalogue.lookups.untilWaiting(signal)
      if (!signal.aborted) await lookUpQueued(this.#deps, signal)
    })
  }

  async #sync(signal: AbortSignal): Promise<void> {
    const { clock, store } = this.#deps
    const startedAtMs = clock.now()
    const isFirst = await syncWholeCatalogue(this.#deps, signal, (progress) => {
      this.#progress = progress
    })
    const isDue = startedAtMs - this.#openReadAtMs >= OPEN_EVENTS_MS
    if (!isFirst && isDue) await syncOpenEvents(this.#deps, signal)
    await syncChanges(this.#deps, signal)
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

/** Gauges that read the status when the metrics are scraped. */
export function registerCatalogueGauges(
  registry: Registry,
  clock: Clock,
  status: () => CatalogueStatus,
): void {
  const syncAgeSec = ({ syncedAtMs }: CatalogueStatus) =>
    syncedAtMs === undefined ? -1 : (clock.now() - syncedAtMs) / 1000
  const gauges: [name: string, help: string, read: (status: CatalogueStatus) => number][] = [
    ['known', 'Markets in the catalogue, as last counted', ({ known }) => known],
    ['resident', 'Markets in the memory of this process', ({ resident }) => resident],
    [
      'sync_age_seconds',
      'Time since this process last brought the catalogue up to date, -1 before it did',
      syncAgeSec,
    ],
    ['lookups_queued', 'Tokens and conditions that wait to be looked up', (now) => now.lookupsQueued],
    ['lookups_dropped', 'How often a token or condition found the queue full', (now) => now.lookupsDropped],
    ['unknown_keys', 'Tokens and conditions that were looked up and not found', ({ unknown }) => unknown],
  ]
  for (const [name, help, read] of gauges)
    new Gauge({
      name: `auspex_markets_${name}`,
      help,
      registers: [registry],
      collect() {
        this.set(read(status()))
      },
    })
}
