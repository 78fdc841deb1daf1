import type { PriceSourceName, PriceTick } from '../../upstreams/prices/source.js'
import type { CoinSymbol } from '../streams.js'

/**
 * Why a price is not believed: it is far from what the coin cost (`jump`), too old (`late`), or there
 * are too few prices yet to say what the coin costs (`unproven`).
 */
export type PriceRefusal = 'jump' | 'late' | 'unproven'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** How old ticks may be: sockets send snapshots of two minutes, and Chainlink's past is fetched a day back. */
const LATE_MS_MAX: Readonly<Record<PriceSourceName, number>> = {
  rtds: 5 * MINUTE_MS,
  live_v2: 5 * MINUTE_MS,
  chainlink: 25 * HOUR_MS,
}

/** By which factor a price may have moved within a time. After the last of them any price is possible. */
const MOVES = [
  { withinMs: MINUTE_MS, factorMax: 2 },
  { withinMs: 7 * 24 * HOUR_MS, factorMax: 10 },
]
/** Until this many prices came, all are refused; their median is then what the next one is compared with. */
const VOTES = 3

/** What a coin cost, and when. */
export type Anchor = { price: number; timestampMs: number }

/** Refuses prices that cannot be true, judged by what each coin cost before. */
export class PriceGuard {
  readonly #anchors: Map<CoinSymbol, Anchor>
  readonly #votes = new Map<CoinSymbol, number[]>()

  /** `anchors`: the last prices of the archive. */
  constructor(anchors: Iterable<[CoinSymbol, Anchor]> = []) {
    this.#anchors = new Map(anchors)
  }

  /** `undefined`: the price is accepted. */
  check(symbol: CoinSymbol, tick: PriceTick): PriceRefusal | undefined {
    const { timestampMs, receivedMs, source, bid = tick.price, ask = tick.price } = tick
    const price = Number(tick.price)
    if (receivedMs - timestampMs > LATE_MS_MAX[source]) return 'late'
    const anchor = this.#anchors.get(symbol)
    const apartMs = Math.abs(timestampMs - (anchor?.timestampMs ?? 0))
    const move = MOVES.find(({ withinMs }) => apartMs <= withinMs)
    if (anchor === undefined || move === undefined) return this.#vote(symbol, price, timestampMs)
    const isNear = (each: number) => factorOf(each, anchor.price) <= move.factorMax
    if (![price, Number(bid), Number(ask)].every(isNear)) return 'jump'
    if (timestampMs > anchor.timestampMs) this.#anchors.set(symbol, { price, timestampMs })
    return undefined
  }

  #vote(symbol: CoinSymbol, price: number, timestampMs: number): PriceRefusal | undefined {
    const votes = [...(this.#votes.get(symbol) ?? []), price].sort((a, b) => a - b)
    this.#votes.set(symbol, votes)
    const middle = votes[(VOTES - 1) / 2]
    if (votes.length < VOTES || middle === undefined) return 'unproven'
    this.#votes.delete(symbol)
    this.#anchors.set(symbol, { price: middle, timestampMs })
    return 'unproven'
  }
}

/** By which one is larger than the other; of NaN it is NaN, and not within any bound. */
const factorOf = (a: number, b: number): number => (a > b ? a / b : b / a)
