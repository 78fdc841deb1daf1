/** Keeps what was used last, up to a total size; nothing that alone takes over a quarter of it. */
export class SizedLru<Key, Value> {
  readonly #sizeMax: number
  readonly #entries = new Map<Key, { value: Value; size: number }>()
  #size = 0

  constructor(sizeMax: number) {
    this.#sizeMax = sizeMax
  }

  get size(): number {
    return this.#size
  }

  get(key: Key): Value | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    return entry.value
  }

  set(key: Key, value: Value, size: number): void {
    this.#remove(key)
    if (size > this.#sizeMax / 4) return
    this.#entries.set(key, { value, size })
    this.#size += size
    for (const oldest of this.#entries.keys()) {
      if (this.#size <= this.#sizeMax) break
      this.#remove(oldest)
    }
  }

  #remove(key: Key): void {
    this.#size -= this.#entries.get(key)?.size ?? 0
    this.#entries.delete(key)
  }
}
