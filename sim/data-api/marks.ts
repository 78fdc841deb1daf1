import { midpoint } from '../markets/market-state.js'
import type { Token } from '../universe/market.js'
import { worthOf } from '../universe/outcomes.js'
import type { Universe } from '../universe/universe.js'

/** Prices of shares at one moment, from 0 to 1. Each token is looked up once. */
export class Marks {
  readonly #universe: Universe
  readonly #atMs: number
  readonly #known = new Map<Token, number>()

  constructor(universe: Universe, atMs: number) {
    this.#universe = universe
    this.#atMs = atMs
  }

  of(token: Token): number {
    const known = this.#known.get(token)
    if (known !== undefined) return known
    const mark = this.#payout(token) ?? this.#midpoint(token) ?? this.#fair(token)
    this.#known.set(token, mark)
    return mark
  }

  #payout({ of, outcome }: Token): number | undefined {
    const payouts = of.resolvesMs <= this.#atMs ? this.#universe.payouts(of) : undefined
    return payouts === undefined ? undefined : worthOf(payouts, outcome)
  }

  /** Only the books of the present are known. */
  #midpoint(token: Token): number | undefined {
    const book = this.#atMs === this.#universe.nowMs ? this.#universe.books.book(token) : undefined
    return book === undefined ? undefined : midpoint(book)
  }

  #fair({ of, outcome }: Token): number {
    const firstE4 = Math.round(this.#universe.fairAt(of, this.#atMs) * 10_000)
    return (outcome === 0 ? firstE4 : 10_000 - firstE4) / 10_000
  }
}
