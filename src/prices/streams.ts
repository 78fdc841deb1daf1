import assert from 'node:assert/strict'
import type { PriceKind, PriceSourceName } from '../upstreams/prices/source.js'

/** In the order of their numbers in the database: new ones go to the end. */
export const SYMBOLS = ['BTC', 'ETH', 'SOL', 'BNB', 'XRP', 'DOGE', 'HYPE'] as const
export type CoinSymbol = (typeof SYMBOLS)[number]

/**
 * The platform's sockets, which relay prices of Chainlink, and Chainlink Data Streams. The index here
 * is also the sequence in the id of a tick.
 */
export const TICK_SOURCES = ['platform_oracle', 'oracle_data_streams'] as const
export type TickSource = (typeof TICK_SOURCES)[number]

export const PRICE_KINDS = ['spot', 'twap30', 'twap60', 'binance'] as const satisfies PriceKind[]

/** One price a second: of a coin, of a kind, from a source. */
export type Stream = { symbol: CoinSymbol; kind: PriceKind; source: TickSource }

/** Over how many seconds it is the mean; `undefined`: it is the price of a second. */
export const MEAN_SECONDS: Readonly<Record<PriceKind, 30 | 60 | undefined>> = {
  spot: undefined,
  twap30: 30,
  twap60: 60,
  binance: undefined,
}

const KINDS_MAX = 8
const SOURCES_MAX = 4

/** The id of a stream in the database. */
export const streamId = ({ symbol, kind, source }: Stream): number =>
  (SYMBOLS.indexOf(symbol) * KINDS_MAX + PRICE_KINDS.indexOf(kind)) * SOURCES_MAX +
  TICK_SOURCES.indexOf(source)

/** Ids of the same coin and kind, in the order of the sources; of one source where `source` names it. */
export const streamIds = (symbol: CoinSymbol, kind: PriceKind, source?: TickSource): number[] =>
  (source === undefined ? TICK_SOURCES : [source]).map((each) => streamId({ symbol, kind, source: each }))

/** Every stream there can be, by its id. */
export const STREAMS: ReadonlyMap<number, Stream> = new Map(
  SYMBOLS.flatMap((symbol) =>
    PRICE_KINDS.flatMap((kind) => TICK_SOURCES.map((source) => ({ symbol, kind, source }))),
  ).map((stream) => [streamId(stream), stream]),
)

/** Under which source the ticks of an upstream are kept. */
export const sourceOf = (upstream: PriceSourceName): TickSource =>
  upstream === 'chainlink' ? 'oracle_data_streams' : 'platform_oracle'

/** `undefined`: not one of the seven. In capitals or in small letters, as upstreams write it. */
export const toSymbol = (text: string): CoinSymbol | undefined =>
  SYMBOLS.find((symbol) => text === symbol || text === symbol.toLowerCase())

export type Feed = `${CoinSymbol}/USD`

export const feedOf = (symbol: CoinSymbol): Feed => `${symbol}/USD`

/** The coin that a symbol or the name of a feed stands for. */
export function symbolOf(name: CoinSymbol | Feed): CoinSymbol {
  const symbol = SYMBOLS.find((each) => name === each || name === feedOf(each))
  assert(symbol !== undefined, 'every feed is of a coin')
  return symbol
}
