import type { Clock } from '../core/clock.js'
import type { ClobSocket, ClobSocketOptions } from '../upstreams/clob/socket.js'
import type { ClobEvent } from '../upstreams/clob/socket-parse.js'
import type { SocketFault } from '../upstreams/transport/socket-options.js'
import {
  type BestPrices,
  type BookChange,
  type BookSide,
  isCrossedBook,
  KeptBook,
  LEVELS_MAX,
  type LiveBook,
  type StaleReason,
} from './live-book.js'
import { canonicalDecimal } from './pn1.js'

/** One question to the exchange about absent books names no more. */
const ABSENT_MAX = 500
/** A live book that was requested more often and did not come is stale. */
const UNANSWERED_MAX = 2
/** Of books that are read again for safety, this many are requested at a time. */
const REFRESHED_MAX = 20

export type BookTimings = typeof BOOK_TIMINGS

export const BOOK_TIMINGS = {
  /** A requested book comes within this time; otherwise the exchange is asked over HTTP whether it has one. */
  loadMs: 1_500,
  /** The exchange changes several levels one after the other: a book may be impossible for a moment. */
  doubtMs: 500,
  retryMs: 2_000,
  retryMsMax: 60_000,
  /** A book that was not sent whole for this long is read again: a change may have been lost without a trace. */
  refreshMs: 10 * 60_000,
  /** On a socket without events for this long a book is requested, to tell quiet markets from a dead stream. */
  probeMs: 10_000,
}

export type BookSocketOptions = {
  connect: (
    listener: Pick<ClobSocketOptions, 'onEvents' | 'onOpen' | 'onInterrupted' | 'expectsData'>,
  ) => ClobSocket
  /** The tokens out of these of which the exchange has no book. */
  findAbsent: (tokenIds: readonly string[], signal: AbortSignal) => Promise<readonly string[]>
  /** Called with the changes of one frame, right after they were applied. */
  onChanges: (changes: readonly BookChange[]) => void
  onNewMarket: (tokenIds: readonly string[]) => void
  clock: Clock
  timings: BookTimings
}

type EventOf<Type extends ClobEvent['type']> = Extract<ClobEvent, { type: Type }>

/**
 * One connection to the exchange and the books that it keeps up to date.
 *
 *   loading -> live    the book came, or the exchange has none
 *   live    -> stale   the connection ended, a frame could not be read, or the book cannot be right
 *   stale   -> live    the book came again, or the exchange has none any more; one that was crossed
 *                      stays stale while it comes crossed
 *
 * Changes count only while a book is live: what comes before the whole book builds on another one. A
 * book that is not live is requested until it comes, on the same socket: there it is in order with
 * the changes, which an answer of the REST interface is not.
 */
export class BookSocket {
  readonly #options: BookSocketOptions
  readonly #socket: ClobSocket
  readonly #closing = new AbortController()
  /** Those that were sent whole the longest ago come first. */
  readonly #books = new Map<string, KeptBook>()
  /** Those that should come: all that are not live, and those that are read again. */
  readonly #awaited = new Set<KeptBook>()
  /** Those that cannot be right at this moment. */
  readonly #doubtful = new Set<KeptBook>()
  #lastMessageAt = performance.now()
  /** When the exchange last sent anything, Unix milliseconds. */
  #lastMessageAtMs: number
  #isFindingAbsent = false

  constructor(options: BookSocketOptions) {
    this.#options = options
    this.#lastMessageAtMs = options.clock.now()
    this.#socket = options.connect({
      onEvents: (events) => this.#onEvents(events),
      onOpen: () => this.#onOpen(),
      onInterrupted: (reason) => this.#onInterrupted(reason),
      expectsData: () => this.#oldestPresent() !== undefined,
    })
    this.#socket.start(this.#closing.signal)
  }

  get size(): number {
    return this.#books.size
  }

  /** Books that are not live. */
  countStale(): number {
    return [...this.#awaited].filter(({ book }) => book.state !== 'live').length
  }

  get isOpen(): boolean {
    return this.#socket.status.state === 'open'
  }

  add(tokenIds: readonly string[]): LiveBook[] {
    const now = performance.now()
    const added = tokenIds.map((tokenId) => {
      const kept = new KeptBook(tokenId, now)
      kept.dueAt = now + this.#options.timings.loadMs
      this.#books.set(tokenId, kept)
      this.#awaited.add(kept)
      return kept.book
    })
    this.#socket.subscribe(tokenIds)
    return added
  }

  remove(tokenIds: readonly string[]): void {
    this.#socket.unsubscribe(tokenIds)
    for (const tokenId of tokenIds) {
      const kept = this.#books.get(tokenId)
      if (kept === undefined) continue
      this.#books.delete(tokenId)
      this.#awaited.delete(kept)
      this.#doubtful.delete(kept)
    }
  }

  close(): void {
    this.#closing.abort()
  }

  /** To be called a few times a second: finds wrong books, and asks again for those that did not come. */
  check(): void {
    const now = performance.now()
    this.#giveUpDoubtful(now)
    if (!this.isOpen) return
    this.#refresh(now)
    this.#ask(now)
    this.#probe(now)
  }

  #onOpen(): void {
    const now = performance.now()
    this.#lastMessageAt = now
    for (const kept of this.#awaited) kept.dueAt = now + this.#options.timings.loadMs
  }

  #onInterrupted(reason: SocketFault): void {
    const changes: BookChange[] = []
    for (const kept of this.#books.values()) this.#giveUp(kept, reason, changes, this.#lastMessageAtMs)
    this.#publish(changes)
  }

  #onEvents(events: readonly ClobEvent[]): void {
    this.#lastMessageAt = performance.now()
    this.#lastMessageAtMs = this.#options.clock.now()
    const changes: BookChange[] = []
    for (const event of events) this.#apply(event, changes)
    this.#publish(changes)
  }

  #apply(event: ClobEvent, changes: BookChange[]): void {
    if (event.type === 'price_change') {
      this.#changeLevels(event, changes)
      return
    }
    if (event.type === 'new_market') {
      this.#options.onNewMarket(event.tokenIds)
      return
    }
    if (event.type === 'market_resolved') return
    const kept = this.#books.get(event.tokenId)
    if (kept === undefined) return
    switch (event.type) {
      case 'book':
        this.#replaceBook(kept, event, changes)
        break
      case 'last_trade_price':
        kept.book.lastTradePrice = event.price
        changes.push(toTrade(event))
        break
      case 'best_bid_ask':
        this.#compareBest(kept, event)
        break
      case 'tick_size_change':
        kept.book.tickSize = event.newTickSize
        changes.push({ kind: 'details', book: kept.book })
    }
  }

  #replaceBook(kept: KeptBook, event: EventOf<'book'>, changes: BookChange[]): void {
    if (event.bids.length > LEVELS_MAX || event.asks.length > LEVELS_MAX) {
      this.#giveUp(kept, 'too_large', changes, this.#lastMessageAtMs)
      return
    }
    // Clients would learn that the book is right, and a moment later that it is not.
    if (kept.book.staleReason === 'crossed' && isCrossedBook(event)) return
    const { hash, timestampMs, tickSize, lastTradePrice } = kept.book
    const isPublished = this.#settle(kept, kept.book.replace(event), changes)
    const hasSameDetails =
      hash === kept.book.hash &&
      timestampMs === kept.book.timestampMs &&
      tickSize === kept.book.tickSize &&
      lastTradePrice === kept.book.lastTradePrice
    if (!hasSameDetails && !isPublished) changes.push({ kind: 'details', book: kept.book })
    this.#compareBest(kept, undefined)
  }

  #changeLevels(event: EventOf<'price_change'>, changes: BookChange[]): void {
    const { conditionId, timestampMs } = event
    const levels: { book: LiveBook; side: BookSide; price: string; size: string }[] = []
    const best = new Map<KeptBook, BestPrices>()
    for (const change of event.changes) {
      // Changes of the market's other token come too, which may be on another socket.
      const kept = this.#books.get(change.tokenId)
      if (kept?.book.state !== 'live') continue
      const { book } = kept
      const price = canonicalDecimal(change.price)
      const size = canonicalDecimal(change.size)
      book.setLevel(change.side, price, size)
      book.hash = change.hash
      book.timestampMs = timestampMs
      best.set(kept, change)
      levels.push({ book, side: change.side, price, size })
    }
    for (const { book, side, price, size } of levels) {
      const { tokenId, bestBid, bestAsk } = book
      const level = { tokenId, conditionId, side, price, size, bestBid, bestAsk, timestampMs }
      changes.push({ kind: 'level', ...level })
    }
    for (const [kept, named] of best) {
      if (kept.book.isTooLarge) this.#giveUp(kept, 'too_large', changes, this.#lastMessageAtMs)
      else this.#compareBest(kept, named)
    }
  }

  #compareBest(kept: KeptBook, named: BestPrices | undefined): void {
    kept.compareBest(named, performance.now())
    if (kept.doubtfulSince === undefined) this.#doubtful.delete(kept)
    else this.#doubtful.add(kept)
  }

  #giveUpDoubtful(now: number): void {
    const changes: BookChange[] = []
    for (const kept of this.#doubtful) {
      const { doubtfulSince = now } = kept
      if (now - doubtfulSince < this.#options.timings.doubtMs) continue
      this.#giveUp(kept, kept.findDoubt() ?? 'disagrees', changes)
    }
    this.#publish(changes)
  }

  /**
   * Its changes are not applied any more, and it is requested again. Without a time until which it was right a change
   * of it may have been lost at any time since it came whole.
   */
  #giveUp(
    kept: KeptBook,
    reason: StaleReason,
    changes: BookChange[],
    rightUntilMs: number = kept.wholeAtMs,
  ): void {
    const { book } = kept
    this.#doubtful.delete(kept)
    kept.doubtfulSince = undefined
    this.#await(kept, performance.now())
    if (book.state !== 'live') return
    book.state = 'stale'
    book.staleReason = reason
    changes.push({ kind: 'state', tokenId: book.tokenId, state: 'stale', reason, rightUntilMs })
  }

  /** Returns whether the whole book is published: not when it was live with these levels before. */
  #settle(kept: KeptBook, hasChanged: boolean, changes: BookChange[]): boolean {
    const { book } = kept
    const before = book.state
    // A book that was requested for safety and is another one shows that a change was lost.
    const rightUntilMs = before === 'live' && this.#awaited.has(kept) ? kept.wholeAtMs : undefined
    book.state = 'live'
    book.staleReason = undefined
    this.#awaited.delete(kept)
    kept.wholeAtMs = this.#options.clock.now()
    kept.unanswered = 0
    this.#noteRead(kept, performance.now())
    const isPublished = hasChanged || before !== 'live'
    if (isPublished) changes.push({ kind: 'snapshot', book, rightUntilMs })
    if (before === 'stale') {
      changes.push({ kind: 'state', tokenId: book.tokenId, state: 'live', reason: undefined })
    }
    return isPublished
  }

  #await(kept: KeptBook, now: number): void {
    if (this.#awaited.has(kept)) return
    this.#awaited.add(kept)
    kept.requestSoon(now, this.#options.timings)
  }

  #noteRead(kept: KeptBook, now: number): void {
    kept.readAt = now
    this.#books.delete(kept.book.tokenId)
    this.#books.set(kept.book.tokenId, kept)
  }

  #refresh(now: number): void {
    let left = REFRESHED_MAX
    for (const kept of this.#books.values()) {
      if (left === 0 || now - kept.readAt < this.#options.timings.refreshMs) break
      left -= 1
      this.#noteRead(kept, now)
      if (!kept.book.isAbsent) this.#await(kept, now)
    }
  }

  #probe(now: number): void {
    if (now - this.#lastMessageAt < this.#options.timings.probeMs) return
    const kept = this.#oldestPresent()
    if (kept === undefined) return
    this.#lastMessageAt = now
    this.#socket.resubscribe([kept.book.tokenId])
    if (this.#awaited.has(kept)) return
    this.#awaited.add(kept)
    kept.dueAt = now + this.#options.timings.retryMs
  }

  /** The one that was sent whole the longest ago. Of absent books the exchange never sends any. */
  #oldestPresent(): KeptBook | undefined {
    for (const kept of this.#books.values()) if (!kept.book.isAbsent) return kept
    return undefined
  }

  #ask(now: number): void {
    const due = [...this.#awaited].filter(({ dueAt }) => dueAt <= now)
    if (due.length === 0) return
    const changes: BookChange[] = []
    for (const kept of due) {
      kept.noteRequest(now, this.#options.timings)
      if (kept.unanswered > UNANSWERED_MAX) this.#giveUp(kept, 'silent', changes)
    }
    this.#publish(changes)
    this.#socket.resubscribe(due.map(({ book }) => book.tokenId))
    const unsure = due.filter(
      ({ book, unanswered }) => book.state !== 'live' || unanswered === UNANSWERED_MAX,
    )
    if (unsure.length > 0 && !this.#isFindingAbsent) void this.#emptyAbsent(unsure.slice(0, ABSENT_MAX))
  }

  /** Of a market that is not open the socket says nothing at all: its books are empty, and that is right. */
  async #emptyAbsent(requested: readonly KeptBook[]): Promise<void> {
    this.#isFindingAbsent = true
    try {
      const tokenIds = requested.map(({ book }) => book.tokenId)
      const absent = new Set(await this.#options.findAbsent(tokenIds, this.#closing.signal))
      const changes: BookChange[] = []
      for (const kept of requested) {
        if (!absent.has(kept.book.tokenId) || !this.#awaited.has(kept) || !this.isOpen) continue
        this.#settle(kept, kept.book.clear(), changes)
      }
      this.#publish(changes)
    } catch {
      // The exchange does not answer: the same books are due again later.
    } finally {
      this.#isFindingAbsent = false
    }
  }

  #publish(changes: readonly BookChange[]): void {
    if (changes.length > 0) this.#options.onChanges(changes)
  }
}

const toTrade = (event: EventOf<'last_trade_price'>): BookChange => {
  const { tokenId, conditionId, price, size, side, feeRateBps, timestampMs } = event
  return { kind: 'trade', tokenId, conditionId, price, size, side, feeRateBps, timestampMs }
}
