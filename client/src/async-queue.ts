type Reader<Item> = {
  resolve(result: IteratorResult<Item, undefined>): void
  reject(error: unknown): void
}

/** Items that wait for a reader, in order. An item that waits already is not added again. */
export class AsyncQueue<Item> {
  readonly #items = new Set<Item>()
  readonly #readers: Reader<Item>[] = []
  #end: { error: unknown } | 'done' | undefined

  get size(): number {
    return this.#items.size
  }

  push(item: Item): void {
    if (this.#end !== undefined) return
    const reader = this.#readers.shift()
    if (reader === undefined) this.#items.add(item)
    else reader.resolve({ done: false, value: item })
  }

  /** The reader gets what waits, and then the error, once; without one it is done. */
  end(failure?: { error: unknown }): void {
    if (this.#end !== undefined) return
    this.#end = failure ?? 'done'
    for (const reader of this.#readers.splice(0)) this.#finish(reader)
  }

  /** Forgets what waits. */
  clear(): void {
    this.#items.clear()
  }

  next(): Promise<IteratorResult<Item, undefined>> {
    return new Promise((resolve, reject) => {
      for (const value of this.#items) {
        this.#items.delete(value)
        resolve({ done: false, value })
        return
      }
      if (this.#end === undefined) this.#readers.push({ resolve, reject })
      else this.#finish({ resolve, reject })
    })
  }

  #finish({ resolve, reject }: Reader<Item>): void {
    const end = this.#end
    this.#end = 'done'
    if (typeof end === 'object') reject(end.error)
    else resolve({ done: true, value: undefined })
  }
}
