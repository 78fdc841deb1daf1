/** Items of a source, of which some are requested before they are needed. */
export class ReadAhead<T> {
  readonly #source: AsyncGenerator<T>
  readonly #items: Promise<IteratorResult<T, unknown>>[] = []
  readonly #count: number

  /** `count`: this many are asked for from the next one on. */
  constructor(source: AsyncGenerator<T>, count = 1) {
    this.#source = source
    this.#count = count
    this.#ask()
  }

  /** The next item. Stays the next one until it is taken. */
  get next(): Promise<IteratorResult<T, unknown>> {
    const [item] = this.#items
    if (item === undefined) throw new Error('at least one item is asked for')
    return item
  }

  take(): void {
    this.#items.shift()
    this.#ask()
  }

  /** Lets the source end wherever it is. */
  close(): void {
    this.#source.return(undefined).catch(() => undefined)
  }

  #ask(): void {
    while (this.#items.length < this.#count) {
      const item = this.#source.next()
      // The taker of the item gets its failure; without a taker it must not count as unhandled.
      item.catch(() => undefined)
      this.#items.push(item)
    }
  }
}

/** The same items; while one is worked on the next one is asked for. */
export async function* readAhead<T>(source: AsyncGenerator<T>): AsyncGenerator<T> {
  const ahead = new ReadAhead(source)
  try {
    for (;;) {
      const { done, value } = await ahead.next
      if (done === true) return
      ahead.take()
      yield value
    }
  } finally {
    ahead.close()
  }
}
