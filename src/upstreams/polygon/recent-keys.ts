/** Remembers the newest keys, at least `max` of them, in two generations of which the older is dropped. */
export class RecentKeys {
  readonly #max: number
  #young = new Set<string>()
  #old = new Set<string>()

  constructor(max: number) {
    this.#max = max
  }

  /** `false`: it was there. */
  add(key: string): boolean {
    if (this.#young.has(key) || this.#old.has(key)) return false
    if (this.#young.size >= this.#max) {
      this.#old = this.#young
      this.#young = new Set()
    }
    this.#young.add(key)
    return true
  }

  delete(key: string): void {
    this.#young.delete(key)
    this.#old.delete(key)
  }
}
