import { LRUCache } from 'lru-cache'
import { type CoinFacts, coinFacts } from './coins.js'
import type { Coin, Window } from './market.js'
import { bell, unit } from './random.js'
import { settlesOnExchange } from './windows.js'

/** Prices are whole 10^-8 dollars. */
type Quote = { priceE8: number; bidE8: number; askE8: number }

const HOUR_SEC = 3_600
/** Waves of 2, 4, 8 … seconds up to 48 days, each wandering by the square root of its length, make a random walk. */
const OCTAVES = 22
/** Share of a day's deviation that one wave carries; all of them together give the coin's volatility. */
const OCTAVE_SHARE = 0.55
/** Waves up to this many seconds calm down at night; longer ones span nights. */
const RESTLESS_SEC_MAX = 2_048
const JUMP_SHARE = 0.05
/** A jump fades: prices come half of the way back in this time. */
const JUMP_HALF_LIFE_SEC = 2_400
const JUMP_HOURS_FELT = 4
/** Computed and kept together: a caller that asks for one second asks for those beside it. */
const STRETCH_SEC = 300
/** A day of every coin: 5 MB. */
const STRETCHES_KEPT = (7 * 86_400) / STRETCH_SEC
/** The mean that decides is of this many seconds. */
export const SETTLEMENT_SEC = 60

/**
 * The price paths of the coins. The price of any second follows from the seed alone, so any stretch
 * of history can be asked for in any order; a few minutes at a time are computed and kept for a while.
 */
export class Prices {
  readonly #seed: number
  readonly #opens = new WeakMap<Window, number>()
  readonly #stretches = new LRUCache<number, Float64Array>({ max: STRETCHES_KEPT })

  constructor(seed: number) {
    this.#seed = seed
  }

  /** The oracle's price of a whole second. */
  spot(coin: Coin, sec: number): Quote {
    const facts = coinFacts(coin)
    const priceE8 = this.#priceE8(facts, sec)
    const calm = 0.6 + 0.8 * unit(this.#seed, sec, facts.index, 21)
    const halfE8 = Math.max(1, Math.round(priceE8 * facts.halfSpread * calm))
    return { priceE8, bidE8: priceE8 - halfE8, askE8: priceE8 + halfE8 }
  }

  spotE8(coin: Coin, sec: number): number {
    return this.#priceE8(coinFacts(coin), sec)
  }

  /** The same, for who looks at few seconds far apart: nothing around them is computed or kept. */
  glimpseE8(coin: Coin, sec: number): number {
    return this.#compute(coinFacts(coin), sec, 1)[0] ?? 0
  }

  /** Mean of the spot prices of the last `seconds` seconds, `sec` included. */
  twapE8(coin: Coin, sec: number, seconds: number): number {
    const facts = coinFacts(coin)
    let sum = 0
    for (let at = sec - seconds + 1; at <= sec; ) {
      const from = Math.floor(at / STRETCH_SEC) * STRETCH_SEC
      const path = this.#stretchAt(facts, from)
      const end = Math.min(sec + 1, from + STRETCH_SEC)
      for (; at < end; at++) sum += path[at - from] ?? 0
    }
    return Math.round(sum / seconds)
  }

  /** The exchange's price, a little off the oracle's. */
  binanceE8(coin: Coin, sec: number): number {
    const facts = coinFacts(coin)
    const basis = 0.00006 * bell(this.#seed, Math.floor(sec / 20), 900 + facts.index)
    return Math.round(this.#priceE8(facts, sec) * (1 + basis))
  }

  /** What the window must reach for Up. */
  openE8(window: Window): number {
    let openE8 = this.#opens.get(window)
    if (openE8 === undefined) {
      openE8 = this.#settlementE8(window, window.startMs)
      this.#opens.set(window, openE8)
    }
    return openE8
  }

  /** The last price of a window is the first of the next. */
  closeE8(window: Window): number {
    return this.#settlementE8(window, window.endMs)
  }

  /** Hourly and daily windows settle on the exchange's price, the others on the oracle's mean of a minute. */
  #settlementE8({ coin, interval }: Window, atMs: number): number {
    const sec = atMs / 1000
    return settlesOnExchange(interval) ? this.binanceE8(coin, sec) : this.twapE8(coin, sec, SETTLEMENT_SEC)
  }

  #priceE8(facts: CoinFacts, sec: number): number {
    const from = Math.floor(sec / STRETCH_SEC) * STRETCH_SEC
    return this.#stretchAt(facts, from)[sec - from] ?? 0
  }

  #stretchAt(facts: CoinFacts, from: number): Float64Array {
    const key = from * 8 + facts.index
    let path = this.#stretches.get(key)
    if (path === undefined) {
      path = this.#compute(facts, from, STRETCH_SEC)
      this.#stretches.set(key, path)
    }
    return path
  }

  /** All of it must lie in one hour. */
  #compute(facts: CoinFacts, fromSec: number, seconds: number): Float64Array {
    const logs = new Float64Array(seconds)
    for (let octave = 1; octave <= OCTAVES; octave++) this.#addWave(logs, fromSec, octave, facts)
    this.#addJumps(logs, fromSec, facts.index)
    return logs.map((log) => Math.round(facts.baseUsd * Math.exp(log) * 1e8))
  }

  /** Adds one wave: chance at every `length` seconds, straight lines between. */
  #addWave(logs: Float64Array, from: number, octave: number, facts: CoinFacts): void {
    const length = 2 ** octave
    const amplitude = facts.volatility * OCTAVE_SHARE * Math.sqrt(length / 86_400)
    const salt = facts.index * 64 + octave
    let cell = Math.floor(from / length)
    let next = this.#height(cell, length, salt)
    for (let i = 0; i < logs.length; cell++) {
      const start = cell * length
      const height = next
      next = this.#height(cell + 1, length, salt)
      const slope = (next - height) / length
      const end = Math.min(logs.length, start + length - from)
      for (; i < end; i++) {
        logs[i] = (logs[i] ?? 0) + amplitude * (height + slope * (from + i - start))
      }
    }
  }

  #height(cell: number, length: number, salt: number): number {
    const height = bell(this.#seed, cell, salt)
    return length <= RESTLESS_SEC_MAX ? height * restlessness(cell * length) : height
  }

  /** News: now and then the price jumps within a second, and partly comes back over the next hours. */
  #addJumps(logs: Float64Array, from: number, coin: number): void {
    const hour = Math.floor(from / HOUR_SEC)
    for (let past = hour - JUMP_HOURS_FELT; past <= hour; past++) {
      if (unit(this.#seed, past, coin, 31) >= JUMP_SHARE) continue
      const atSec = past * HOUR_SEC + Math.floor(unit(this.#seed, past, coin, 32) * HOUR_SEC)
      const size = 0.007 * bell(this.#seed, past, 700 + coin)
      for (let i = Math.max(0, atSec - from); i < logs.length; i++) {
        const ageSec = from + i - atSec
        logs[i] = (logs[i] ?? 0) + size * 2 ** (-ageSec / JUMP_HALF_LIFE_SEC)
      }
    }
  }
}

/** How lively trading is at that second of the day: quiet in the small hours of the Americas, busiest in their morning. */
export function restlessness(sec: number): number {
  const hour = (sec % 86_400) / HOUR_SEC
  return 1 + 0.45 * Math.sin(((hour - 9.5) / 24) * 2 * Math.PI)
}
