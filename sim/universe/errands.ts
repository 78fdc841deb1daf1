import type { Act, Era } from './acts.js'
import { type Floor, isOpen } from './floor.js'
import type { Ledger } from './ledger.js'
import type { MarketEvent, Token } from './market.js'
import { depositFor } from './matching.js'
import type { Population } from './population.js'
import type { Rng } from './random.js'
import { nth } from './takers.js'
import type { Wallet } from './wallet.js'

/** What people do besides trading, in times per second at normal intensity. */
const RATES = { split: 0.005, merge: 0.006, convert: 0.0012, transfer: 0.0006, withdraw: 0.0012 }
const CENT = 10_000

type Parts = { ledger: Ledger; floor: Floor }

/** Splits, merges, conversions, gifts and withdrawals. */
export class Errands {
  readonly #parts: Parts
  readonly #arbitrageurs: readonly Wallet[]
  readonly #makers: readonly Wallet[]
  readonly #wallets: readonly Wallet[]

  constructor(population: Population, parts: Parts) {
    this.#parts = parts
    this.#arbitrageurs = population.ofCharacter('arbitrageur')
    this.#makers = population.ofCharacter('maker')
    this.#wallets = population.wallets
  }

  /** Each act is done before the next is thought of, so `then` must apply it. */
  run(rng: Rng, era: Era, atMs: number, seconds: number, then: (acts: Act[]) => void): void {
    const times = (rate: number) => rng.poisson(rate * seconds)
    for (let n = times(RATES.split); n > 0; n--) then(this.#split(rng, era, atMs))
    if (era === 'v1') return
    for (let n = times(RATES.merge); n > 0; n--) then(this.#merge(rng, atMs))
    for (let n = times(RATES.convert); n > 0; n--) then(this.#convert(rng, atMs))
    for (let n = times(RATES.transfer); n > 0; n--) then(this.#transfer(rng, atMs))
    for (let n = times(RATES.withdraw); n > 0; n--) then(this.#withdraw(rng))
  }

  #split(rng: Rng, era: Era, atMs: number): Act[] {
    const { floor, ledger } = this.#parts
    const wallet = rng.pick(rng.chance(0.6) ? this.#arbitrageurs : this.#makers)
    const topical = era === 'v1' || rng.chance(0.5)
    const market = topical ? floor.drawTopic(rng, atMs) : floor.drawWindow(rng, atMs)
    if (market === undefined || wallet.createdMs > atMs) return []
    const amount = Math.ceil(rng.between(20, 900)) * 100 * CENT
    const missing = amount - ledger.cash(wallet)
    const split: Act = { kind: 'split', era, wallet, market, amount }
    if (era === 'v1' || missing <= 0) return [split]
    return [{ kind: 'deposit', wallet, amount: depositFor(rng, wallet, missing) }, split]
  }

  /** Who has both outcomes of a market turns the pairs back into money. */
  #merge(rng: Rng, atMs: number): Act[] {
    const { ledger } = this.#parts
    const wallet = rng.pick(rng.chance(0.5) ? this.#arbitrageurs : this.#makers)
    const token = this.#randomHolding(rng, wallet)
    if (token === undefined || token.of.kind === 'combo' || !isOpen(token.of, atMs)) return []
    const [first, second] = token.of.tokens
    const amount = Math.min(ledger.balance(wallet, first), ledger.balance(wallet, second))
    return amount === 0 ? [] : [{ kind: 'merge', era: 'v2', wallet, market: token.of, amount }]
  }

  /** NO shares of one question, or of several, of an exclusive event. */
  #convert(rng: Rng, atMs: number): Act[] {
    const { floor, ledger } = this.#parts
    const event = floor.drawTopic(rng, atMs)?.event
    if (event?.negRisk === undefined) return []
    const holders = [...ledger.holders(rng.pick(event.markets).tokens[1]).keys()]
    if (holders.length === 0) return []
    const wallet = rng.pick(holders)
    const { indexSet, amount } = this.#convertible(rng, wallet, event)
    return amount < CENT ? [] : [{ kind: 'convert', wallet, event, indexSet, amount }]
  }

  #convertible(rng: Rng, wallet: Wallet, { markets }: MarketEvent) {
    let indexSet = 0
    let amount = Number.POSITIVE_INFINITY
    for (const { tokens, index } of markets) {
      const held = this.#parts.ledger.balance(wallet, tokens[1])
      if (held < CENT || (indexSet !== 0 && rng.chance(0.4))) continue
      indexSet |= 1 << index
      amount = Math.min(amount, held)
    }
    return indexSet === 0 ? { indexSet, amount: 0 } : { indexSet, amount }
  }

  #transfer(rng: Rng, atMs: number): Act[] {
    const from = rng.pick(this.#wallets)
    const to = rng.pick(this.#wallets)
    const token = this.#randomHolding(rng, from)
    if (token === undefined || from === to || to.createdMs > atMs) return []
    return [{ kind: 'transfer', from, to, token, amount: this.#parts.ledger.balance(from, token) }]
  }

  #withdraw(rng: Rng): Act[] {
    const wallet = rng.pick(this.#wallets)
    const amount =
      Math.floor((this.#parts.ledger.cash(wallet) * rng.between(0.3, 0.9)) / CENT) * CENT
    return amount < 100 * CENT ? [] : [{ kind: 'withdraw', wallet, amount }]
  }

  #randomHolding(rng: Rng, wallet: Wallet): Token | undefined {
    const holdings = this.#parts.ledger.holdings(wallet)
    return nth(holdings.keys(), rng.below(Math.min(40, holdings.size)))
  }
}
