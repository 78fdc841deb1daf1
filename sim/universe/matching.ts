import {
  type Act,
  type Era,
  type ExchangeName,
  type Fill,
  isV1,
  type Match,
  type Micros,
  type Order,
  type Side,
} from './acts.js'
import type { Ledger } from './ledger.js'
import type { Token } from './market.js'
import { MICROS_E2, newOrder, platformFee, SIZE_E2_MIN, type Slice, v1Fee, v1Refund } from './orders.js'
import { otherOutcome } from './outcomes.js'
import type { Population } from './population.js'
import { type Quotes, WHOLE_E4 } from './quotes.js'
import { Lottery, type Rng } from './random.js'
import type { Intent } from './takers.js'
import type { Wallet } from './wallet.js'

/** How often two, three or four resting orders fill one taker. */
const EXTRA_MAKER_CHANCE = 0.38
const MAKERS_MAX = 4
const WORSE_PRICE_CHANCE = 0.35
/** How often the resting side is a person with a limit order instead of a professional. */
const PERSON_CHANCE = 0.12
/** How often, in lively times, the resting orders of one taker are settled in two transactions. */
const TWO_MATCHES_CHANCE = 0.4

type Resting = { order: Order; priceE4: number; leftE2: number }

/** Finds the other side for what a taker wants, and makes the match. */
export class Matching {
  readonly #quotes: Quotes
  readonly #ledger: Ledger
  readonly #makers: Lottery<Wallet>
  readonly #people: readonly Wallet[]
  readonly #resting = new Map<Wallet, Map<Token, Resting>>()
  isLively = false

  constructor(population: Population, { quotes, ledger }: { quotes: Quotes; ledger: Ledger }) {
    this.#quotes = quotes
    this.#ledger = ledger
    this.#makers = new Lottery(population.ofCharacter('maker'), (_, rank) => 1 / (rank + 2))
    this.#people = [...population.ofCharacter('holder'), ...population.ofCharacter('momentum')]
  }

  /** The match, or the two of them, after the deposits that those in it need first. */
  make(rng: Rng, intent: Intent, era: Era, atMs: number): Act[] {
    const exchange = exchangeFor(intent, era)
    const slices = this.#slice(rng, intent, atMs)
    const makers: Fill[] = []
    const taken = new Set([intent.wallet])
    for (const slice of slices) {
      // One order of a maker at most: who rests more there is filled from one.
      const wallet = this.#otherThan(rng, taken, atMs)
      taken.add(wallet)
      makers.push(this.#rest(rng, intent, wallet, slice, exchange, atMs))
    }
    const order = takerOrder(rng, intent, slices, exchange, atMs)
    const isOne = slices.length === 1 || !this.isLively || !rng.chance(TWO_MATCHES_CHANCE)
    const matches = (
      isOne
        ? [[0, slices.length]]
        : [
            [0, 1],
            [1, slices.length],
          ]
    ).map(([from, to]): Match => {
      const taker = takerFill(rng, order, slices.slice(from, to))
      const resting = makers.slice(from, to)
      const { of } = intent
      return { kind: 'match', exchange, of, taker, makers: resting, matchedMs: atMs }
    })
    for (const match of matches) this.#quotes.push(match)
    const takers = matches.map(({ taker }) => taker)
    return era === 'v1' ? matches : [...this.#deposits(rng, [...makers, ...takers]), ...matches]
  }

  /** Cuts the order into what each resting order gives, at the best price or one tick worse. */
  #slice(rng: Rng, { of, outcome, side, sizeE2 }: Intent, atMs: number): Slice[] {
    const { bidE4, askE4, tickE4 } = this.#quotes.at(of, outcome, atMs)
    const stepE4 = side === 'BUY' ? tickE4 : -tickE4
    let priceE4 = side === 'BUY' ? askE4 : bidE4
    let leftE2 = sizeE2
    const slices: Slice[] = []
    while (slices.length < MAKERS_MAX - 1 && leftE2 > 4 * SIZE_E2_MIN && rng.chance(EXTRA_MAKER_CHANCE)) {
      const part = Math.max(SIZE_E2_MIN, Math.floor(leftE2 * rng.between(0.2, 0.7)))
      slices.push({ sizeE2: part, priceE4 })
      leftE2 -= part
      const nextE4 = priceE4 + stepE4
      if (nextE4 >= tickE4 && nextE4 <= WHOLE_E4 - tickE4 && rng.chance(WORSE_PRICE_CHANCE)) {
        priceE4 = nextE4
      }
    }
    slices.push({ sizeE2: leftE2, priceE4 })
    return slices
  }

  /** The resting order that fills a slice: the same token the other way, or the other token the same way. */
  #rest(rng: Rng, intent: Intent, wallet: Wallet, slice: Slice, exchange: ExchangeName, atMs: number): Fill {
    const own = intent.of.tokens[intent.outcome]
    const other = intent.of.tokens[otherOutcome(intent.outcome)]
    const given = intent.side === 'BUY' ? own : other
    const canGive = this.#ledger.balance(wallet, given) >= slice.sizeE2 * MICROS_E2
    if (intent.side === 'BUY') {
      return canGive && rng.chance(0.5)
        ? this.#fill(rng, wallet, own, 'SELL', slice, exchange, atMs)
        : this.#fill(rng, wallet, other, 'BUY', mirrored(slice), exchange, atMs)
    }
    return canGive && rng.chance(0.5)
      ? this.#fill(rng, wallet, other, 'SELL', mirrored(slice), exchange, atMs)
      : this.#fill(rng, wallet, own, 'BUY', slice, exchange, atMs)
  }

  #otherThan(rng: Rng, taken: ReadonlySet<Wallet>, atMs: number): Wallet {
    for (;;) {
      const wallet = rng.chance(PERSON_CHANCE) ? rng.pick(this.#people) : this.#makers.draw(rng)
      if (!taken.has(wallet) && wallet.createdMs <= atMs) return wallet
    }
  }

  #fill(
    rng: Rng,
    wallet: Wallet,
    token: Token,
    side: Side,
    { sizeE2, priceE4 }: Slice,
    exchange: ExchangeName,
    atMs: number,
  ): Fill {
    const orders = this.#ordersOf(wallet)
    let resting = orders.get(token)
    const fits =
      resting?.order.exchange === exchange &&
      resting.order.side === side &&
      resting.priceE4 === priceE4 &&
      resting.leftE2 >= sizeE2
    if (resting === undefined || !fits) {
      const wholeE2 = Math.round(sizeE2 * rng.between(1, 9))
      const createdMs = atMs - Math.floor(rng.between(300, 90_000))
      const draft = { exchange, wallet, token, side, sizeE2: wholeE2, priceE4, createdMs }
      const order = newOrder(rng, draft)
      resting = { order, priceE4, leftE2: wholeE2 }
      orders.set(token, resting)
    }
    resting.leftE2 -= sizeE2
    const shares = sizeE2 * MICROS_E2
    const usd = sizeE2 * priceE4
    const fee = v1Fee(resting.order, shares, usd)
    return { order: resting.order, shares, usd, fee, refund: v1Refund(rng, fee, fee) }
  }

  #ordersOf(wallet: Wallet): Map<Token, Resting> {
    let orders = this.#resting.get(wallet)
    // Orders in markets that are over would pile up; forgetting a live one only ends it early.
    if (orders === undefined || orders.size > 200) {
      orders = new Map()
      this.#resting.set(wallet, orders)
    }
    return orders
  }

  #deposits(rng: Rng, fills: readonly Fill[]): Act[] {
    const needs = new Map<Wallet, Micros>()
    for (const { order, usd, fee } of fills) {
      if (order.side === 'SELL') continue
      needs.set(order.wallet, (needs.get(order.wallet) ?? 0) + usd + fee)
    }
    const deposits: Act[] = []
    for (const [wallet, need] of needs) {
      const missing = need - this.#ledger.cash(wallet)
      if (missing > 0) deposits.push({ kind: 'deposit', wallet, amount: depositFor(rng, wallet, missing) })
    }
    return deposits
  }
}

const mirrored = ({ sizeE2, priceE4 }: Slice): Slice => ({ sizeE2, priceE4: WHOLE_E4 - priceE4 })

/** People bring round sums, and makers large ones. */
export function depositFor(rng: Rng, { character }: Wallet, missing: Micros): Micros {
  const usualUsd = character === 'maker' ? 50_000 : character === 'whale' ? 20_000 : 100
  const usd = Math.max((missing / 1e6) * rng.between(1.2, 4), usualUsd * rng.between(0.5, 2))
  return Math.ceil(usd / 10) * 10_000_000
}

function exchangeFor({ of }: Intent, era: Era): ExchangeName {
  if (of.kind === 'combo') return 'v3'
  if (of.event.negRisk !== undefined) return era === 'v1' ? 'v1NegRisk' : 'v2NegRisk'
  return era
}

/** The order of the taker: all slices, at the price that it allows. */
function takerOrder(
  rng: Rng,
  { wallet, of, outcome, side }: Intent,
  slices: readonly Slice[],
  exchange: ExchangeName,
  atMs: number,
): Order {
  const sizeE2 = slices.reduce((sum, slice) => sum + slice.sizeE2, 0)
  // The last slice has the worst price.
  const priceE4 = slices.at(-1)?.priceE4 ?? 0
  const createdMs = atMs - 150 - rng.below(400)
  const token = of.tokens[outcome]
  return newOrder(rng, { exchange, wallet, token, side, sizeE2, priceE4, createdMs })
}

function takerFill(rng: Rng, order: Order, slices: readonly Slice[]): Fill {
  let sizeE2 = 0
  let usd = 0
  for (const slice of slices) {
    sizeE2 += slice.sizeE2
    usd += slice.sizeE2 * slice.priceE4
  }
  const shares = sizeE2 * MICROS_E2
  const isOld = isV1(order.exchange)
  const fee = isOld ? v1Fee(order, shares, usd) : platformFee(order, slices)
  return { order, shares, usd, fee, refund: isOld ? v1Refund(rng, fee, 0) : 0 }
}
