/**
 * A bounded map in two generations: what was not asked for since the young one began is dropped when
 * the next one begins. Far cheaper per look than an order of use, and all that is kept stays put
 * until `turn`.
 */
export class Generations<Key, Value> {
  readonly #own: (key: Key) => Key
  #young = new Map<Key, Value>()
  #old = new Map<Key, Value>()

  /** `own` makes the copy of a key that is kept. */
  constructor(own: (key: Key) => Key) {
    this.#own = own
  }

  /** Of the young generation. */
  get size(): number {
    return this.#young.size
  }

  get(key: Key): Value | undefined {
    return this.#young.get(key) ?? this.#old.get(key)
  }

  getYoung(key: Key): Value | undefined {
    return this.#young.get(key)
  }

  /** Looks, and makes what it finds young. */
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

  turn(): void {
    this.#old = this.#young
    this.#young = new Map()
  }

  clear(): void {
    this.#old.clear()
    this.#young.clear()
  }
}

/**
 * A text cut out of a longer one keeps the longer one alive, and a name comes out of the data of a
 * log: in memory it has to stand on its own.
 */
export const ownText = (text: string): string => Buffer.from(text, 'latin1').toString('latin1')

export const ownNumber = (value: number): number => value
