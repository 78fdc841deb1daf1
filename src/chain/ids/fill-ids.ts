import type { FillFact } from '../attribute/tape.js'

/** Stands for a number that is not known yet. */
export const UNKNOWN = -1

const FIELDS = 5

/**
 * Numbers of the names in a list of fills. There are more fills than anything else, and to look a
 * name up costs more than whatever is done with it: this is done once for all who need it.
 */
export class FillIds {
  readonly fills: readonly FillFact[]
  readonly #ids: Int32Array

  constructor(fills: readonly FillFact[]) {
    this.fills = fills
    this.#ids = new Int32Array(fills.length * FIELDS)
  }

  set(
    index: number,
    wallet: number,
    taker: number,
    exchange: number,
    token: number,
    builder: number,
  ): void {
    const at = index * FIELDS
    this.#ids[at] = wallet
    this.#ids[at + 1] = taker
    this.#ids[at + 2] = exchange
    this.#ids[at + 3] = token
    this.#ids[at + 4] = builder
  }

  isComplete(index: number): boolean {
    const at = index * FIELDS
    for (let field = 0; field < FIELDS; field++) {
      if (this.#ids[at + field] === UNKNOWN) return false
    }
    return true
  }

  wallet(index: number): number {
    return this.#ids[index * FIELDS] ?? UNKNOWN
  }

  taker(index: number): number {
    return this.#ids[index * FIELDS + 1] ?? UNKNOWN
  }

  exchange(index: number): number {
    return this.#ids[index * FIELDS + 2] ?? UNKNOWN
  }

  token(index: number): number {
    return this.#ids[index * FIELDS + 3] ?? UNKNOWN
  }

  /** NONE: the order names no builder. */
  builder(index: number): number {
    return this.#ids[index * FIELDS + 4] ?? UNKNOWN
  }
}
