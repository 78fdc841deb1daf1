import type { ClobBook } from '../upstreams/clob/parse.js'
import type { SocketFault } from '../upstreams/transport/socket-options.js'
import { canonicalDecimal, Pn1Checksum } from './pn1.js'

/** Of the resting orders: BUY levels are bids, SELL levels are asks. */
export type BookSide = 'BUY' | 'SELL'

/** Canonical decimals: `0.5`, never `0.50`. */
export type BookLevel = { readonly price: string; readonly size: string }

/**
 * `loading`: nothing is known yet. `live`: it follows the exchange. `stale`: it was right once, and may
 * be wrong now; changes are not applied until the exchange has sent the whole book again.
 */
export type BookState = 'loading' | 'live' | 'stale'

/** What happened to a followed book, in the order in which it happened. */
export type BookChange =
  /**
   * The whole book: it was loaded, replaced by the exchange, or read again. `rightUntilMs`: it was live and turned out
   * to be wrong, because a change was lost after that time.
   */
  | { kind: 'snapshot'; book: LiveBook; rightUntilMs?: number | undefined }
  /** The new size of one level; `0` takes it away. The best prices are those after the whole frame. */
  | {
      kind: 'level'
      tokenId: string
      conditionId: string
      side: BookSide
      price: string
      size: string
      bestBid: string | undefined
      bestAsk: string | undefined
      timestampMs: number
    }
  /** Never changes a level. */
  | {
      kind: 'trade'
      tokenId: string
      conditionId: string
      price: string
      size: string | undefined
      side: BookSide | undefined
      feeRateBps: number | undefined
      timestampMs: number
    }
  /** All but its levels: the step of prices has changed, or the whole book came with the levels that it had. */
  | { kind: 'details'; book: LiveBook }
  /**
   * Whether the book may be trusted has changed. A book that is live again has its snapshot before it. `rightUntilMs`
   * of a stale book: it was right up to that time.
   */
  | {
      kind: 'state'
      tokenId: string
      state: 'live' | 'stale'
      reason: string | undefined
      rightUntilMs?: number | undefined
    }

/** Prices lie between 0 and 1, and the finest steps are ten-thousandths. */
export const LEVELS_MAX = 10_000

type MutableLevel = { price: string; size: string }

/** The order book of one token, kept up to date. Readers must not change it, nor keep its levels. */
export class LiveBook {
  readonly tokenId: string
  state: BookState = 'loading'
  /** The exchange has no book of this token: its market is not open, or it is no token. */
  isAbsent = false
  /** Why it is stale. */
  staleReason: string | undefined
  /** `undefined` until a book came: the exchange may not know the token. */
  conditionId: string | undefined
  /** The exchange's time of the last change; 0 until a book came. */
  timestampMs = 0
  /** The exchange's name of this version of the book. */
  hash: string | undefined
  tickSize: string | undefined
  minOrderSize: string | undefined
  negRisk: boolean | undefined
  lastTradePrice: string | undefined
  #bids: MutableLevel[] = []
  #asks: MutableLevel[] = []
  /** Made when a reader asks for the first time, and kept up to date from then on. */
  #checksum: Pn1Checksum | undefined

  constructor(tokenId: string) {
    this.tokenId = tokenId
  }

  /** The best one first, here and in `asks`. */
  get bids(): readonly BookLevel[] {
    return this.#bids
  }

  get asks(): readonly BookLevel[] {
    return this.#asks
  }

  get bestBid(): string | undefined {
    return this.#bids[0]?.price
  }

  get bestAsk(): string | undefined {
    return this.#asks[0]?.price
  }

  get isCrossed(): boolean {
    return isCrossedBook(this)
  }

  get isTooLarge(): boolean {
    return this.#bids.length > LEVELS_MAX || this.#asks.length > LEVELS_MAX
  }

  /** Of integrity mode `pn1`. */
  get checksum(): string {
    if (this.#checksum === undefined) {
      this.#checksum = new Pn1Checksum()
      for (const { price, size } of this.#bids) this.#checksum.add('BUY', price, size)
      for (const { price, size } of this.#asks) this.#checksum.add('SELL', price, size)
    }
    return this.#checksum.text
  }

  /** Whether any level is another than before. */
  replace(book: ClobBook): boolean {
    this.isAbsent = false
    this.conditionId = book.conditionId
    this.timestampMs = book.timestampMs
    this.hash = book.hash
    this.tickSize = book.tickSize ?? this.tickSize
    this.minOrderSize = book.minOrderSize ?? this.minOrderSize
    this.negRisk = book.negRisk ?? this.negRisk
    this.lastTradePrice = book.lastTradePrice ?? this.lastTradePrice
    const hasChangedBids = this.#replaceSide('BUY', toLevels(book.bids))
    const hasChangedAsks = this.#replaceSide('SELL', toLevels(book.asks))
    return hasChangedBids || hasChangedAsks
  }

  /** The exchange has no book of this token. Returns whether any level is another than before. */
  clear(): boolean {
    this.isAbsent = true
    const hadBids = this.#replaceSide('BUY', [])
    const hadAsks = this.#replaceSide('SELL', [])
    return hadBids || hadAsks
  }

  /** Sets the size of a level; zero takes it away. Both decimals are canonical. */
  setLevel(side: BookSide, price: string, size: string): void {
    const levels = side === 'BUY' ? this.#bids : this.#asks
    const index = findIndex(levels, side, Number(price))
    const known = levels[index]
    if (known?.price === price) {
      this.#checksum?.remove(side, price, known.size)
      if (size === '0') levels.splice(index, 1)
      else known.size = size
    } else if (size !== '0') levels.splice(index, 0, { price, size })
    if (size !== '0') this.#checksum?.add(side, price, size)
  }

  #replaceSide(side: BookSide, after: MutableLevel[]): boolean {
    const before = side === 'BUY' ? this.#bids : this.#asks
    if (isSameLevels(before, after)) return false
    if (this.#checksum !== undefined) exchangeLevels(this.#checksum, side, before, after)
    if (side === 'BUY') this.#bids = after
    else this.#asks = after
    return true
  }
}

/** A book as it is now, the best levels first. Read it before anything else is waited for. */
export type CurrentBook = Pick<
  LiveBook,
  | ('tokenId' | 'conditionId' | 'timestampMs' | 'hash' | 'bids' | 'asks')
  | ('tickSize' | 'minOrderSize' | 'negRisk' | 'lastTradePrice')
>

/** The best level first on both sides, in any form of the decimals; levels of size zero are none. */
export function isCrossedBook({ bids, asks }: Pick<LiveBook, 'bids' | 'asks'>): boolean {
  const bid = bids.find(({ size }) => Number(size) > 0)
  const ask = asks.find(({ size }) => Number(size) > 0)
  return bid !== undefined && ask !== undefined && Number(bid.price) >= Number(ask.price)
}

/** `sorted`: the best one first, in any form of the decimals. */
function toLevels(sorted: readonly BookLevel[]): MutableLevel[] {
  const levels: MutableLevel[] = []
  for (const level of sorted) {
    const price = canonicalDecimal(level.price)
    const size = canonicalDecimal(level.size)
    if (size !== '0' && levels.at(-1)?.price !== price) levels.push({ price, size })
  }
  return levels
}

const isSameLevels = (before: readonly BookLevel[], after: readonly BookLevel[]): boolean =>
  before.length === after.length &&
  before.every(({ price, size }, index) => {
    const other = after[index]
    return other?.price === price && other.size === size
  })

/** The index of the level with this price, or of the one that it would stand before. */
function findIndex(levels: readonly BookLevel[], side: BookSide, price: number): number {
  let from = 0
  let to = levels.length
  while (from < to) {
    const middle = (from + to) >> 1
    const other = Number(levels[middle]?.price)
    if (side === 'BUY' ? other > price : other < price) from = middle + 1
    else to = middle
  }
  return from
}

/** Most levels of a new book are those of the old one: only the others are hashed. */
function exchangeLevels(
  checksum: Pn1Checksum,
  side: BookSide,
  before: readonly BookLevel[],
  after: readonly BookLevel[],
): void {
  const gone = new Map(before.map(({ price, size }) => [price, size]))
  for (const { price, size } of after) {
    if (gone.get(price) === size) gone.delete(price)
    else checksum.add(side, price, size)
  }
  for (const [price, size] of gone) checksum.remove(side, price, size)
}

/** Why a book is stale: what happened to the connection, or what is wrong with the book itself. */
export type StaleReason = SocketFault | 'crossed' | 'disagrees' | 'too_large'

export type BestPrices = { bestBid: string | undefined; bestAsk: string | undefined }

/** How long to wait before a book is requested again: doubled each time, up to a longest wait. */
export type RetryTimings = { retryMs: number; retryMsMax: number }

/** A book, whether it can be right, and when to request it. Times are those of `performance.now`. */
export class KeptBook {
  readonly book: LiveBook
  /** When the exchange last sent all of it, or it was added or requested again. */
  readAt: number
  /** When the exchange last sent the whole book, Unix milliseconds: right up to then, also if a change is lost later. */
  wholeAtMs = 0
  /** How often it was requested since it last came. */
  unanswered = 0
  /** When to request it, if it is not live by then. */
  dueAt: number
  /** Since when it cannot be right. */
  doubtfulSince: number | undefined
  /** The best prices as the exchange last named them. */
  #exchangeBest: BestPrices | undefined
  #requestedAt = 0
  /** How often it was requested without a pause of the longest wait. */
  #requests = 0

  constructor(tokenId: string, now: number) {
    this.book = new LiveBook(tokenId)
    this.readAt = now
    this.dueAt = now
  }

  /** `best`: what the exchange says about the book as it is now; `undefined`: nothing. */
  compareBest(best: BestPrices | undefined, now: number): void {
    this.#exchangeBest = best
    if (this.book.state !== 'live' || this.findDoubt() === undefined) this.doubtfulSince = undefined
    else this.doubtfulSince ??= now
  }

  /** Why the book cannot be right; `undefined`: it can. */
  findDoubt(): StaleReason | undefined {
    const { book } = this
    if (book.isCrossed) return 'crossed'
    if (this.#exchangeBest === undefined) return undefined
    const { bestBid, bestAsk } = this.#exchangeBest
    const agrees = isSameBest(book.bestBid, bestBid) && isSameBest(book.bestAsk, bestAsk)
    return agrees ? undefined : 'disagrees'
  }

  /** At once, unless it was requested shortly before. */
  requestSoon(now: number, timings: RetryTimings): void {
    if (now - this.#requestedAt > timings.retryMsMax) this.#requests = 0
    this.dueAt = this.#requests === 0 ? now : this.#requestedAt + this.#waitMs(timings)
  }

  /** It is requested now; should it not come, it is due again later. */
  noteRequest(now: number, timings: RetryTimings): void {
    this.#requests += 1
    this.unanswered += 1
    this.#requestedAt = now
    this.dueAt = now + this.#waitMs(timings)
  }

  #waitMs({ retryMs, retryMsMax }: RetryTimings): number {
    return Math.min(retryMs * 2 ** (this.#requests - 1), retryMsMax)
  }
}

/** For an empty side the exchange names no price, or an end of the range. */
function isSameBest(ours: string | undefined, theirs: string | undefined): boolean {
  if (theirs === undefined) return true
  const price = Number(theirs)
  return ours === undefined ? price === 0 || price === 1 : Number(ours) === price
}
