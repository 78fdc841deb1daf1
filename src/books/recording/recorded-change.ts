import type { BookLevel, BookSide, LiveBook } from '../live-book.js'

/** When a change came. `ordinal` orders the changes that one recorder received in the same millisecond. */
export type Moment = { readonly atMs: number; readonly ordinal: number }

/** What is said of a book beside its levels. */
export type RecordedDetails = Readonly<
  Pick<
    LiveBook,
    'timestampMs' | 'hash' | 'tickSize' | 'minOrderSize' | 'negRisk' | 'lastTradePrice' | 'isAbsent'
  >
>

/** All of a book but the names of its token and its condition. */
export type RecordedBook = RecordedDetails & {
  readonly bids: readonly BookLevel[]
  readonly asks: readonly BookLevel[]
}

/** A `BookChange` of one token that no longer refers to the live book, which goes on changing. */
export type RecordedChange = Moment &
  (
    | {
        readonly kind: 'snapshot'
        /** The recorder took this snapshot on its own schedule: clients of the live books did not receive it. */
        readonly isKeyframe: boolean
        readonly book: RecordedBook
      }
    | {
        readonly kind: 'level'
        readonly side: BookSide
        readonly price: string
        readonly size: string
        readonly timestampMs: number
        /** The exchange has sent it together with the level before it: both name the best prices after both. */
        readonly isContinued: boolean
      }
    | {
        readonly kind: 'trade'
        readonly price: string
        readonly size: string | undefined
        readonly side: BookSide | undefined
        readonly feeRateBps: number | undefined
        readonly timestampMs: number
      }
    | { readonly kind: 'details'; readonly details: RecordedDetails }
    | { readonly kind: 'state'; readonly state: 'live' | 'stale'; readonly reason: string | undefined }
  )

export type RecordedLevel = Extract<RecordedChange, { kind: 'level' }>

export const isBefore = (one: Moment, other: Moment): boolean =>
  one.atMs === other.atMs ? one.ordinal < other.ordinal : one.atMs < other.atMs

/** A copy: the live book goes on changing. */
export const copyBook = (book: LiveBook): RecordedBook => ({
  ...copyDetails(book),
  bids: book.bids.map(({ price, size }) => ({ price, size })),
  asks: book.asks.map(({ price, size }) => ({ price, size })),
})

export const copyDetails = (book: RecordedDetails): RecordedDetails => ({
  timestampMs: book.timestampMs,
  hash: book.hash,
  tickSize: book.tickSize,
  minOrderSize: book.minOrderSize,
  negRisk: book.negRisk,
  lastTradePrice: book.lastTradePrice,
  isAbsent: book.isAbsent,
})

/**
 * What readers of recorded books get, one token's events in the order in which they were received. A `begin` is the
 * whole book at the first moment of the requested range; a `gap` lasts until `untilMs`, and the next event of the
 * token is its whole book.
 */
export type RecordedEvent = Moment & {
  readonly tokenId: string
  /** As the exchange names it; `undefined`: it has not said. */
  readonly conditionId: string | undefined
} & (
    | { readonly kind: 'begin'; readonly book: RecordedBook }
    | { readonly kind: 'gap'; readonly untilMs: number }
    /** The levels of one message of the exchange. */
    | { readonly kind: 'levels'; readonly changes: readonly RecordedLevel[] }
    | { readonly kind: 'change'; readonly change: Exclude<RecordedChange, RecordedLevel> }
  )
