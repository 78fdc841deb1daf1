/** Items of a source, of which some are requested before they are needed. */
export class ReadAhead<T> {
  readonly #source: AsyncGenerator<T>
  readonly #items: Promise<IteratorResult<T, unknown>>[] = []
  readonly #count: number

  /** `count`: how many items are requested ahead, the next one included. */
  constructor(source: AsyncGenerator<T>, count = 1) {
    this.#source = source
    this.#count = count
    this.#request()
  }

  /** The next item. Stays the next one until it is taken. */
  get next(): Promise<IteratorResult<T, unknown>> {
    const [item] = this.#items
    if (item === undefined) throw new Error('at least one item is asked for')
    return item
  }

  take(): void {
    this.#items.shift()
    this.#request()
  }

  /** Ends the source, also before its last item. */
  close(): void {
    this.#source.return(undefined).catch(() => undefined)
  }

  #request(): void {
    while (this.#items.length < this.#count) {
      const item = this.#source.next()
      // The caller that takes the item gets its failure. If no caller does, it must not be an unhandled rejection.
      item.catch(() => undefined)
      this.#items.push(item)
    }
  }
}

/** The same items; while the caller works on one, the next one is requested already. */
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
