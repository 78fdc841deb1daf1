import { type BookChange, LiveBook } from '../live-book.js'
import {
  copyDetails,
  type RecordedBook,
  type RecordedChange,
  type RecordedEvent,
  type RecordedLevel,
} from './recorded-change.js'

/** Why a book of a gap is stale. */
export const NOT_RECORDED = 'not_recorded'

/** A live book of the past: it goes through the states of the one that was recorded. */
export class ReplayedBook {
  readonly book: LiveBook
  /** What the readers of its changes know of it. */
  #known: 'live' | 'stale' | undefined

  constructor(tokenId: string) {
    this.book = new LiveBook(tokenId)
  }

  /** Returns what the live books published at that time. */
  apply(event: RecordedEvent): BookChange[] {
    if (event.conditionId !== undefined) this.book.conditionId = event.conditionId
    switch (event.kind) {
      case 'begin':
        return this.#replace(event.book)
      case 'gap':
        return this.#setState('stale', NOT_RECORDED)
      case 'levels':
        return this.#setLevels(event.changes)
      case 'change':
        return this.#change(event.change)
    }
  }

  #change(change: Exclude<RecordedChange, RecordedLevel>): BookChange[] {
    const { book } = this
    const { tokenId, conditionId = '' } = book
    switch (change.kind) {
      case 'snapshot':
        // After a gap readers have the book of before it: the keyframe is the first that they can go on from.
        if (!change.isKeyframe || this.#known === undefined || book.staleReason === NOT_RECORDED)
          return this.#replace(change.book)
        replaceBook(book, change.book)
        return []
      case 'trade': {
        const { price, size, side, feeRateBps, timestampMs } = change
        book.lastTradePrice = price
        return [{ kind: 'trade', tokenId, conditionId, price, size, side, feeRateBps, timestampMs }]
      }
      case 'details':
        Object.assign(book, copyDetails(change.details))
        return [{ kind: 'details', book }]
      case 'state':
        return this.#setState(change.state, change.reason)
    }
  }

  #replace(recorded: RecordedBook): BookChange[] {
    const isOfGap = this.book.staleReason === NOT_RECORDED
    replaceBook(this.book, recorded)
    this.#known ??= 'live'
    // The live books of a recorder that has restarted were never stale: the replay has to publish that the book is live.
    return [{ kind: 'snapshot', book: this.book }, ...(isOfGap ? this.#setState('live', undefined) : [])]
  }

  #setLevels(levels: readonly RecordedLevel[]): BookChange[] {
    const { book } = this
    for (const { side, price, size, timestampMs } of levels) {
      book.setLevel(side, price, size)
      book.timestampMs = timestampMs
    }
    // Which hash the exchange gave to each version is not recorded: it is longer than all else of a change.
    book.hash = undefined
    const { tokenId, conditionId = '', bestBid, bestAsk } = book
    return levels.map(({ side, price, size, timestampMs }) => {
      return { kind: 'level', tokenId, conditionId, side, price, size, bestBid, bestAsk, timestampMs }
    })
  }

  #setState(state: 'live' | 'stale', reason: string | undefined): BookChange[] {
    const { book } = this
    book.state = state
    book.staleReason = reason
    if (this.#known === state) return []
    this.#known = state
    return [{ kind: 'state', tokenId: book.tokenId, state, reason }]
  }
}

function replaceBook(book: LiveBook, recorded: RecordedBook): void {
  const { tokenId, conditionId = '' } = book
  book.replace({ ...recorded, tokenId, conditionId, bids: [...recorded.bids], asks: [...recorded.asks] })
  book.isAbsent = recorded.isAbsent
  book.state = 'live'
  book.staleReason = undefined
}
