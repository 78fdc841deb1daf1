import type { Context } from '../context.js'
import { repeat } from '../lib/repeat.js'
import type { PriceStatus } from '../status/board.js'
import type { Pool } from '../store/connection.js'
import type { PriceSource } from '../upstreams/prices/source.js'
import { selectLatest } from './archive/latest.js'
import { dropOldMonths } from './archive/partitions.js'
import { selectLastLive } from './archive/queries.js'
import { TickCollector } from './collect/collector.js'
import { STREAMS, sourceOf, type TickSource } from './streams.js'

const RETRY_MS = 1_000
const DAY_MS = 24 * 60 * 60 * 1000
const SPOT_STREAMS = [...STREAMS].flatMap(([id, { kind }]) => (kind === 'spot' ? id : []))

type Parts = Pick<Context, 'store' | 'upstreams' | 'bus' | 'clock' | 'metrics' | 'log'>

/** The collecting of prices, and what is to be said about it. */
export class PriceJobs {
  readonly #parts: Parts
  readonly #sources: PriceSource[]
  readonly #lastSecs: Map<TickSource, number | undefined>
  #hasLooked = false

  constructor(parts: Parts) {
    this.#parts = parts
    this.#sources = parts.upstreams.priceSources()
    const names = this.#sources.map(({ name }) => sourceOf(name))
    this.#lastSecs = new Map(names.map((name) => [name, undefined]))
  }

  /** Until the signal aborts; the database may come and go. */
  async collect(signal: AbortSignal): Promise<void> {
    const { store, bus, clock, metrics, log } = this.#parts
    const { registry } = metrics
    const sources = this.#sources
    if (sources.length === 0) return
    const collector = new TickCollector({ store, sources, bus, clock, registry, log })
    await repeat(RETRY_MS, signal, () =>
      collector
        .run(signal)
        .catch((error: unknown) => log.warn({ err: error }, 'prices cannot be collected yet')),
    )
  }

  /** When each source was last heard, by any process; `undefined`: there is no source. */
  async status(): Promise<PriceStatus[] | undefined> {
    if (this.#sources.length === 0) return undefined
    for (const [stream, sec] of await this.#readLastSecs()) {
      const source = STREAMS.get(stream)?.source
      if (source === undefined || !this.#lastSecs.has(source)) continue
      this.#lastSecs.set(source, Math.max(sec, this.#lastSecs.get(source) ?? 0))
    }
    return this.known()
  }

  /** What the last reading has shown; before the first, that nobody was heard. */
  known(): PriceStatus[] | undefined {
    if (this.#sources.length === 0) return undefined
    return [...this.#lastSecs].map(([source, lastSec]) => ({ source, lastSec }))
  }

  /**
   * Sockets that tell the same source: while one is silent the other speaks for it, and only the
   * socket itself shows that it is lost.
   */
  sockets(): PriceStatus[] {
    const shared = this.#sources.filter(({ name }) =>
      this.#sources.some((other) => other.name !== name && sourceOf(other.name) === sourceOf(name)),
    )
    return shared.map((source) => {
      const { lastTickMs } = source.health()
      const lastSec = lastTickMs === undefined ? undefined : Math.floor(lastTickMs / 1000)
      return { source: source.name, lastSec }
    })
  }

  /** The first time of the whole archive; what comes later is seen before it moves into blocks. */
  async #readLastSecs(): Promise<[number, number][]> {
    const { store, clock } = this.#parts
    const nowSec = Math.floor(clock.now() / 1000)
    if (this.#hasLooked) {
      const live = await selectLastLive(store.sql, SPOT_STREAMS, nowSec)
      return live.map(({ stream, sec }) => [stream, sec])
    }
    const latest = await selectLatest(store.sql, SPOT_STREAMS, { fromSec: 0, toSec: nowSec })
    this.#hasLooked = true
    return [...latest].map(([stream, { sec }]) => [stream, sec])
  }
}

/** Drops months of ticks that are older than so many days; 0 keeps all. */
export async function dropOldTicks(pool: Pool, nowMs: number, days: number): Promise<void> {
  if (days > 0) await dropOldMonths(pool, nowMs - days * DAY_MS)
}
