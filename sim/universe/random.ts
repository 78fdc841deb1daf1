/** Mixes whole numbers into 32 bits. All chance in the universe comes from here, so a seed decides everything. */
export function hash32(seed: number, a: number, b = 0, c = 0): number {
  let h = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b)
  h = mix(h ^ (a | 0))
  // Block numbers and seconds since 1970 fit 32 bits; milliseconds do not, so the high part counts too.
  h = mix(h ^ Math.floor(a / 4294967296))
  h = mix(h ^ (b | 0))
  h = mix(h ^ (c | 0))
  return h >>> 0
}

function mix(value: number): number {
  let h = Math.imul(value ^ (value >>> 16), 0x7feb352d)
  h = Math.imul(h ^ (h >>> 15), 0x846ca68b)
  return h ^ (h >>> 16)
}

/** A number from 0 up to 1, the same for the same arguments. */
export const unit = (seed: number, a: number, b = 0, c = 0): number => hash32(seed, a, b, c) / 4294967296

/** Roughly normal with mean 0 and deviation 1, the same for the same arguments. */
export function bell(seed: number, a: number, b = 0): number {
  const first = hash32(seed, a, b, 1)
  const second = hash32(seed, a, b, 2)
  // The sum of four even 16-bit numbers; its deviation before scaling is sqrt(4 / 12).
  const sum = (first & 0xffff) + (first >>> 16) + (second & 0xffff) + (second >>> 16)
  return (sum / 65536 - 2) * 1.7320508
}

/** A stream of chance for one purpose, e.g. one block (sfc32). */
export class Rng {
  #a: number
  #b: number
  #c: number
  #counter = 1

  constructor(seed: number, a: number, b = 0) {
    this.#a = hash32(seed, a, b, 11)
    this.#b = hash32(seed, a, b, 12)
    this.#c = hash32(seed, a, b, 13)
    for (let warmUp = 0; warmUp < 4; warmUp++) this.next()
  }

  /** From 0 up to 1. */
  next(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0
    this.#counter = (this.#counter + 1) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum
    return (sum >>> 0) / 4294967296
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  /** A whole number from 0 up to `count`. */
  below(count: number): number {
    return Math.floor(this.next() * count)
  }

  between(low: number, high: number): number {
    return low + this.next() * (high - low)
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)]
    if (item === undefined) throw new RangeError('nothing to pick from')
    return item
  }

  normal(): number {
    const radius = Math.sqrt(-2 * Math.log(1 - this.next()))
    return radius * Math.cos(2 * Math.PI * this.next())
  }

  /** How many of the events that come `mean` times on average. */
  poisson(mean: number): number {
    // Many rare events are close to normal, and the exact way costs a step per event.
    if (mean > 30) return Math.max(0, Math.round(mean + Math.sqrt(mean) * this.normal()))
    const limit = Math.exp(-mean)
    let count = 0
    for (let product = this.next(); product > limit; product *= this.next()) count++
    return count
  }
}

/** Picks with unequal weights in logarithmic time. */
export class Lottery<T> {
  readonly #items: readonly T[]
  readonly #sums: Float64Array

  constructor(items: readonly T[], weightOf: (item: T, index: number) => number) {
    this.#items = items
    this.#sums = new Float64Array(items.length)
    let sum = 0
    items.forEach((item, index) => {
      sum += weightOf(item, index)
      this.#sums[index] = sum
    })
  }

  get size(): number {
    return this.#items.length
  }

  draw(rng: Rng): T {
    const sums = this.#sums
    const target = rng.next() * (sums[sums.length - 1] ?? 0)
    let low = 0
    let high = sums.length - 1
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((sums[middle] ?? 0) > target) high = middle
      else low = middle + 1
    }
    const item = this.#items[low]
    if (item === undefined) throw new RangeError('nothing to draw from')
    return item
  }
}
