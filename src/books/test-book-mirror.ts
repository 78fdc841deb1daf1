import type { BookChange, BookLevel, BookSide, LiveBook } from './live-book.js'
import type { LiveBooks } from './live-books.js'

type Sides = Record<BookSide, Map<string, string>>

/** Books as a reader builds them from the changes alone. */
export class BookMirror {
  levelChanges = 0
  /** Level changes that changed nothing. */
  repeats = 0
  readonly #books = new Map<string, Sides>()
  readonly #live: LiveBooks

  constructor(live: LiveBooks) {
    this.#live = live
    live.subscribe((changes) => {
      for (const change of changes) this.#apply(change)
    })
  }

  /** Tokens whose book is another than that of the live books. */
  differences(): string[] {
    return [...this.#books].flatMap(([tokenId, { BUY, SELL }]) => {
      const book = this.#live.get(tokenId)
      return book && isSame(book.bids, BUY) && isSame(book.asks, SELL) ? [] : [tokenId]
    })
  }

  #apply(change: BookChange): void {
    if (change.kind === 'snapshot') this.#books.set(change.book.tokenId, toSides(change.book))
    if (change.kind !== 'level') return
    const { tokenId, side, price, size } = change
    const levels = this.#books.get(tokenId)?.[side]
    this.levelChanges += 1
    if ((levels?.get(price) ?? '0') === size) this.repeats += 1
    if (size === '0') levels?.delete(price)
    else levels?.set(price, size)
  }
}

const toSides = ({ bids, asks }: LiveBook): Sides => ({ BUY: toMap(bids), SELL: toMap(asks) })

const toMap = (levels: readonly BookLevel[]) => new Map(levels.map(({ price, size }) => [price, size]))

const isSame = (levels: readonly BookLevel[], side: Map<string, string>): boolean =>
  levels.length === side.size && levels.every(({ price, size }) => side.get(price) === size)
