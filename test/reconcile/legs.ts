import { type Books, managerAsset } from './books.js'
import type { Conditions } from './conditions.js'
import { BINARY_MODULE, PUSD_VAULT, USDCE, ZERO } from './contracts.js'
import type { Pair } from './cover.js'
import { Leg, WHOLE } from './leg.js'
import { addressIn, amountAt, amountsAt, type RawLog, topicAt } from './log.js'
import { binaryConditionOf } from './token-ids.js'

/** The binary module: markets of the conditional tokens whose shares migrate, or that stand in combos. */
export class Legs {
  readonly all = new Map<string, Leg>()
  readonly #books: Books
  readonly #conditions: Conditions

  constructor(books: Books, conditions: Conditions) {
    this.#books = books
    this.#conditions = conditions
  }

  register(log: RawLog): void {
    const id = topicAt(log, 1).slice(2, 64)
    const legacyId = topicAt(log, 2).slice(2)
    if (id !== binaryConditionOf(legacyId)) this.#books.report(`leg ${id} is not of ${legacyId}`)
    if (this.all.has(id)) this.#books.report(`leg ${id} is registered twice`)
    const condition = this.#conditions.find(legacyId)
    if (condition === undefined) return
    const leg = new Leg(id, condition)
    this.all.set(id, leg)
    this.#books.addQuestion(leg)
  }

  /** The module takes old shares and mints as many new ones. */
  move(log: RawLog): void {
    const leg = this.find(topicAt(log, 2).slice(2, 64))
    if (leg === undefined) return
    const from = addressIn(topicAt(log, 1))
    const [outcome, amount] = [amountAt(log, 0) === 0n ? 0 : 1, amountAt(log, 1)] as const
    const asset = managerAsset(topicAt(log, 3).slice(2))
    if (asset !== leg.assets[outcome] || amountAt(log, 0) > 1n) {
      this.#books.report(`shares of ${leg.id} migrate into ${asset}`)
    }
    const { moves } = this.#books
    moves.declare(leg.condition.assets[outcome], from, BINARY_MODULE, amount)
    moves.declare(asset, ZERO, from, amount)
    this.#books.note('migration')
  }

  /** What the module got for old shares goes to the vault behind pUSD. */
  settle(log: RawLog): void {
    const isUsual = addressIn(topicAt(log, 1)) === USDCE && addressIn(topicAt(log, 2)) === PUSD_VAULT
    if (!isUsual) this.#books.report('collateral of old shares goes elsewhere than to the vault')
    this.#books.moves.declare(USDCE, BINARY_MODULE, PUSD_VAULT, amountAt(log, 0))
  }

  resolve(log: RawLog): void {
    const leg = this.find(topicAt(log, 1).slice(2, 64))
    if (leg === undefined) return
    const [first = 0n, second = 0n] = amountsAt(log, 0)
    if (leg.payouts !== undefined) this.#books.report(`leg ${leg.id} is resolved twice`)
    leg.payouts = [first, second]
    leg.decidedBlock = this.#books.block
  }

  /** The module repeats the result in its own name. */
  report(log: RawLog): void {
    const leg = this.find(topicAt(log, 2).slice(2, 64))
    if (leg === undefined) return
    const isSame = leg.payouts?.join() === amountsAt(log, 0).join()
    if (!isSame || leg.isReported || addressIn(topicAt(log, 1)) !== BINARY_MODULE) {
      this.#books.report(`leg ${leg.id} reports other than its result`)
    }
    leg.isReported = true
  }

  /** The result is that of the conditional tokens, out of a million. */
  copy(log: RawLog): void {
    const leg = this.find(topicAt(log, 1).slice(2, 64))
    if (leg === undefined) return
    const [legacyFirst, legacySecond] = [amountAt(log, 0), amountAt(log, 1)]
    const first = (legacyFirst * WHOLE) / (legacyFirst + legacySecond)
    const { condition } = leg
    const isCopy =
      topicAt(log, 2).slice(2) === condition.id &&
      condition.payouts?.join() === [legacyFirst, legacySecond].join() &&
      leg.payouts?.join() === [first, WHOLE - first].join() &&
      leg.payouts.join() === [amountAt(log, 2), amountAt(log, 3)].join()
    if (!isCopy) this.#books.report(`leg ${leg.id} gets ${leg.payouts} of ${condition.payouts}`)
    if (leg.isCopied) this.#books.report(`leg ${leg.id} migrates twice`)
    leg.isCopied = true
  }

  /** `undefined`, and a complaint, for a leg that was never registered. */
  find(id: string): Leg | undefined {
    const leg = this.all.get(id)
    if (leg === undefined) this.#books.report(`leg ${id} was never registered`)
    return leg
  }

  finish(): void {
    for (const leg of this.all.values()) {
      const { id, payouts, isReported, isCopied, condition } = leg
      const isKnown = payouts !== undefined
      if (isKnown !== isReported || isKnown !== isCopied) {
        this.#books.report(`the leg ${id} has a result that not all logs declare`)
      }
      if (!condition.isUsed) continue
      const supply: Pair = [this.#books.supply(leg.assets[0]), this.#books.supply(leg.assets[1])]
      const [first, second] = condition.assets
      const parked: Pair = [this.#parked(first), this.#parked(second)]
      if (!leg.isCovered(supply, parked)) {
        const held = leg.held + condition.settled
        this.#books.report(`leg ${id} holds ${held} and ${parked} shares for ${supply}`)
      }
    }
  }

  #parked(asset: string): bigint {
    return this.#books.balances.get(asset, BINARY_MODULE)
  }
}
