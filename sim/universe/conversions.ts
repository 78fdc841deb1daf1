import type { Act, Convert, Era } from './acts.js'
import type { Floor } from './floor.js'
import type { Ledger } from './ledger.js'
import type { MarketEvent } from './market.js'
import { depositFor } from './matching.js'
import { CENT, drawSets } from './orders.js'
import type { Population } from './population.js'
import type { Rng } from './random.js'
import type { Wallet } from './wallet.js'

/** How often the neg-risk adapter is called without the collateral adapter. */
const DIRECT_CHANCE = 0.4
const PART_CHANCE = 0.3

type Parts = { ledger: Ledger; floor: Floor }

/** NO shares of exclusive questions that become YES of the others, and money. */
export class Conversions {
  readonly #parts: Parts
  readonly #arbitrageurs: readonly Wallet[]

  constructor(population: Population, parts: Parts) {
    this.#parts = parts
    this.#arbitrageurs = population.ofCharacter('arbitrageur')
  }

  /** A holder of NO shares gives those of one question, or of several. */
  some(rng: Rng, era: Era, atMs: number): Act[] {
    const { floor, ledger } = this.#parts
    const event = floor.drawTopic(rng, atMs)?.event
    if (event?.negRisk === undefined) return []
    const holders = [...ledger.holders(rng.pick(event.markets).tokens[1]).keys()]
    if (holders.length === 0) return []
    const wallet = rng.pick(holders)
    const { indexSet, amount } = this.#convertible(rng, wallet, event)
    if (amount < CENT || wallet.createdMs > atMs) return []
    const route = routeIn(rng, era)
    const part = rng.chance(PART_CHANCE) ? 1 + rng.below(amount) : amount
    return [{ kind: 'convert', route, wallet, event, indexSet, amount: part }]
  }

  /**
   * The cheap way to YES of every question: make a set of each, and convert all NO into money. Nothing
   * comes but money, so no YES shares show the fee.
   */
  all(rng: Rng, era: Era, atMs: number): Act[] {
    const { floor, ledger } = this.#parts
    const event = floor.drawTopic(rng, atMs)?.event
    const wallet = rng.pick(this.#arbitrageurs)
    if (event?.negRisk === undefined || wallet.createdMs > atMs) return []
    const amount = drawSets(rng, 2, 60)
    const missing = era === 'v1' ? 0 : amount * event.markets.length - ledger.cash(wallet)
    const deposit = depositFor(rng, wallet, missing)
    const indexSet = 2 ** event.markets.length - 1
    return [
      ...(missing > 0 ? [{ kind: 'deposit' as const, wallet, amount: deposit }] : []),
      ...event.markets.map((market) => ({ kind: 'split' as const, era, wallet, market, amount })),
      { kind: 'convert', route: routeIn(rng, era), wallet, event, indexSet, amount },
    ]
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
}

const routeIn = (rng: Rng, era: Era): Convert['route'] =>
  rng.chance(DIRECT_CHANCE) || era === 'v1' ? 'direct' : 'adapter'
