import type { Books } from './books.js'
import type { Conditions } from './conditions.js'
import type { Pair } from './cover.js'
import { amountAt, amountsAt, type RawLog, topicAt } from './log.js'
import { binaryConditionOf } from './token-ids.js'

/** The module pays in millionths. */
export const WHOLE = 1_000_000n

/** A market of the conditional tokens that may stand in combos. */
export type Leg = {
  legacyId: string
  migrated: Pair | undefined
  result: Pair | undefined
  resolvedBlock: number
}

/** The binary module, as far as combos need it. */
export class Legs {
  readonly #books: Books
  readonly #conditions: Conditions
  readonly #legs = new Map<string, Leg>()

  constructor(books: Books, conditions: Conditions) {
    this.#books = books
    this.#conditions = conditions
  }

  register(log: RawLog): void {
    const id = topicAt(log, 1).slice(2, 64)
    const legacyId = topicAt(log, 2).slice(2)
    if (id !== binaryConditionOf(legacyId)) this.#books.report(`leg ${id} is not of ${legacyId}`)
    if (this.#legs.has(id)) this.#books.report(`leg ${id} is registered twice`)
    this.#conditions.find(legacyId)
    this.#legs.set(id, { legacyId, migrated: undefined, result: undefined, resolvedBlock: 0 })
  }

  /** The result of the conditional tokens, out of a million. */
  migrate(log: RawLog): void {
    const leg = this.find(topicAt(log, 1).slice(2, 64))
    const condition = this.#conditions.find(topicAt(log, 2).slice(2))
    if (leg === undefined || condition === undefined) return
    const [legacyFirst, legacySecond] = [amountAt(log, 0), amountAt(log, 1)]
    const result: Pair = [amountAt(log, 2), amountAt(log, 3)]
    const first = (legacyFirst * WHOLE) / (legacyFirst + legacySecond)
    const isCopy =
      leg.legacyId === condition.id &&
      condition.payouts?.join() === [legacyFirst, legacySecond].join() &&
      result.join() === [first, WHOLE - first].join()
    if (!isCopy) this.#books.report(`leg ${condition.id} gets ${result} of ${condition.payouts}`)
    if (leg.migrated !== undefined) this.#books.report(`leg ${condition.id} migrates twice`)
    leg.migrated = result
  }

  resolve(log: RawLog): void {
    const id = topicAt(log, 1).slice(2, 64)
    const leg = this.find(id)
    if (leg === undefined) return
    const [first = 0n, second = 0n] = amountsAt(log, 0)
    if (leg.migrated?.join() !== [first, second].join()) {
      this.#books.report(`leg ${id} is resolved to ${first} and ${second}, not ${leg.migrated}`)
    }
    if (leg.result !== undefined) this.#books.report(`leg ${id} is resolved twice`)
    leg.result = [first, second]
    leg.resolvedBlock = this.#books.block
  }

  /** `undefined`, and a complaint, for a leg that was never registered. */
  find(id: string): Leg | undefined {
    const leg = this.#legs.get(id)
    if (leg === undefined) this.#books.report(`leg ${id} was never registered`)
    return leg
  }

  finish(): void {
    for (const { legacyId, migrated, result } of this.#legs.values()) {
      if (migrated !== undefined && result === undefined) {
        this.#books.report(`the leg of ${legacyId} has a result that no log declared`)
      }
    }
  }
}
