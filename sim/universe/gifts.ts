import type { Act, Era, Micros } from './acts.js'
import type { Floor } from './floor.js'
import type { Ledger } from './ledger.js'
import type { Token } from './market.js'
import type { Matching } from './matching.js'
import { MICROS_E2, SIZE_E2_MIN } from './orders.js'
import type { Population } from './population.js'
import type { Rng } from './random.js'
import { nth } from './takers.js'
import type { Wallet } from './wallet.js'

/** Wallets that are asked until one has something to give. */
const DRAWS_MAX = 4
const BATCH_CHANCE = 0.4
const BATCH_MAX = 5
/** How often a gift goes to a wallet that has some of the same already. */
const HOLDER_CHANCE = 0.5
const WHOLE_CHANCE = 0.5

type Parts = { ledger: Ledger; floor: Floor; matching: Matching }

/** Performs acts: each is done before the next is thought of. */
export type Perform = (acts: readonly Act[]) => void

/** Shares that change hands without a trade. */
export class Gifts {
  readonly #parts: Parts
  readonly #wallets: readonly Wallet[]

  constructor(population: Population, parts: Parts) {
    this.#parts = parts
    this.#wallets = population.wallets
  }

  /** One token or several at once, all of it or a part, also to a wallet that is not used yet. */
  give(rng: Rng, atMs: number): Act[] {
    for (let draws = 0; draws < DRAWS_MAX; draws++) {
      const from = rng.pick(this.#wallets)
      const { size } = this.#parts.ledger.holdings(from)
      if (size === 0 || from.createdMs > atMs) continue
      const tokens = this.#choose(rng, from, size)
      const [first] = tokens
      const to = first && this.#recipient(rng, first)
      if (to === undefined || to === from) continue
      const shares = tokens.map((token) => ({ token, amount: this.#amount(rng, from, token) }))
      return [{ kind: 'transfer', from, to, shares }]
    }
    return []
  }

  /** Who sells more than was bought: the wallet gets shares of an open market and sells all that it has. */
  giveAndSell(rng: Rng, era: Era, atMs: number, then: Perform): void {
    const { floor, ledger, matching } = this.#parts
    const market = era === 'v1' ? floor.drawTopic(rng, atMs) : floor.draw(rng, atMs)
    const token = market?.tokens[rng.below(2)]
    const holders = token === undefined ? [] : [...ledger.holders(token).keys()]
    if (token === undefined || holders.length < 2) return
    const from = rng.pick(holders)
    const to = rng.pick(holders)
    const amount = this.#amount(rng, from, token)
    if (from === to || from.createdMs > atMs || to.createdMs > atMs) return
    const sizeE2 = Math.floor((ledger.balance(to, token) + amount) / MICROS_E2)
    if (sizeE2 < SIZE_E2_MIN) return
    then([{ kind: 'transfer', from, to, shares: [{ token, amount }] }])
    const { of, outcome } = token
    then(matching.make(rng, { wallet: to, of, outcome, side: 'SELL', sizeE2 }, era, atMs))
  }

  /** Tokens of one contract: that of the first one drawn. */
  #choose(rng: Rng, from: Wallet, size: number): Token[] {
    const tokens = [...this.#parts.ledger.holdings(from).keys()]
    const start = rng.below(Math.min(40, size))
    const count = rng.chance(BATCH_CHANCE) ? 2 + rng.below(BATCH_MAX - 1) : 1
    const { kind } = tokens[start]?.of ?? {}
    return tokens.slice(start, start + count).filter(({ of }) => of.kind === kind)
  }

  #recipient(rng: Rng, token: Token): Wallet {
    const holders = this.#parts.ledger.holders(token)
    const holder = nth(holders.keys(), rng.below(holders.size))
    return holder !== undefined && rng.chance(HOLDER_CHANCE) ? holder : rng.pick(this.#wallets)
  }

  #amount(rng: Rng, from: Wallet, token: Token): Micros {
    const held = this.#parts.ledger.balance(from, token)
    return rng.chance(WHOLE_CHANCE) ? held : 1 + rng.below(held)
  }
}
