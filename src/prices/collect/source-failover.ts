import { isOnLiveV2 } from '../../upstreams/prices/live-v2.js'
import type { PriceSource, PriceTick } from '../../upstreams/prices/source.js'

/** A source without a tick for this long is silent. */
const SILENT_MS = 10_000
/** More ticks than a source sends of a stream in that time. */
const HELD_MAX = 30

/**
 * live_v2 and RTDS send the same streams, of which the platform retires the second. Mixing them second by
 * second would make noise where providers differ, so ticks of RTDS are taken only while live_v2 is
 * silent. Those that came before the silence was noticed are held, and taken then. Streams that live_v2
 * does not have are taken from RTDS at once.
 */
export class SourceFailover {
  readonly #lastMs = new Map<number, number>()
  readonly #held = new Map<number, PriceTick[]>()
  readonly #startedMs: number
  readonly #hasFirst: boolean

  constructor(sources: readonly Pick<PriceSource, 'name'>[], nowMs: number) {
    this.#hasFirst = sources.some(({ name }) => name === 'live_v2')
    this.#startedMs = nowMs
  }

  /** The ticks to take now that this one has come: it and those held before it, or none. */
  select(stream: number, tick: PriceTick, nowMs: number): PriceTick[] {
    const isSecond = tick.source === 'rtds' && isOnLiveV2(tick.coin, tick.kind)
    if (!isSecond || !this.#hasFirst) return [tick]
    const held = this.#held.get(stream) ?? []
    const sinceMs = Math.abs(nowMs - (this.#lastMs.get(stream) ?? this.#startedMs))
    if (sinceMs > SILENT_MS) {
      this.#held.delete(stream)
      return [...held, tick]
    }
    this.#held.set(stream, [...held.slice(1 - HELD_MAX), tick])
    return []
  }

  /** To be called with every tick that was accepted. One that lags counts as silence. */
  noteTaken(stream: number, { source, timestampMs }: PriceTick, nowMs: number): void {
    if (source !== 'live_v2' || nowMs - timestampMs > SILENT_MS) return
    this.#lastMs.set(stream, nowMs)
    // RTDS may be ahead: if this tick is the last one, the next second is among those held.
    const held = this.#held.get(stream) ?? []
    const later = held.filter((tick) => tick.timestampMs > timestampMs)
    this.#held.set(stream, later)
  }
}
