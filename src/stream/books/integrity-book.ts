import type { BookLevel, BookSide, LiveBook } from '../../books/live-book.js'
import { Pn1Checksum } from '../../books/pn1.js'
import type { BookAnchor } from './book-texts.js'

/**
 * A book as the clients of integrity mode have it: what the last window left, with its number and
 * checksum. All connections share it, so the number of a change is the same for all of them; a
 * connection that joins gets an anchor with the number of that moment.
 */
export class IntegrityBook {
  #seq = 1
  #bids = new Map<string, string>()
  #asks = new Map<string, string>()
  #checksum = new Pn1Checksum()

  constructor(book: Pick<LiveBook, 'bids' | 'asks'>) {
    this.#load(book)
  }

  get anchor(): BookAnchor {
    return { seq: this.#seq, checksum: this.#checksum.text }
  }

  /** The best one first, here and in `asks`. */
  get bids(): BookLevel[] {
    return toLevels(this.#bids).sort((a, b) => Number(b.price) - Number(a.price))
  }

  get asks(): BookLevel[] {
    return toLevels(this.#asks).sort((a, b) => Number(a.price) - Number(b.price))
  }

  /** Sets one level; `0` takes it away. Returns the new state; `undefined`: the level was the same before. */
  setLevel(side: BookSide, price: string, size: string): BookAnchor | undefined {
    if (!this.#set(side, price, size)) return undefined
    this.#seq += 1
    return this.anchor
  }

  /** Takes over a whole book. Returns the levels that changed and the new state; `undefined`: none did. */
  update(book: Pick<LiveBook, 'bids' | 'asks'>) {
    const bids = this.#updateSide('BUY', this.#bids, book.bids)
    const asks = this.#updateSide('SELL', this.#asks, book.asks)
    if (bids.length === 0 && asks.length === 0) return undefined
    this.#seq += 1
    return { bids, asks, after: this.anchor }
  }

  /** Begins again with this book: clients need a new anchor. */
  reset(book: Pick<LiveBook, 'bids' | 'asks'>): void {
    this.#seq += 1
    this.#bids = new Map()
    this.#asks = new Map()
    this.#checksum = new Pn1Checksum()
    this.#load(book)
  }

  #load({ bids, asks }: Pick<LiveBook, 'bids' | 'asks'>): void {
    for (const { price, size } of bids) this.#set('BUY', price, size)
    for (const { price, size } of asks) this.#set('SELL', price, size)
  }

  #updateSide(side: BookSide, levels: ReadonlyMap<string, string>, after: readonly BookLevel[]) {
    const gone = new Set(levels.keys())
    const changed: BookLevel[] = []
    for (const { price, size } of after) {
      gone.delete(price)
      if (this.#set(side, price, size)) changed.push({ price, size })
    }
    for (const price of gone) {
      this.#set(side, price, '0')
      changed.push({ price, size: '0' })
    }
    return changed
  }

  #set(side: BookSide, price: string, size: string): boolean {
    const levels = side === 'BUY' ? this.#bids : this.#asks
    const before = levels.get(price) ?? '0'
    if (before === size) return false
    if (before !== '0') this.#checksum.remove(side, price, before)
    if (size === '0') levels.delete(price)
    else {
      levels.set(price, size)
      this.#checksum.add(side, price, size)
    }
    return true
  }
}

const toLevels = (levels: ReadonlyMap<string, string>): BookLevel[] =>
  Array.from(levels, ([price, size]) => ({ price, size }))
