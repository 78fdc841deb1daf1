import type { PriceSource, PriceTick } from '../../upstreams/prices/source.js'

/** A source without a tick for so long is silent. */
const SILENT_MS = 10_000
/** More ticks than a source sends of a stream in that time. */
const HELD_MAX = 30

/**
 * RTDS and live_v2 send the same streams, partly measured by different providers. Mixing them second by
 * second would make noise, so ticks of live_v2 are taken only while RTDS is silent. Those that came
 * before the silence was noticed are held, and taken then.
 */
export class SourceFailover {
  readonly #lastMs = new Map<number, number>()
  readonly #held = new Map<number, PriceTick[]>()
  readonly #startedMs: number
  readonly #hasFirst: boolean

  constructor(sources: readonly Pick<PriceSource, 'name'>[], nowMs: number) {
    this.#hasFirst = sources.some(({ name }) => name === 'rtds')
    this.#startedMs = nowMs
  }

  /** The ticks to take now that this one has come: it and those held before it, or none. */
  select(stream: number, tick: PriceTick, nowMs: number): PriceTick[] {
    if (tick.source !== 'live_v2' || !this.#hasFirst) return [tick]
    const held = this.#held.get(stream) ?? []
    const sinceMs = Math.abs(nowMs - (this.#lastMs.get(stream) ?? this.#startedMs))
    if (sinceMs > SILENT_MS) {
      this.#held.delete(stream)
      return [...held, tick]
    }
    this.#held.set(stream, [...held.slice(1 - HELD_MAX), tick])
    return []
  }

  /** To be called with every tick that was taken. One that lags behind counts as silence. */
  noteTaken(stream: number, { source, timestampMs }: PriceTick, nowMs: number): void {
    if (source !== 'rtds' || nowMs - timestampMs > SILENT_MS) return
    this.#lastMs.set(stream, nowMs)
    this.#held.delete(stream)
  }
}
