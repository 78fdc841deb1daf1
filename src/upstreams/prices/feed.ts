import type { Log } from '../../lib/log.js'
import type {
  PriceGap,
  PriceKind,
  PriceListener,
  PriceSource,
  PriceSourceHealth,
  PriceSourceName,
  PriceTick,
  StoredStream,
} from './source.js'

export type PriceFeedOptions = PriceListener & {
  sources: readonly PriceSource[]
  /** As for one source; the name says which. */
  stored?: StoredBySource | undefined
  log: Log
}

export type StoredBySource = (
  coin: string,
  kind: PriceKind,
  source: PriceSourceName,
) => StoredStream | undefined

export type PriceFeed = {
  /** Once. Ticks and gaps of all sources come until the signal aborts. */
  start(signal: AbortSignal): void
  /** In the order of the sources. */
  health(): PriceSourceHealth[]
}

/**
 * Several sources with one listener, which gets every tick under the name of its source and decides
 * which of them to believe. A source that is down delivers nothing, and does not disturb the others.
 */
export function createPriceFeed(options: PriceFeedOptions): PriceFeed {
  const { sources, onTick, onGap, stored, log } = options
  const startSource = (source: PriceSource, signal: AbortSignal) => {
    const onError = (error: unknown) =>
      log.error({ source: source.name, err: error }, 'reader of prices failed')
    const guard = <T>(callback: (value: T) => unknown) => {
      return (value: T) => {
        try {
          const done = callback(value)
          // The source does not wait for it, and its failure must not end the process.
          if (done instanceof Promise) done.catch(onError)
        } catch (error) {
          onError(error)
        }
      }
    }
    const listener = { onTick: guard<PriceTick>(onTick), onGap: guard<PriceGap>(onGap) }
    try {
      source.start(signal, listener, (coin, kind) => stored?.(coin, kind, source.name))
    } catch (error) {
      log.error({ source: source.name, err: error }, 'price source does not start')
    }
  }
  return {
    start: (signal) => {
      for (const source of sources) startSource(source, signal)
    },
    health: () => sources.map((source) => source.health()),
  }
}
