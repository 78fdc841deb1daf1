import type { Match } from './acts.js'
import type { Fair } from './fair.js'
import type { Combo, Market, Outcome } from './market.js'

/** Best prices of one outcome, in ten-thousandths of a dollar, and the step between prices. */
export type BestPrices = { bidE4: number; askE4: number; tickE4: number }

export const WHOLE_E4 = 10_000
/** Outside of these the steps are ten times finer. */
const FINE_BELOW_E4 = 400
const FINE_ABOVE_E4 = 9_600
const PRESSURE_HALF_LIFE_MS = 45_000
const PRESSURE_E4_MAX = 180
/** Takers of this many micro-shares move the price by one ten-thousandth. */
const DEPTH = 15_000_000

type Pressure = { valueE4: number; atMs: number }

/**
 * Where the best bid and ask of a market stand: around what it is worth, pushed by those who traded
 * last. Both the traders and the visible order books look here.
 */
export class Quotes {
  readonly #fair: Fair
  readonly #pressure = new Map<Market | Combo, Pressure>()

  constructor(fair: Fair) {
    this.#fair = fair
  }

  at(of: Market | Combo, outcome: Outcome, atMs: number): BestPrices {
    const midE4 = this.#fair.at(of, atMs) * WHOLE_E4 + this.#pressureE4(of, atMs)
    const tickE4 = midE4 < FINE_BELOW_E4 || midE4 > FINE_ABOVE_E4 ? 10 : 100
    const halfE4 = halfSpreadE4(of, tickE4)
    const highestE4 = WHOLE_E4 - tickE4
    // Takers may push the price beyond the highest one: a bid leaves room for an ask above it.
    const bidE4 = clamp(Math.floor((midE4 - halfE4) / tickE4) * tickE4, tickE4, highestE4 - tickE4)
    const askE4 = clamp(Math.ceil((midE4 + halfE4) / tickE4) * tickE4, bidE4 + tickE4, highestE4)
    // The other outcome is the mirror image.
    return outcome === 0
      ? { bidE4, askE4, tickE4 }
      : { bidE4: WHOLE_E4 - askE4, askE4: WHOLE_E4 - bidE4, tickE4 }
  }

  /** Who takes pushes the price: buyers of outcome 0 and sellers of outcome 1 upwards, the others down. */
  push({ of, taker, matchedMs }: Match): void {
    const { side, token } = taker.order
    const isUpwards = (token.outcome === 0) === (side === 'BUY')
    const changeE4 = taker.shares / DEPTH
    const valueE4 = this.#pressureE4(of, matchedMs) + (isUpwards ? changeE4 : -changeE4)
    const limited = Math.max(-PRESSURE_E4_MAX, Math.min(PRESSURE_E4_MAX, valueE4))
    this.#pressure.set(of, { valueE4: limited, atMs: matchedMs })
  }

  forget(of: Market | Combo): void {
    this.#pressure.delete(of)
  }

  #pressureE4(of: Market | Combo, atMs: number): number {
    const pressure = this.#pressure.get(of)
    if (pressure === undefined) return 0
    return pressure.valueE4 * 2 ** (-Math.max(0, atMs - pressure.atMs) / PRESSURE_HALF_LIFE_MS)
  }
}

/** Popular markets are quoted a cent wide, quiet ones and combos wider. */
function halfSpreadE4(of: Market | Combo, tickE4: number): number {
  if (of.kind === 'combo') return 150
  if (tickE4 === 10) return 8
  return of.popularity > 12 ? 45 : 90
}

const clamp = (priceE4: number, minE4: number, maxE4: number): number =>
  Math.min(maxE4, Math.max(minE4, priceE4))
