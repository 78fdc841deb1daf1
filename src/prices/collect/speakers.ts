import type { PriceSourceName, PriceTick } from '../../upstreams/prices/source.js'

/** So long after its last word a source has fallen silent. */
const SILENT_MS = 10_000
/** More than a source tells in that time. */
const HELD_MAX = 30

/**
 * Two sockets of the platform tell the same streams, partly from different oracles. Mixing them second
 * by second would make noise, so the second one is heard only while the first is silent; what it told
 * until that was noticed is held for that case.
 */
export class Speakers {
  readonly #lastMs = new Map<number, number>()
  readonly #held = new Map<number, PriceTick[]>()
  readonly #startedMs: number
  readonly #hasFirst: boolean

  constructor(sources: readonly PriceSourceName[], nowMs: number) {
    this.#hasFirst = sources.includes('rtds')
    this.#startedMs = nowMs
  }

  /** What is to be taken now that this tick has come. */
  hear(stream: number, tick: PriceTick, nowMs: number): PriceTick[] {
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

  /** To be told of every tick that was taken. One that lags behind is as good as silence. */
  note(stream: number, { source, timestampMs }: PriceTick, nowMs: number): void {
    if (source !== 'rtds' || nowMs - timestampMs > SILENT_MS) return
    this.#lastMs.set(stream, nowMs)
    this.#held.delete(stream)
  }
}
