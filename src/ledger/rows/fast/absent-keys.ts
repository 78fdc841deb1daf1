import { hashKey } from './slot-table.js'

/**
 * Fast because: most rows of new wallets and tokens do not exist, and without this class the cache
 * would query the database for each of them. Bench: `npm run bench ingest`. Plain twin: a `Set` of
 * all evicted keys, in absent-keys.test.ts.
 */

/** Bits of the filter for each row that the cache keeps. */
const BITS_PER_ROW = 256
const BITS_MIN = 1_024

/**
 * Decides without the database that a row cannot exist: a wallet or a token that got its id while
 * this process runs has only rows that this process made. These are in the cache, or were evicted.
 * Ids are assigned in ascending order, so the first new id stands for all that follow.
 */
export class AbsentKeys {
  readonly #bits: number
  #newFirstFrom = Number.POSITIVE_INFINITY
  #newSecondFrom = Number.POSITIVE_INFINITY
  #evicted: KeyFilter | undefined

  constructor(rowsMax: number) {
    const bits = Math.max(BITS_MIN, rowsMax * BITS_PER_ROW)
    this.#bits = 2 ** Math.ceil(Math.log2(bits))
  }

  /** The id was assigned just now: no row has it as its first key. */
  addNewFirst(id: number): void {
    if (id < this.#newFirstFrom) this.#newFirstFrom = id
  }

  addNewSecond(id: number): void {
    if (id < this.#newSecondFrom) this.#newSecondFrom = id
  }

  /** For a row that is not in the cache. False: the database has to be queried. */
  has(first: number, second: number, key: number): boolean {
    return this.#isNew(first, second) && this.#evicted?.has(key) !== true
  }

  /** The row leaves the cache and stays in the database. */
  evict(first: number, second: number, key: number): void {
    if (!this.#isNew(first, second)) return
    this.#evicted ??= new KeyFilter(this.#bits)
    this.#evicted.add(key)
    if (this.#evicted.isFull) this.clear()
  }

  /** From now on all rows are queried, except those of ids that are added later. */
  clear(): void {
    this.#newFirstFrom = Number.POSITIVE_INFINITY
    this.#newSecondFrom = Number.POSITIVE_INFINITY
    this.#evicted = undefined
  }

  #isNew(first: number, second: number): boolean {
    return first >= this.#newFirstFrom || second >= this.#newSecondFrom
  }
}

const PROBES = 4
const BITS_PER_KEY_MIN = 6

/** A Bloom filter: `has` may be true for a key that was not added, but never false for one that was. */
export class KeyFilter {
  readonly #words: Uint32Array
  readonly #mask: number
  #size = 0

  /** `bits` is a power of two, 32 or more. */
  constructor(bits: number) {
    this.#words = new Uint32Array(bits / 32)
    this.#mask = bits - 1
  }

  /** With more keys than one in twenty answers would be wrong. */
  get isFull(): boolean {
    return this.#size * BITS_PER_KEY_MIN > this.#mask
  }

  has(key: number): boolean {
    let probe = hashKey(key)
    const step = stepOf(probe)
    for (let count = 0; count < PROBES; count++) {
      const bit = probe & this.#mask
      if (((this.#words[bit >>> 5] ?? 0) & (1 << (bit & 31))) === 0) return false
      probe = (probe + step) | 0
    }
    return true
  }

  add(key: number): void {
    if (this.has(key)) return
    this.#size++
    let probe = hashKey(key)
    const step = stepOf(probe)
    for (let count = 0; count < PROBES; count++) {
      const bit = probe & this.#mask
      this.#words[bit >>> 5] = (this.#words[bit >>> 5] ?? 0) | (1 << (bit & 31))
      probe = (probe + step) | 0
    }
  }
}

/** Taken from the bits that have little influence on the first probe. */
const stepOf = (probe: number): number => Math.imul((probe >>> 16) | (probe << 16), 0x9e3779b1) | 1
