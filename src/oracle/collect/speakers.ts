import type { PriceSourceName } from '../../upstreams/prices/source.js'

/** So long after its last word a source has fallen silent. */
const SILENT_MS = 10_000

/**
 * Two sockets of the platform tell the same streams, partly from different oracles. Mixing them second
 * by second would make noise, so the second one is heard only while the first is silent.
 */
export class Speakers {
  readonly #lastMs = new Map<number, number>()
  readonly #startedMs: number
  readonly #hasFirst: boolean

  constructor(sources: readonly PriceSourceName[], nowMs: number) {
    this.#hasFirst = sources.includes('rtds')
    this.#startedMs = nowMs
  }

  /** Whether this source may speak for the stream now. */
  mayHear(stream: number, source: PriceSourceName, nowMs: number): boolean {
    if (source !== 'live_v2' || !this.#hasFirst) return true
    return nowMs - (this.#lastMs.get(stream) ?? this.#startedMs) > SILENT_MS
  }

  /** To be told of every tick that was taken. */
  note(stream: number, source: PriceSourceName, nowMs: number): void {
    if (source === 'rtds') this.#lastMs.set(stream, nowMs)
  }
}
