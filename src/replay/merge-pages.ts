/**
 * Merges two ordered sources, each of which is read page by page. What comes out keeps the order of each source, and is a page
 * as soon as one of the two has to be read on: neither is read further than that.
 */
export async function* mergePages<Item>(
  first: AsyncGenerator<readonly Item[]>,
  second: AsyncGenerator<readonly Item[]>,
  isBefore: (a: Item, b: Item) => boolean,
): AsyncGenerator<readonly Item[]> {
  const [left, right] = [new PageReader(first), new PageReader(second)]
  try {
    for (;;) {
      const [a, b] = [await left.peek(), await right.peek()]
      if (a === undefined && b === undefined) return
      if (a === undefined || b === undefined) yield (a === undefined ? right : left).takeRest()
      else yield takeMerged(left, right, isBefore)
    }
  } finally {
    await Promise.all([left.close(), right.close()])
  }
}

/** Goes on until one of the two pages is used up. */
function takeMerged<Item>(
  left: PageReader<Item>,
  right: PageReader<Item>,
  isBefore: (a: Item, b: Item) => boolean,
): Item[] {
  const merged: Item[] = []
  for (;;) {
    const [a, b] = [left.current, right.current]
    if (a === undefined || b === undefined) return merged
    const isRight = isBefore(b, a)
    merged.push(isRight ? b : a)
    if (isRight) right.advance()
    else left.advance()
  }
}

class PageReader<Item> {
  readonly #pages: AsyncGenerator<readonly Item[]>
  #page: readonly Item[] = []
  #index = 0

  constructor(pages: AsyncGenerator<readonly Item[]>) {
    this.#pages = pages
  }

  /** The next item of the page at hand; `undefined`: the page is used up. */
  get current(): Item | undefined {
    return this.#page[this.#index]
  }

  advance(): void {
    this.#index++
  }

  /** The next item; `undefined`: the source has ended. */
  async peek(): Promise<Item | undefined> {
    while (this.#index >= this.#page.length) {
      const { done, value } = await this.#pages.next()
      if (done === true) return undefined
      this.#page = value
      this.#index = 0
    }
    return this.current
  }

  takeRest(): readonly Item[] {
    const rest = this.#page.slice(this.#index)
    this.#index = this.#page.length
    return rest
  }

  async close(): Promise<void> {
    await this.#pages.return(undefined)
  }
}
