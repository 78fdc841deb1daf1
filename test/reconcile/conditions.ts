import { type Books, ctfAsset } from './books.js'
import { Condition } from './condition.js'
import {
  AUTO_REDEEMER,
  BINARY_MODULE,
  COLLATERAL_ADAPTERS,
  CTF,
  NEG_RISK_ADAPTER,
  ZERO,
} from './contracts.js'
import { isCovered, type Pair } from './cover.js'
import { addressIn, amountAt, amountsAt, type RawLog, topicAt, wordAt } from './log.js'
import { conditionIdOf } from './token-ids.js'

/** The conditional tokens: what each condition took in, what it owes, and what decided it. */
export class Conditions {
  readonly all = new Map<string, Condition>()
  readonly #books: Books
  /** Who redeemed which condition in this transaction. */
  #redeemed: { redeemer: string; condition: Condition }[] = []

  constructor(books: Books) {
    this.#books = books
  }

  prepare(log: RawLog): void {
    const id = topicAt(log, 1).slice(2)
    const oracle = addressIn(topicAt(log, 2))
    const questionId = topicAt(log, 3).slice(2)
    if (amountAt(log, 0) !== 2n || id !== conditionIdOf(oracle, questionId)) {
      this.#books.report(`condition ${id} is not that of its question`)
    }
    if (this.all.has(id)) this.#books.report(`condition ${id} is prepared twice`)
    this.all.set(id, new Condition(id, oracle, questionId))
  }

  resolve(log: RawLog): void {
    const condition = this.find(topicAt(log, 1).slice(2))
    if (condition === undefined) return
    const [first = 0n, second = 0n, ...more] = amountsAt(log, 1)
    const isResult = first + second > 0n && more.length === 0 && amountAt(log, 0) === 2n
    if (!isResult || topicAt(log, 3).slice(2) !== condition.questionId) {
      this.#books.report(`condition ${condition.id} gets no proper result`)
    }
    if (condition.payouts !== undefined) {
      this.#books.report(`condition ${condition.id} is resolved twice`)
    }
    condition.payouts = [first, second]
    condition.decidedBlock = this.#books.block
  }

  split(log: RawLog): void {
    const condition = this.#findDivided(log)
    if (condition === undefined) return
    this.#books.addQuestion(condition)
    const holder = addressIn(topicAt(log, 1))
    const amount = amountAt(log, 2)
    const { moves } = this.#books
    condition.held += amount
    moves.declare(condition.collateral, holder, CTF, amount)
    for (const asset of condition.assets) moves.declare(asset, ZERO, holder, amount)
  }

  merge(log: RawLog): void {
    const condition = this.#findDivided(log)
    if (condition === undefined) return
    const holder = addressIn(topicAt(log, 1))
    const amount = amountAt(log, 2)
    const { moves } = this.#books
    condition.held -= amount
    if (holder === BINARY_MODULE) condition.settled += amount
    moves.declare(condition.collateral, CTF, holder, amount)
    for (const asset of condition.assets) moves.declare(asset, holder, ZERO, amount)
  }

  /** The event does not say how many shares are given: those that were burnt and not declared. */
  redeem(log: RawLog): void {
    const collateral = addressIn(topicAt(log, 2))
    const condition = this.#findUsed(log, wordAt(log, 0), collateral, topicAt(log, 3))
    if (condition === undefined) return
    const redeemer = addressIn(topicAt(log, 1))
    const payout = amountAt(log, 2)
    const { moves } = this.#books
    const [first, second] = condition.assets
    const given: Pair = [moves.open.get(first, ZERO), moves.open.get(second, ZERO)]
    const worth = condition.worthOf(given)
    // The module redeems what it has when it learns the result, be it nothing.
    const isIdle = given[0] + given[1] === 0n && redeemer !== BINARY_MODULE
    if (payout !== worth || isIdle) {
      this.#books.report(`${given} of ${condition.id} are redeemed for ${payout}, not ${worth}`)
    }
    condition.held -= payout
    condition.redemptions += 1n
    if (redeemer === BINARY_MODULE) condition.settled += payout
    moves.declare(collateral, CTF, redeemer, payout)
    moves.declare(first, redeemer, ZERO, given[0])
    moves.declare(second, redeemer, ZERO, given[1])
    this.#redeemed.push({ redeemer, condition })
    this.#books.redemptions.push({ redeemer, payout })
    this.#books.note(`redemption ${routeOf(redeemer)}`)
  }

  /** The first exchanges learn each token with its complement. */
  registerTokens(log: RawLog): void {
    const condition = this.find(topicAt(log, 3).slice(2))
    if (condition === undefined) return
    const [first = '', second = ''] = [1, 2].map((n) => ctfAsset(topicAt(log, n).slice(2)))
    const isPair = condition.assets.includes(first) && condition.assets.includes(second)
    if (!isPair || first === second || !condition.venues.includes(log.address)) {
      this.#books.report(`tokens are registered that are not of condition ${condition.id}`)
    }
    condition.registered.push(first)
  }

  /** `undefined`, and a complaint, for a condition that was never prepared. */
  find(id: string): Condition | undefined {
    const condition = this.all.get(id)
    if (condition === undefined) this.#books.report(`condition ${id} was never prepared`)
    return condition
  }

  /** When the balances are booked: a redemption takes all that the redeemer has. */
  endTransaction(): void {
    for (const { redeemer, condition } of this.#redeemed) {
      for (const asset of condition.assets) {
        const left = this.#books.balances.get(asset, redeemer)
        if (left !== 0n) this.#books.report(`${redeemer} redeems but keeps ${left} of ${asset}`)
      }
    }
    this.#redeemed = []
  }

  finish(): void {
    for (const condition of this.all.values()) {
      if (!condition.isUsed) continue
      const { id, assets, held, payouts, registered } = condition
      const supply: Pair = [this.#books.supply(assets[0]), this.#books.supply(assets[1])]
      if (!isCovered(condition, supply)) {
        this.#books.report(`condition ${id} holds ${held} for ${supply} shares at ${payouts}`)
      }
      if (registered.length > 0 && (registered.length !== 2 || registered[0] === registered[1])) {
        this.#books.report(`the tokens of ${id} are not each registered once`)
      }
    }
  }

  #findDivided(log: RawLog): Condition | undefined {
    const collateral = addressIn(wordAt(log, 0))
    return this.#findUsed(log, topicAt(log, 3).slice(2), collateral, topicAt(log, 2))
  }

  /** The condition of a split, merge or redemption of both its outcomes. */
  #findUsed(log: RawLog, id: string, collateral: string, parent: string): Condition | undefined {
    const condition = this.find(id)
    if (condition === undefined) return undefined
    const [first, second] = amountsAt(log, 1)
    const isWhole = BigInt(parent) === 0n && first === 1n && second === 2n
    if (!isWhole || collateral !== condition.collateral) {
      this.#books.report(`condition ${id} is split or paid out in an unusual way`)
    }
    return condition
  }
}

function routeOf(redeemer: string): string {
  if (redeemer === AUTO_REDEEMER) return 'by the AutoRedeemer'
  if (redeemer === NEG_RISK_ADAPTER) return 'by the neg-risk adapter'
  if (redeemer === BINARY_MODULE) return 'by the binary module'
  return COLLATERAL_ADAPTERS.includes(redeemer) ? 'through an adapter' : 'by the holder'
}
