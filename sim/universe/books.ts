import type { Combo, Market, Token } from './market.js'
import { type BestPrices, type Quotes, WHOLE_E4 } from './quotes.js'
import { hash32, unit } from './random.js'

/** Ten-thousandths of a dollar, hundredths of a share. */
export type Level = { priceE4: number; sizeE2: number }

/** Best level first on both sides. The two tokens of a market mirror each other. */
export type Book = {
  token: Token
  bids: readonly Level[]
  asks: readonly Level[]
  tickE4: number
  lastPriceE4: number | undefined
  /** The whole second whose prices it shows. */
  timestampMs: number
}

const LEVELS = 12
const HOUR_MS = 3_600_000
/** Windows that lie far ahead take no orders yet. */
const WINDOW_OPENS_AHEAD_MS = 2 * HOUR_MS
const DAILY_WINDOW_OPENS_AHEAD_MS = 26 * HOUR_MS

type Present = { nowMs: () => number; lastPriceE4: (of: Market | Combo) => number | undefined }

/** The order books as the site shows them: around the best prices, deeper further out, a little different each second. */
export class Books {
  readonly #seed: number
  readonly #quotes: Quotes
  readonly #present: Present

  constructor(seed: number, quotes: Quotes, present: Present) {
    this.#seed = seed
    this.#quotes = quotes
    this.#present = present
  }

  /** `undefined` when the market takes no orders: not yet, or no more. */
  book(token: Token): Book | undefined {
    const nowMs = this.#present.nowMs()
    const { of, outcome } = token
    if (of.kind === 'combo' || !takesOrders(of, nowMs)) return undefined
    const sec = Math.floor(nowMs / 1000)
    const best = this.#quotes.at(of, 0, sec * 1000)
    const bids = this.#side(of, best, 'bid', sec)
    const asks = this.#side(of, best, 'ask', sec)
    const last = this.#present.lastPriceE4(of)
    return {
      token,
      bids: outcome === 0 ? bids : asks.map(mirror),
      asks: outcome === 0 ? asks : bids.map(mirror),
      tickE4: best.tickE4,
      lastPriceE4: last === undefined || outcome === 0 ? last : WHOLE_E4 - last,
      timestampMs: sec * 1000,
    }
  }

  #side(of: Market, best: BestPrices, side: 'bid' | 'ask', sec: number): Level[] {
    const levels: Level[] = []
    for (let depth = 0; depth < LEVELS; depth++) {
      const priceE4 = side === 'bid' ? best.bidE4 - depth * best.tickE4 : best.askE4 + depth * best.tickE4
      if (priceE4 < best.tickE4 || priceE4 > WHOLE_E4 - best.tickE4) break
      levels.push({ priceE4, sizeE2: this.#size(of, priceE4, depth, sec) })
    }
    return levels
  }

  /** The best levels change every few seconds, worse ones stay for minutes. */
  #size({ id, popularity }: Market, priceE4: number, depth: number, sec: number): number {
    const key = hash32(this.#seed, Number(id), priceE4, 161)
    const version = Math.floor((sec + (key % 64)) / (3 + depth * depth * 4))
    const scale = 30 + 40 * Math.sqrt(popularity)
    return 500 + Math.round(100 * scale * (1 + depth * 0.35) * (0.2 + unit(key, version, 162)))
  }
}

const mirror = ({ priceE4, sizeE2 }: Level): Level => ({ priceE4: WHOLE_E4 - priceE4, sizeE2 })

export function takesOrders({ createdMs, endMs, event }: Market, atMs: number): boolean {
  if (atMs < createdMs || atMs >= endMs) return false
  if (event.window === undefined) return true
  const aheadMs = event.window.interval === '1d' ? DAILY_WINDOW_OPENS_AHEAD_MS : WINDOW_OPENS_AHEAD_MS
  return event.window.startMs - atMs <= aheadMs
}
