import type { AuspexError } from './auspex-error.js'
import { type Book, BookSet } from './book-set.js'
import { type BookLevel, type BookSide, ProvenBook } from './proven-book.js'
import {
  ReliableSocket,
  type SocketMessage,
  type SocketOptions,
  type SocketUser,
  toSocketError,
} from './reliable-socket.js'
import type { StatusDetails, StreamSchemas, StreamStatus } from './stream-types.js'

type Snapshot = StreamSchemas['BookSnapshotMessage']
type Update = StreamSchemas['BatchMessage']['updates'][number]

/** A book that is followed, on whatever connection. */
type FollowedBook = {
  readonly proven: ProvenBook
  /** The last whole book, for what it says of the market. */
  snapshot?: Snapshot
  /** The levels are those of the service. */
  isProven: boolean
  /** Why the service itself does not trust it. */
  distrust?: string | undefined
}

/** The service may take the same message a little later. */
const PASSING = /^(unavailable|work_limit|rate_limited|service_\w+|resync_\w+)$/
const REPAIR_MS = 500
/** The reason of books that left the list because the service needed their slots, and when they are named again. */
const NO_SLOT = 'capacity'
const SLOT_RETRY_MS = 30_000

/**
 * One connection to the orderbook socket in integrity mode, for all sets of books of a client. It is open while there
 * are any. A book whose number or checksum does not fit is stale until the service has sent it again.
 */
export class BookSocket implements SocketUser {
  readonly #options: SocketOptions
  readonly #sets = new Set<BookSet>()
  readonly #books = new Map<string, FollowedBook>()
  #socket: ReliableSocket | undefined
  #isOpen = false
  #isAcknowledged = false
  /** Books that have to be sent again, and whether a `resync` for some of them is unanswered. */
  readonly #broken = new Set<string>()
  #isResyncing = false

  constructor(options: SocketOptions) {
    this.#options = options
  }

  add(tokenIds: readonly string[]): BookSet {
    const set = new BookSet(this, tokenIds)
    this.#sets.add(set)
    for (const tokenId of set.tokenIds) {
      if (!this.#books.has(tokenId)) this.#books.set(tokenId, { proven: new ProvenBook(), isProven: false })
    }
    this.#socket ??= new ReliableSocket(this.#options, this)
    this.#subscribe()
    return set
  }

  remove(set: BookSet): void {
    this.#sets.delete(set)
    const kept = new Set([...this.#sets].flatMap((each) => [...each.tokenIds]))
    const markets = [...set.tokenIds].filter((tokenId) => !kept.has(tokenId))
    for (const tokenId of markets) {
      this.#books.delete(tokenId)
      this.#broken.delete(tokenId)
    }
    if (this.#sets.size === 0) this.#close()
    else if (markets.length > 0 && this.#isOpen) this.#socket?.send({ action: 'unsubscribe', markets })
  }

  close(): void {
    for (const set of this.#sets) set.close()
  }

  /** `undefined`: it is not followed. */
  read(tokenId: string): Book | undefined {
    const book = this.#books.get(tokenId)
    if (book === undefined) return undefined
    const { proven, snapshot } = book
    const { market, outcome, question, slug, event_title } = snapshot ?? {}
    const staleReason = this.#staleReasonOf(tokenId, book)
    return {
      tokenId,
      bids: proven.list('bids'),
      asks: proven.list('asks'),
      isStale: staleReason !== undefined,
      staleReason,
      hash: proven.checksum,
      seq: proven.seq,
      ...(market !== undefined && { market }),
      ...(outcome !== undefined && { outcome }),
      ...(question !== undefined && { question }),
      ...(slug !== undefined && { slug }),
      ...(event_title !== undefined && { event_title }),
    }
  }

  onOpen(): void {
    this.#isOpen = true
    this.#subscribe()
  }

  onMessage(message: SocketMessage): void {
    const error = toSocketError(message)
    const { updates, snapshots, markets, stale, reason } = message as BookMessageFields
    if (error !== undefined) this.#onRefused(error)
    else if (message.type === 'subscribed') this.#onAcknowledged(message)
    else if (message.type === 'book_snapshot') this.#apply(message as unknown as Snapshot)
    else if (message.type === 'stale') this.#distrust(markets, stale ? (reason ?? 'stale') : undefined)
    else if (message.type === 'resyncing') {
      for (const tokenId of markets) this.#broken.add(tokenId)
      this.#notify(markets)
    } else if (message.type === 'snapshots_done') {
      if (reason === 'resync') this.#isResyncing = false
      this.#resync()
    } else for (const update of updates ?? snapshots ?? []) this.#apply(update)
  }

  onLost(error: AuspexError, waitMs: number): void {
    this.#forget()
    this.#notify(this.#books.keys())
    this.#setStatus('reconnecting', { error, retryInMs: waitMs })
  }

  onFailed(error: AuspexError): void {
    this.#forget()
    for (const set of this.#sets) set.fail(error)
  }

  /** A subscribe replaces the list of the connection, and every book of it is sent again. */
  #subscribe(): void {
    if (!this.#isOpen) return
    this.#isAcknowledged = false
    this.#socket?.send({ action: 'subscribe', markets: [...this.#books.keys()] })
  }

  #onAcknowledged(acknowledgement: SocketMessage): void {
    this.#isAcknowledged = true
    for (const book of this.#books.values()) book.distrust = undefined
    const details = { acknowledgement: acknowledgement as StreamSchemas['BooksSubscribedMessage'] }
    this.#setStatus('open', details)
  }

  #onRefused(error: AuspexError): void {
    this.#isResyncing = false
    if (!PASSING.test(error.code ?? '')) {
      // A list that is refused changes nothing: those before it are still followed.
      for (const set of this.#sets) if (!set.isOpen) set.fail(error)
      this.#isAcknowledged = this.#sets.size > 0
      if ([...this.#books.values()].some(({ distrust }) => distrust === NO_SLOT))
        this.#subscribeLater(SLOT_RETRY_MS)
      return
    }
    const waitMs = (error.retryAfterSeconds ?? 0) * 1_000 || REPAIR_MS
    if (!this.#isAcknowledged) this.#setStatus('reconnecting', { error, retryInMs: waitMs })
    // Books that the service does not follow any more have to be named again.
    const isGone = error.code === 'resync_not_subscribed' || error.code === 'resync_resolved_empty'
    if (isGone || !this.#isAcknowledged) this.#subscribeLater(waitMs)
    else void this.#options.sleep(waitMs).then(() => this.#resync())
  }

  #subscribeLater(waitMs: number): void {
    const socket = this.#socket
    void this.#options.sleep(waitMs).then(() => {
      if (this.#socket === socket) this.#subscribe()
    })
  }

  #apply(update: Update): void {
    if (update.type === 'last_trade_price') return
    const tokenId = update.asset_id ?? ''
    const book = this.#books.get(tokenId)
    if (book === undefined || update.integrity === undefined) return
    const isAnchor = update.type === 'book_snapshot'
    // A change of a book that is not here yet, or is to come again.
    if (!isAnchor && (!book.isProven || this.#broken.has(tokenId))) return
    if (isAnchor) {
      book.snapshot = update
      this.#broken.delete(tokenId)
    }
    book.isProven = isAnchor
      ? book.proven.load(update, update.integrity)
      : book.proven.change(listChanges(update), update.integrity)
    if (!book.isProven) {
      this.#broken.add(tokenId)
      this.#resync()
    }
    this.#notify([tokenId])
  }

  /** Asks for the broken books, unless some are on their way. */
  #resync(): void {
    if (this.#broken.size === 0 || this.#isResyncing || !this.#isAcknowledged) return
    this.#isResyncing = true
    this.#socket?.send({ action: 'resync', markets: [...this.#broken] })
  }

  #distrust(tokenIds: readonly string[], reason: string | undefined): void {
    for (const tokenId of tokenIds) {
      const book = this.#books.get(tokenId)
      if (book !== undefined) book.distrust = reason
    }
    if (reason === NO_SLOT) this.#subscribeLater(SLOT_RETRY_MS)
    this.#notify(tokenIds)
  }

  #staleReasonOf(tokenId: string, { isProven, distrust, snapshot }: FollowedBook): string | undefined {
    if (snapshot === undefined) return 'loading'
    if (!this.#isOpen) return 'disconnected'
    if (this.#broken.has(tokenId)) return 'mismatch'
    return isProven ? distrust : 'loading'
  }

  #notify(tokenIds: Iterable<string>): void {
    for (const tokenId of tokenIds) for (const set of this.#sets) set.note(tokenId)
  }

  #setStatus(status: StreamStatus, details: StatusDetails): void {
    for (const set of this.#sets) set.setStatus(status, details)
  }

  #forget(): void {
    this.#isOpen = false
    this.#isAcknowledged = false
    this.#isResyncing = false
    this.#broken.clear()
    for (const book of this.#books.values()) book.isProven = false
  }

  #close(): void {
    this.#socket?.close()
    this.#socket = undefined
    this.#forget()
  }
}

type BookMessageFields = {
  updates?: readonly Update[]
  snapshots?: readonly Snapshot[]
  markets: readonly string[]
  stale?: boolean
  reason?: string
}

type Change = Exclude<Update, { type: 'last_trade_price' | 'book_snapshot' }>

function listChanges(update: Change): (BookLevel & { side: BookSide })[] {
  if (update.type === 'price_change') {
    return update.assets.map(({ side, price, size }) => ({
      side: side === 'BUY' ? 'bids' : 'asks',
      price,
      size,
    }))
  }
  const { bids, asks } = update
  return [
    ...bids.map((level) => ({ ...level, side: 'bids' as const })),
    ...asks.map((level) => ({ ...level, side: 'asks' as const })),
  ]
}
