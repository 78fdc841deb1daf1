import { LRUCache } from 'lru-cache'
import { toUsd } from '../prices/amounts.js'
import { readInt } from '../server/query.js'
import type { Coin } from '../universe/market.js'
import type { Universe } from '../universe/universe.js'
import { BadQuery, INTERVAL_MS, readCoin } from './query.js'

type Candle = { time: number; open: number; high: number; low: number; close: number }

const LENGTHS_MS: ReadonlyMap<string, number> = new Map([['1m', 60_000], ...Object.entries(INTERVAL_MS)])
const LIMIT = 30
const LIMIT_MAX = 100
const FINISHED_KEPT = 5_000
/** Longer candles than this look at a few seconds alone: a hundred days of seconds would take too long. */
const WHOLE_MS_MAX = 900_000
const SAMPLES = 240

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
    const lengthMs = LENGTHS_MS.get(query.get('interval') ?? '5m')
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
    const { prices } = this.#universe
    const isWhole = lengthMs <= WHOLE_MS_MAX
    const priceAt = (sec: number) => (isWhole ? prices.spotE8(coin, sec) : prices.glimpseE8(coin, sec))
    const firstSec = startMs / 1000
    const lastSec = Math.floor(lastMs / 1000)
    const stepSec = isWhole ? 1 : lengthMs / 1000 / SAMPLES
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
