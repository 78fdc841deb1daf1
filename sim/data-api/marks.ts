import { midpoint } from '../markets/market-state.js'
import type { Combo, Market, Token } from '../universe/market.js'
import { worthOf } from '../universe/outcomes.js'
import type { Universe } from '../universe/universe.js'
import type { Portfolio } from './portfolio.js'
import type { Position } from './positions.js'

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

/** Micro-dollars and micro-shares. */
type Performance = { pnl: number; tradedUsd: number; tradedShares: number }

/** What a wallet has traded and made in some markets, and would make at these prices. */
export function measurePerformance(
  portfolio: Portfolio,
  marks: Marks,
  counts: (of: Market | Combo) => boolean,
): Performance {
  const sum = { pnl: measureUnrealized(portfolio, marks, counts), tradedUsd: 0, tradedShares: 0 }
  for (const [token, { position, tradedUsd, tradedShares }] of portfolio.holdings) {
    if (!counts(token.of)) continue
    sum.pnl += Number(position.realized)
    sum.tradedUsd += tradedUsd
    sum.tradedShares += tradedShares
  }
  return sum
}

/** What the shares that are left would bring beyond their cost, in micro-dollars. */
export function measureUnrealized(
  { open }: Portfolio,
  marks: Marks,
  counts: (of: Market | Combo) => boolean = () => true,
): number {
  let sum = 0
  for (const [token, { position }] of open) {
    if (!counts(token.of)) continue
    sum += gainOf(position, marks.of(token))
  }
  return sum
}

/** What the shares that were bought and are left would bring beyond their cost at this price. */
export const gainOf = ({ held, cost }: Position, price: number): number =>
  Math.round(Number(held) * price) - Number(cost)
