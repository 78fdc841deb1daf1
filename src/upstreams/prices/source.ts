import type { SocketConnectorOptions, SocketFault, SocketState } from '../transport/socket-options.js'

/** One provider of prices. It opens its own connection again whenever that ends. */
export type PriceSource = {
  readonly name: PriceSourceName
  /**
   * Once. Ticks and gaps come until the signal aborts. What is missing in `stored` is reported as a
   * gap, or fetched by a source that serves its past; stored ticks may come again.
   */
  start(signal: AbortSignal, listener: PriceListener, stored?: StoredStreams): void
  health(): PriceSourceHealth
  /**
   * Whether prices of this kind, of `sinceMs` or later, are still to be fetched from the past. Absent:
   * the source does not serve its past.
   */
  isFetching?(kind: PriceKind, sinceMs: number): boolean
}

export type PriceSourceName = 'rtds' | 'live_v2' | 'chainlink'

/** The price of a second, its mean over the last 30 or 60 seconds, or the exchange's price. */
export type PriceKind = 'spot' | 'twap30' | 'twap60' | 'binance'

export type PriceTick = {
  /** Lower-case: `btc`. */
  coin: string
  kind: PriceKind
  source: PriceSourceName
  /** Who measured it: a source may relay the prices of several. */
  provider: string
  /** The time that the price is of. */
  timestampMs: number
  /** Plain decimal, and the same exactly as an integer with 18 decimals. */
  price: string
  priceE18: bigint
  bid?: string | undefined
  ask?: string | undefined
  receivedMs: number
}

/**
 * Ticks with timestamps from `fromMs` to `toMs` may be missing. Without a coin and a kind: those of all.
 * `missing`: the connection was fine, but the ticks did not come.
 */
export type PriceGap = {
  source: PriceSourceName
  coin?: string | undefined
  kind?: PriceKind | undefined
  fromMs: number
  toMs: number
  reason: SocketFault | 'missing'
}

export type PriceListener = {
  onTick: (tick: PriceTick) => void
  onGap: (gap: PriceGap) => void
}

/** Both ends included. */
export type Seconds = { fromSec: number; toSec: number }

/** What the reader has of a stream before it starts a source. */
export type StoredStream = {
  /** Ticks after this one are new. */
  untilMs: number
  /** Seconds up to `untilMs` that it does not have. Only a source that serves its past looks at them. */
  missing: readonly Seconds[]
}

/** `undefined`: the reader has nothing of the stream, which begins with its first tick. */
export type StoredStreams = (coin: string, kind: PriceKind) => StoredStream | undefined

export type PriceSourceHealth = {
  name: PriceSourceName
  state: SocketState
  /** When the socket that is open now was opened. */
  openedMs: number | undefined
  /** When the last tick came, and the newest timestamp of all ticks. */
  lastTickMs: number | undefined
  lastTimestampMs: number | undefined
}

/** What every source needs. */
export type PriceSourceOptions = SocketConnectorOptions & {
  /** Lower-case. Prices of other coins are left out. */
  coins: readonly string[]
}

/** A price that was missed does not come again: a socket is opened again after a few seconds at most. */
export const PRICE_TIMINGS = { backoff: { baseMs: 250, maxMs: 5_000 } }
