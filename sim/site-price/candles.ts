import { LRUCache } from 'lru-cache'
import { toUsd } from '../prices/amounts.js'
import { readInt } from '../server/query.js'
import type { Coin } from '../universe/market.js'
import type { Universe } from '../universe/universe.js'
import { BadQuery, INTERVAL_MS, readCoin } from './query.js'

export type Candle = { time: number; open: number; high: number; low: number; close: number }

const LENGTHS_MS: { readonly [interval: string]: number } = { '1m': 60_000, ...INTERVAL_MS }
const LIMIT = 30
const LIMIT_MAX = 100
const FINISHED_KEPT = 5_000
/** A long candle looks at every so manieth second: a whole day of seconds would take too long to read. */
const SAMPLES_MAX = 900

/** Candles of the oracle's prices. Those that are over are computed once. */
export class Candles {
  readonly #universe: Universe
  readonly #finished = new LRUCache<string, Candle>({ max: FINISHED_KEPT })

  constructor(universe: Universe) {
    this.#universe = universe
  }

  /** Ends with the running candle, which comes first: the order is not promised. */
  list(query: URLSearchParams): { candles: Candle[] } {
    const coin = readCoin(query)
    const lengthMs = LENGTHS_MS[query.get('interval') ?? '5m']
    if (lengthMs === undefined) throw new BadQuery('Invalid interval')
    const limit = readInt(query, 'limit') ?? LIMIT
    if (!(limit > 0)) throw new BadQuery('Invalid limit')
    const endMs = readInt(query, 'endTime') ?? this.#universe.nowMs
    if (!(endMs > 0)) throw new BadQuery('Invalid endTime')

    const lastMs = Math.floor(Math.min(endMs, this.#universe.nowMs) / lengthMs) * lengthMs
    const candles = Array.from({ length: Math.min(limit, LIMIT_MAX) }, (_, index) =>
      this.#candle(coin, lastMs - index * lengthMs, lengthMs),
    )
    return { candles }
  }

  #candle(coin: Coin, startMs: number, lengthMs: number): Candle {
    const { nowMs } = this.#universe
    const endMs = startMs + lengthMs
    if (endMs > nowMs) return this.#compute(coin, startMs, nowMs, lengthMs)
    const key = `${coin} ${startMs} ${lengthMs}`
    const known = this.#finished.get(key)
    if (known !== undefined) return known
    const candle = this.#compute(coin, startMs, endMs - 1, lengthMs)
    this.#finished.set(key, candle)
    return candle
  }

  #compute(coin: Coin, startMs: number, lastMs: number, lengthMs: number): Candle {
    const priceAt = (sec: number) => this.#universe.prices.spot(coin, sec).priceE8
    const firstSec = startMs / 1000
    const lastSec = Math.floor(lastMs / 1000)
    const stepSec = Math.ceil(lengthMs / 1000 / SAMPLES_MAX)
    const open = priceAt(firstSec)
    const close = priceAt(lastSec)
    let high = Math.max(open, close)
    let low = Math.min(open, close)
    for (let sec = firstSec + stepSec; sec < lastSec; sec += stepSec) {
      const price = priceAt(sec)
      if (price > high) high = price
      if (price < low) low = price
    }
    return {
      time: firstSec,
      open: toUsd(open),
      high: toUsd(high),
      low: toUsd(low),
      close: toUsd(close),
    }
  }
}
