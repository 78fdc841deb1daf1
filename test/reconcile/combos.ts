import { type Books, managerAsset } from './books.js'
import { Combo } from './combo.js'
import { AUTO_REDEEMER, PUSD, ZERO } from './contracts.js'
import { isCovered, type Pair } from './cover.js'
import { type Leg, WHOLE } from './leg.js'
import type { Legs } from './legs.js'
import { addressIn, amountAt, arrayAt, type RawLog, topicAt, wordAt } from './log.js'
import { comboConditionOf } from './token-ids.js'

/** Structured positions: the modules burn pUSD for shares and mint pUSD for what they are worth. */
export class Combos {
  readonly all = new Map<string, Combo>()
  readonly #books: Books
  readonly #legs: Legs

  constructor(books: Books, legs: Legs) {
    this.#books = books
    this.#legs = legs
  }

  prepare(log: RawLog): void {
    const id = topicAt(log, 1).slice(2, 64)
    const positions = arrayAt(log, 0)
    const isSorted = positions.every((each, n) => n === 0 || each > (positions[n - 1] ?? ''))
    const conditions = new Set(positions.map((each) => each.slice(0, 62)))
    if (id !== comboConditionOf(positions) || !isSorted || conditions.size !== positions.length) {
      this.#books.report(`combo ${id} is not that of its legs`)
    }
    if (this.all.has(id)) this.#books.report(`combo ${id} is prepared twice`)
    const legs = positions.flatMap((position) => {
      const leg = this.#legs.find(position.slice(0, 62))
      return leg === undefined ? [] : [{ leg, outcome: outcomeOf(position) }]
    })
    const combo = new Combo(id, legs)
    this.all.set(id, combo)
    this.#books.addQuestion(combo)
  }

  split(log: RawLog): void {
    const combo = this.#find(topicAt(log, 2).slice(2, 64))
    if (combo === undefined) return
    const amount = amountAt(log, 1)
    const { moves } = this.#books
    combo.held += amount
    moves.declare(PUSD, addressIn(topicAt(log, 1)), ZERO, amount)
    moves.declare(combo.assets[0], ZERO, addressIn(topicAt(log, 3)), amount)
    moves.declare(combo.assets[1], ZERO, addressIn(wordAt(log, 0)), amount)
  }

  merge(log: RawLog): void {
    const combo = this.#find(topicAt(log, 2).slice(2, 64))
    if (combo === undefined) return
    const amount = amountAt(log, 0)
    const { moves } = this.#books
    combo.held -= amount
    moves.declare(PUSD, ZERO, addressIn(topicAt(log, 3)), amount)
    for (const asset of combo.assets) moves.declare(asset, addressIn(topicAt(log, 1)), ZERO, amount)
  }

  redeem(log: RawLog): void {
    const position = topicAt(log, 2).slice(2)
    const combo = this.#find(position.slice(0, 62))
    if (combo === undefined) return
    const redeemer = addressIn(topicAt(log, 1))
    const [amount, payout] = [amountAt(log, 0), amountAt(log, 1)]
    const worth = combo.payouts && (amount * combo.payouts[outcomeOf(position)]) / WHOLE
    if (payout !== worth) {
      this.#books.report(`${amount} of combo ${combo.id} are redeemed for ${payout}, not ${worth}`)
    }
    const { moves } = this.#books
    combo.held -= payout
    combo.redemptions += 1n
    moves.declare(managerAsset(position), redeemer, ZERO, amount)
    moves.declare(PUSD, ZERO, addressIn(topicAt(log, 3)), payout)
    this.#books.redemptions.push({ redeemer, payout })
    const route = redeemer === AUTO_REDEEMER ? 'by the AutoRedeemer' : 'through the router'
    this.#books.note(`${combo instanceof Combo ? 'combo' : 'migrated'} redemption ${route}`)
  }

  finish(): void {
    for (const combo of this.all.values()) {
      const { id, assets, held, payouts } = combo
      const supply: Pair = [this.#books.supply(assets[0]), this.#books.supply(assets[1])]
      if (!isCovered(combo, supply)) {
        this.#books.report(`combo ${id} holds ${held} for ${supply} shares at ${payouts}`)
      }
    }
  }

  /** A combo, or a market that migrated. */
  #find(id: string): Combo | Leg | undefined {
    const combo = this.all.get(id) ?? this.#legs.all.get(id)
    if (combo === undefined) this.#books.report(`combo ${id} was never prepared`)
    return combo
  }
}

/** The last byte of a position. */
function outcomeOf(position: string): 0 | 1 {
  return position.endsWith('00') ? 0 : 1
}
