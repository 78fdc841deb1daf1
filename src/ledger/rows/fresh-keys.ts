import { KeyFilter } from './key-filter.js'

/** Bits that tell which rows were let go, for each row that stays. */
const BITS_PER_ROW = 256
const BITS_MIN = 1_024

/**
 * Knows of rows that cannot exist without asking the database: a wallet or a token that got its
 * number while we run has no rows but those that we made. These are in memory, or were let go.
 * Numbers are given in ascending order, so the first one stands for all that follow.
 */
export class FreshKeys {
  readonly #bits: number
  #firstsFrom = Number.POSITIVE_INFINITY
  #secondsFrom = Number.POSITIVE_INFINITY
  #gone: KeyFilter | undefined

  constructor(rowsMax: number) {
    const bits = Math.max(BITS_MIN, rowsMax * BITS_PER_ROW)
    this.#bits = 2 ** Math.ceil(Math.log2(bits))
  }

  startFirst(id: number): void {
    if (id < this.#firstsFrom) this.#firstsFrom = id
  }

  startSecond(id: number): void {
    if (id < this.#secondsFrom) this.#secondsFrom = id
  }

  /** Of a row that is not in memory. False: the database has to say. */
  isAbsent(first: number, second: number, key: number): boolean {
    return this.#isFresh(first, second) && this.#gone?.has(key) !== true
  }

  /** The row leaves memory. */
  letGo(first: number, second: number, key: number): void {
    if (!this.#isFresh(first, second)) return
    this.#gone ??= new KeyFilter(this.#bits)
    this.#gone.add(key)
    if (this.#gone.isFull) this.clear()
  }

  /** Leaves everything to the database, but for what starts from now on. */
  clear(): void {
    this.#firstsFrom = Number.POSITIVE_INFINITY
    this.#secondsFrom = Number.POSITIVE_INFINITY
    this.#gone = undefined
  }

  #isFresh(first: number, second: number): boolean {
    return first >= this.#firstsFrom || second >= this.#secondsFrom
  }
}
