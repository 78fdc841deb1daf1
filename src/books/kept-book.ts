import type { SocketFault } from '../upstreams/transport/socket-options.js'
import { LiveBook } from './live-book.js'

/** Why a book is stale: what happened to the connection, or what is wrong with the book itself. */
export type StaleReason = SocketFault | 'crossed' | 'disagrees' | 'too_large'

export type BestPrices = { bestBid: string | undefined; bestAsk: string | undefined }

/** How long to wait before a book is asked for again: doubled each time, up to a longest wait. */
export type AskTimings = { askAgainMs: number; askAgainMsMax: number }

/** A book, whether it can be right, and when to ask for it. Times are those of `performance.now`. */
export class KeptBook {
  readonly book: LiveBook
  /** When the exchange last sent all of it, or it was added. */
  readAt: number
  /** How often it was asked for since it last came. */
  unanswered = 0
  /** When to ask for it, if it is not live by then. */
  dueAt: number
  /** Since when it cannot be right. */
  doubtfulSince: number | undefined
  /** The best prices as the exchange last named them. */
  #exchangeBest: BestPrices | undefined
  #askedAt = 0
  /** How often it was asked for without a pause of the longest wait. */
  #asked = 0

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

  /** At once, unless it was asked for shortly before. */
  askSoon(now: number, timings: AskTimings): void {
    if (now - this.#askedAt > timings.askAgainMsMax) this.#asked = 0
    this.dueAt = this.#asked === 0 ? now : this.#askedAt + this.#waitMs(timings)
  }

  /** It is being asked for now; should it not come, it is due again later. */
  noteAsked(now: number, timings: AskTimings): void {
    this.#asked += 1
    this.unanswered += 1
    this.#askedAt = now
    this.dueAt = now + this.#waitMs(timings)
  }

  #waitMs({ askAgainMs, askAgainMsMax }: AskTimings): number {
    return Math.min(askAgainMs * 2 ** (this.#asked - 1), askAgainMsMax)
  }
}

/** For an empty side the exchange names no price, or an end of the range. */
function isSameBest(ours: string | undefined, theirs: string | undefined): boolean {
  if (theirs === undefined) return true
  const price = Number(theirs)
  return ours === undefined ? price === 0 || price === 1 : Number(ours) === price
}
