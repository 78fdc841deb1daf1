import { Bus } from '../bus/bus.js'
import { hasRole, type Role } from '../config/roles.js'
import { presentAge } from '../core/clock.js'
import type { Domain } from '../http/domain.js'
import type { StatusPart } from '../jobs/job.js'
import { untilAborted } from '../lib/abort.js'
import type { Platform } from '../platform.js'
import type { Pool } from '../store/connection.js'
import type { PriceSource } from '../upstreams/prices/source.js'
import type { Upstreams } from '../upstreams/upstreams.js'
import { selectLatest } from './archive/latest.js'
import { PACK_MS, packTicks } from './archive/pack.js'
import { dropOldMonths } from './archive/partitions.js'
import { selectLastLive } from './archive/queries.js'
import { TickCollector } from './collect/collector.js'
import { STREAMS, sourceOf, type TickSource } from './streams.js'

const SECOND_MS = 1_000
const HOUR_MS = 60 * 60 * 1000
/** A source without a price for longer is silent. */
const PRICE_AGE_SEC_MAX = 60
/** For this long after its start a service that fills its candles is not ready; then it serves what it has. */
const FILL_MS_MAX = 120_000
/** A source that is not connected by then is not waited for. */
const CONNECT_MS_MAX = 10_000
/**
 * Every process that stands by for the ingest collects too, so that prices have no hole when it takes over; one that
 * serves sockets does, because its clients want each tick at once.
 */
const COLLECTING: readonly Role[] = ['ingest', 'stream']
const PRICED: readonly Role[] = ['api', ...COLLECTING]
const SPOT_STREAMS = [...STREAMS].flatMap(([id, { kind }]) => (kind === 'spot' ? id : []))

/**
 * `lastSec`: the newest tick of the archive; `undefined`: there is none. `isFilling`: after a start,
 * prices of which candles are made are still being fetched.
 */
export type PriceStatus = { source: string; lastSec: number | undefined; isFilling?: boolean }

type PricesDomain = Domain & {
  /** Coin prices: numbered apart, because every process collects them by itself. */
  priceBus: Bus
}

export function createPrices(platform: Platform, { upstreams }: { upstreams: Upstreams }): PricesDomain {
  const { store, clock, config, log, metrics } = platform
  const priceBus = new Bus({ clock, log })
  const prices = new PriceJobs({ config, store, clock, log, metrics, upstreams, priceBus })
  // Sockets are shown from the first reading of the archive on.
  let shown = prices.known()
  return {
    priceBus,
    jobs: [
      {
        name: 'price collection',
        everyMs: SECOND_MS,
        roles: COLLECTING,
        runsIn: 'every process',
        needsDatabase: false,
        run: (signal) => prices.collect(signal),
      },
      {
        name: 'price status',
        everyMs: SECOND_MS,
        roles: PRICED,
        runsIn: 'every process',
        needsDatabase: true,
        run: async () => {
          shown = [...(await prices.status()), ...prices.sockets()]
        },
      },
      {
        name: 'tick packing',
        everyMs: PACK_MS,
        roles: ['worker'],
        runsIn: 'one process',
        needsDatabase: true,
        run: () => packTicks(platform.sql, clock.now()),
      },
      {
        name: 'retention of ticks',
        everyMs: HOUR_MS,
        roles: ['worker'],
        runsIn: 'one process',
        needsDatabase: true,
        run: () => dropOldTicks(platform.sql, clock.now(), config.tickRetentionDays),
      },
    ],
    status: { ...priceStatus(() => shown), roles: PRICED },
  }
}

/** Prices of one silent source are missing; requests go elsewhere only when all are silent. */
export const priceStatus = (sources: () => readonly PriceStatus[]): StatusPart => ({
  fields: (nowMs) => ({
    prices: sources().map(({ source, lastSec }) => ({
      source,
      age_seconds: presentAge(lastSec, nowMs),
    })),
  }),
  check: (nowMs) => {
    const nowSec = Math.floor(nowMs / 1000)
    const all = sources()
    if (all.length === 0) return undefined
    const silent = all.filter(({ lastSec }) => lastSec === undefined || nowSec - lastSec > PRICE_AGE_SEC_MAX)
    const filling = all.filter(({ isFilling }) => isFilling)
    const problems = [
      ...silent.map(({ source, lastSec }) =>
        lastSec === undefined
          ? `${source}: no price yet`
          : `${source}: no price for ${nowSec - lastSec} seconds`,
      ),
      ...filling.map(({ source }) => `${source}: the prices of the candles are being fetched`),
    ]
    const name = 'prices'
    if (problems.length === 0) return { name, status: 'ready', isReady: true, problem: undefined }
    const problem = problems.join('; ')
    if (filling.length > 0) return { name, status: 'not_ready', isReady: false, problem }
    return { name, status: 'degraded', isReady: silent.length < all.length, problem }
  },
})

type PriceJobDeps = Pick<Platform, 'config' | 'store' | 'clock' | 'metrics' | 'log'> & {
  upstreams: Upstreams
  priceBus: Bus
}

/** Collects prices, and says when each source last had one. */
export class PriceJobs {
  readonly #deps: PriceJobDeps
  readonly #sources: PriceSource[]
  readonly #lastSecs: Map<TickSource, number | undefined>
  #hasReadArchive = false
  #collector: TickCollector | undefined
  #startedAt: number | undefined

  constructor(deps: PriceJobDeps) {
    this.#deps = deps
    this.#sources = deps.upstreams.priceSources()
    const names = this.#sources.map(({ name }) => sourceOf(name))
    this.#lastSecs = new Map(names.map((name) => [name, undefined]))
  }

  /** Collects until the signal aborts. Throws when the archive cannot be read at the start. */
  async collect(signal: AbortSignal): Promise<void> {
    const { upstreams, metrics } = this.#deps
    if (this.#sources.length === 0) return
    await untilAborted(upstreams.opened, signal)
    if (signal.aborted) return
    this.#startedAt ??= performance.now()
    const options = { ...this.#deps, sources: this.#sources, registry: metrics }
    this.#collector ??= new TickCollector(options)
    await this.#collector.run(signal)
  }

  /** The newest price of each source, collected by any process. */
  async status(): Promise<PriceStatus[]> {
    if (this.#sources.length === 0) return []
    for (const [stream, sec] of await this.#selectLastSecs()) {
      const source = STREAMS.get(stream)?.source
      if (source === undefined || !this.#lastSecs.has(source)) continue
      this.#lastSecs.set(source, Math.max(sec, this.#lastSecs.get(source) ?? 0))
    }
    return this.known()
  }

  /** As `status` last read it. */
  known(): PriceStatus[] {
    return [...this.#lastSecs].map(([source, lastSec]) => {
      const isFilling = this.#isFilling(source)
      return { source, lastSec, ...(isFilling && { isFilling }) }
    })
  }

  /**
   * The sockets that deliver the same source: while one is silent the ticks of the other are taken, so
   * the archive does not show that it is lost.
   */
  sockets(): PriceStatus[] {
    if (!this.#collects) return []
    const shared = this.#sources.filter(({ name }) =>
      this.#sources.some((other) => other.name !== name && sourceOf(other.name) === sourceOf(name)),
    )
    return shared.map((source) => {
      const { name, lastTickMs } = source.health()
      return { source: name, lastSec: lastTickMs && Math.floor(lastTickMs / 1000) }
    })
  }

  /** Whether this process collects, or shows what others do. */
  get #collects(): boolean {
    return hasRole(this.#deps.config.roles, COLLECTING)
  }

  /** Whether the source still fetches prices of which candles are made. */
  #isFilling(name: TickSource): boolean {
    if (!this.#collects || this.#collector?.hasCandles) return false
    const fetching = this.#sources.find(
      (source) => sourceOf(source.name) === name && source.isFetching !== undefined,
    )
    if (fetching === undefined) return false
    const sinceMs = performance.now() - (this.#startedAt ?? performance.now())
    if (sinceMs > CONNECT_MS_MAX && fetching.health().state !== 'open') return false
    return sinceMs <= FILL_MS_MAX
  }

  /** Reads the whole archive once, then only live ticks: a tick is live for minutes before it is packed. */
  async #selectLastSecs(): Promise<[stream: number, sec: number][]> {
    const { store, clock } = this.#deps
    const toSec = Math.floor(clock.now() / 1000)
    if (this.#hasReadArchive) {
      const live = await selectLastLive(store.sql, SPOT_STREAMS, toSec)
      return live.map(({ stream, sec }) => [stream, sec])
    }
    const latest = await selectLatest(store.sql, SPOT_STREAMS, { fromSec: 0, toSec })
    this.#hasReadArchive = true
    return [...latest].map(([stream, { sec }]) => [stream, sec])
  }
}

/** Drops months of ticks that are older than this many days; 0 keeps all. */
export async function dropOldTicks(pool: Pool, nowMs: number, days: number): Promise<void> {
  if (days > 0) await dropOldMonths(pool, nowMs - days * 24 * HOUR_MS)
}
