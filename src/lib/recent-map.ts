/**
 * A map that forgets what was not asked for during a whole period, without ever walking over its
 * entries: it keeps two generations, moves what is used into the younger, and drops the older one.
 */
export class RecentMap<Key, Value> {
  readonly #periodMs: number
  #young = new Map<Key, Value>()
  #old = new Map<Key, Value>()
  #turnAtMs = Number.NEGATIVE_INFINITY

  constructor(periodMs: number) {
    this.#periodMs = periodMs
  }

  getOrMake(key: Key, nowMs: number, make: () => Value): Value {
    this.#turn(nowMs)
    const known = this.#young.get(key)
    if (known !== undefined) return known
    const value = this.#old.get(key) ?? make()
    this.#young.set(key, value)
    return value
  }

  get size(): number {
    return this.#young.size + this.#old.size
  }

  #turn(nowMs: number): void {
    if (nowMs < this.#turnAtMs) return
    this.#old = nowMs < this.#turnAtMs + this.#periodMs ? this.#young : new Map()
    this.#young = new Map()
    this.#turnAtMs = nowMs + this.#periodMs
  }
}
