import type { Peer } from '../server/handlers.js'
import type { Match } from '../universe/acts.js'
import type { Transaction } from '../universe/block.js'
import type { Book } from '../universe/books.js'
import type { Combo, Market, Outcome, Token } from '../universe/market.js'
import type { Universe } from '../universe/universe.js'
import {
  type BookPair,
  bestBidAskFrame,
  bookFrame,
  isSameTop,
  lastTradeFrame,
  priceChangeFrame,
  tickSizeFrame,
} from './frames.js'

const OUTCOMES: readonly Outcome[] = [0, 1]

/** The subscribers of one market, and the books that were last sent to them. */
export class Channel {
  readonly #universe: Universe
  readonly #of: Market | Combo
  readonly #followers = new Map<Subscriber, Set<Outcome>>()
  /** `undefined`: the market takes no orders. */
  #sent: BookPair | undefined

  constructor(universe: Universe, of: Market | Combo) {
    this.#universe = universe
    this.#of = of
    this.#sent = this.#readBooks()
  }

  get isEmpty(): boolean {
    return this.#followers.size === 0
  }

  add(subscriber: Subscriber, outcome: Outcome): void {
    // Those who are here first learn what happened since, so that all go on from the same book.
    this.refresh()
    const outcomes = this.#followers.get(subscriber) ?? new Set()
    this.#followers.set(subscriber, outcomes.add(outcome))
  }

  remove(subscriber: Subscriber, outcome: Outcome): void {
    const outcomes = this.#followers.get(subscriber)
    outcomes?.delete(outcome)
    if (outcomes?.size === 0) this.#followers.delete(subscriber)
  }

  /** The book that the next changes build on. */
  book(outcome: Outcome, depth: Depth): Book | undefined {
    const book = this.#sent?.[outcome]
    return book === undefined ? undefined : cut(book, depth)
  }

  /** Sends what changed since the last time. */
  refresh(): void {
    const before = this.#sent
    const after = this.#readBooks()
    this.#sent = after
    if (after === undefined) {
      if (before !== undefined) this.#tellChanges(before, emptied(before, this.#universe.nowMs))
    } else if (before === undefined) this.#tellBooks(after)
    else {
      this.#tellTicks(before, after)
      this.#tellChanges(before, after)
      this.#tellTops(before, after)
    }
  }

  /** A trade is sent with the whole books that it leaves. */
  trade(tx: Transaction, match: Match): void {
    const before = this.#sent
    const after = this.#readBooks()
    this.#sent = after
    if (after !== undefined) {
      if (before !== undefined) this.#tellTicks(before, after)
      this.#tellBooks(after)
      if (before !== undefined) this.#tellTops(before, after)
    }
    this.#publish(match.taker.order.token.outcome, () => lastTradeFrame(tx, match))
  }

  /** For followers with the custom features, each once. */
  announce(text: string): void {
    for (const subscriber of this.#followers.keys()) if (subscriber.custom) subscriber.send(text)
  }

  #readBooks(): BookPair | undefined {
    const [first, second] = this.#of.tokens
    const books = [this.#universe.books.book(first), this.#universe.books.book(second)] as const
    return books[0] === undefined || books[1] === undefined ? undefined : [books[0], books[1]]
  }

  #tellBooks(books: BookPair): void {
    for (const outcome of OUTCOMES) this.#publish(outcome, (depth) => bookFrame(cut(books[outcome], depth)))
  }

  #tellTicks(before: BookPair, after: BookPair): void {
    if (before[0].tickE4 === after[0].tickE4) return
    for (const outcome of OUTCOMES) {
      this.#publish(outcome, () => tickSizeFrame(before[outcome], after[outcome]))
    }
  }

  /** One frame speaks of both tokens, so a follower of either gets it once. */
  #tellChanges(before: BookPair, after: BookPair): void {
    const text = textPerDepth((depth) => priceChangeFrame(cutPair(before, depth), cutPair(after, depth)))
    for (const subscriber of this.#followers.keys()) {
      const shared = text(subscriber.depth)
      if (shared !== undefined) subscriber.send(shared)
    }
  }

  #tellTops(before: BookPair, after: BookPair): void {
    if (isSameTop(before[0], after[0])) return
    for (const outcome of OUTCOMES) this.#publish(outcome, () => bestBidAskFrame(after[outcome]), true)
  }

  /** Serialised once per depth, and not at all without a subscriber. */
  #publish(outcome: Outcome, frame: (depth: Depth) => object, customOnly = false): void {
    const text = textPerDepth(frame)
    for (const [subscriber, outcomes] of this.#followers) {
      if (!outcomes.has(outcome) || (customOnly && !subscriber.custom)) continue
      const shared = text(subscriber.depth)
      if (shared !== undefined) subscriber.send(shared)
    }
  }
}

function textPerDepth(frame: (depth: Depth) => object | undefined) {
  const texts = new Map<Depth, string | undefined>()
  return (depth: Depth): string | undefined => {
    if (!texts.has(depth)) {
      const made = frame(depth)
      texts.set(depth, made === undefined ? undefined : JSON.stringify(made))
    }
    return texts.get(depth)
  }
}

const cut = (book: Book, depth: Depth): Book =>
  depth === 'full' ? book : { ...book, bids: book.bids.slice(0, 1), asks: book.asks.slice(0, 1) }

const cutPair = ([first, second]: BookPair, depth: Depth): BookPair => [cut(first, depth), cut(second, depth)]

/** When trading ends every order is cancelled. */
const emptied = ([first, second]: BookPair, atMs: number): BookPair => [
  { ...first, bids: [], asks: [], timestampMs: atMs },
  { ...second, bids: [], asks: [], timestampMs: atMs },
]

const BUFFERED_BYTES_MAX = 4 * 1024 * 1024
/** "Try again later": what the real socket closes a slow reader with. */
const TRY_AGAIN_LATER = 1013

/** How many levels of each side a subscriber sees: the best one, or all. */
type Depth = 'top' | 'full'

/** One client of the market socket and what it asked for. */
export class Subscriber {
  /** What it follows, by id. Unknown ids are not kept: there is no end of them. */
  readonly tokens = new Map<string, Token>()
  custom = false
  depth: Depth = 'full'
  readonly #peer: Peer

  constructor(peer: Peer) {
    this.#peer = peer
  }

  send(text: string): void {
    if (this.#peer.bufferedBytes() > BUFFERED_BYTES_MAX) {
      this.#peer.close(TRY_AGAIN_LATER, 'slow reader')
    } else this.#peer.send(text)
  }
}
