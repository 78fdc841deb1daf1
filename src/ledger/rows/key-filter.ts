import { hash } from './hash.js'

const PROBES = 4
const BITS_PER_KEY_MIN = 6

/** A Bloom filter: it may take a key for one that was added, never the other way round. */
export class KeyFilter {
  readonly #words: Uint32Array
  readonly #mask: number
  #size = 0

  /** `bits` is a power of two, 32 or more. */
  constructor(bits: number) {
    this.#words = new Uint32Array(bits / 32)
    this.#mask = bits - 1
  }

  /** Beyond it more than one answer in twenty is wrong. */
  get isFull(): boolean {
    return this.#size * BITS_PER_KEY_MIN > this.#mask
  }

  has(key: number): boolean {
    let probe = hash(key)
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
    let probe = hash(key)
    const step = stepOf(probe)
    for (let count = 0; count < PROBES; count++) {
      const bit = probe & this.#mask
      this.#words[bit >>> 5] = (this.#words[bit >>> 5] ?? 0) | (1 << (bit & 31))
      probe = (probe + step) | 0
    }
  }
}

/** From the bits that say little about where the first probe goes. */
const stepOf = (probe: number): number => Math.imul((probe >>> 16) | (probe << 16), 0x9e3779b1) | 1
