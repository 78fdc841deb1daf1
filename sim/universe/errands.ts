import type { Act, Era } from './acts.js'
import { Conversions } from './conversions.js'
import { type Floor, isOpen } from './floor.js'
import { Gifts, type Perform } from './gifts.js'
import type { Ledger } from './ledger.js'
import { depositFor, type Matching } from './matching.js'
import { CENT, drawSets } from './orders.js'
import type { Population } from './population.js'
import type { Rng } from './random.js'
import { nth } from './takers.js'
import type { Wallet } from './wallet.js'

/** What people do besides trading, in times per second at normal intensity. */
const RATES = {
  split: 0.005,
  merge: 0.006,
  convert: 0.002,
  basket: 0.0006,
  gift: 0.0008,
  soldGift: 0.0003,
  withdraw: 0.0012,
}
/** How often a set is made or merged with USDC.e, without a collateral adapter. */
const DIRECT_CHANCE = 0.1
const PART_CHANCE = 0.3

type Parts = { ledger: Ledger; floor: Floor; matching: Matching }

/** Splits, merges, conversions, gifts and withdrawals. */
export class Errands {
  readonly #parts: Parts
  readonly #conversions: Conversions
  readonly #gifts: Gifts
  readonly #arbitrageurs: readonly Wallet[]
  readonly #makers: readonly Wallet[]
  readonly #wallets: readonly Wallet[]

  constructor(population: Population, parts: Parts) {
    this.#parts = parts
    this.#conversions = new Conversions(population, parts)
    this.#gifts = new Gifts(population, parts)
    this.#arbitrageurs = population.ofCharacter('arbitrageur')
    this.#makers = population.ofCharacter('maker')
    this.#wallets = population.wallets
  }

  run(rng: Rng, era: Era, atMs: number, seconds: number, then: Perform): void {
    const times = (rate: number) => rng.poisson(rate * seconds)
    for (let n = times(RATES.split); n > 0; n--) then(this.#split(rng, era, atMs))
    for (let n = times(RATES.merge); n > 0; n--) then(this.#merge(rng, era, atMs))
    for (let n = times(RATES.convert); n > 0; n--) then(this.#conversions.some(rng, era, atMs))
    for (let n = times(RATES.basket); n > 0; n--) then(this.#conversions.all(rng, era, atMs))
    for (let n = times(RATES.gift); n > 0; n--) then(this.#gifts.give(rng, atMs))
    for (let n = times(RATES.soldGift); n > 0; n--) this.#gifts.giveAndSell(rng, era, atMs, then)
    if (era === 'v1') return
    for (let n = times(RATES.withdraw); n > 0; n--) then(this.#withdraw(rng))
  }

  #split(rng: Rng, now: Era, atMs: number): Act[] {
    const { floor, ledger } = this.#parts
    const wallet = rng.pick(rng.chance(0.6) ? this.#arbitrageurs : this.#makers)
    const topical = now === 'v1' || rng.chance(0.5)
    const market = topical ? floor.drawTopic(rng, atMs) : floor.drawWindow(rng, atMs)
    if (market === undefined || wallet.createdMs > atMs) return []
    const amount = drawSets(rng, 20, 900)
    const era = rng.chance(DIRECT_CHANCE) ? 'v1' : now
    const missing = era === 'v1' ? 0 : amount - ledger.cash(wallet)
    const split: Act = { kind: 'split', era, wallet, market, amount }
    if (missing <= 0) return [split]
    return [{ kind: 'deposit', wallet, amount: depositFor(rng, wallet, missing) }, split]
  }

  /** Who has both outcomes of a market turns the pairs, or some of them, back into money. */
  #merge(rng: Rng, now: Era, atMs: number): Act[] {
    const { ledger } = this.#parts
    const wallet = rng.pick(rng.chance(0.5) ? this.#arbitrageurs : this.#makers)
    const holdings = ledger.holdings(wallet)
    const market = nth(holdings.keys(), rng.below(Math.min(40, holdings.size)))?.of
    if (market?.kind !== 'market' || !isOpen(market, atMs) || wallet.createdMs > atMs) return []
    const [first, second] = market.tokens
    const pairs = Math.min(ledger.balance(wallet, first), ledger.balance(wallet, second))
    if (pairs === 0) return []
    const amount = rng.chance(PART_CHANCE) ? 1 + rng.below(pairs) : pairs
    const era = rng.chance(DIRECT_CHANCE) ? 'v1' : now
    return [{ kind: 'merge', era, wallet, market, amount }]
  }

  #withdraw(rng: Rng): Act[] {
    const wallet = rng.pick(this.#wallets)
    const amount = Math.floor((this.#parts.ledger.cash(wallet) * rng.between(0.3, 0.9)) / CENT) * CENT
    return amount < 100 * CENT ? [] : [{ kind: 'withdraw', wallet, amount }]
  }
}
