/**
 * A bounded map in two generations: `rotate` drops what was not set or kept since the last rotation. A lookup
 * is far cheaper than with an LRU order, and nothing is dropped between two rotations.
 */
export class GenerationMap<Key, Value> {
  readonly #own: (key: Key) => Key
  #young = new Map<Key, Value>()
  #old = new Map<Key, Value>()
  #rotateAtMs = Number.NEGATIVE_INFINITY

  /** `own` makes the copy of a key that the map holds; without it the map holds the key itself. */
  constructor(own: (key: Key) => Key = (key) => key) {
    this.#own = own
  }

  /** Entries of the young generation. */
  get size(): number {
    return this.#young.size
  }

  get(key: Key): Value | undefined {
    return this.#young.get(key) ?? this.#old.get(key)
  }

  getYoung(key: Key): Value | undefined {
    return this.#young.get(key)
  }

  /** Like `get`, and moves the entry into the young generation. */
  keep(key: Key): Value | undefined {
    const value = this.#young.get(key)
    if (value !== undefined) return value
    const aged = this.#old.get(key)
    if (aged !== undefined) this.#young.set(this.#own(key), aged)
    return aged
  }

  set(key: Key, value: Value): void {
    this.#young.set(this.#own(key), value)
  }

  delete(key: Key): void {
    this.#young.delete(key)
    this.#old.delete(key)
  }

  rotate(): void {
    this.#old = this.#young
    this.#young = new Map()
  }

  /** Rotates once in a period: an entry stays for one to two periods after it was last set or kept. */
  rotateEvery(periodMs: number, nowMs: number): void {
    if (nowMs < this.#rotateAtMs) return
    if (nowMs < this.#rotateAtMs + periodMs) this.rotate()
    else this.clear()
    this.#rotateAtMs = nowMs + periodMs
  }

  clear(): void {
    this.#old.clear()
    this.#young.clear()
  }
}

/**
 * A string cut out of a longer one keeps the longer one in memory. Ids are cut out of the data of
 * logs: a map that lives longer than the logs needs copies.
 */
export const ownText = (text: string): string => Buffer.from(text, 'latin1').toString('latin1')
