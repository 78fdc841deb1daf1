import { AsyncQueue } from './async-queue.js'
import type { AuspexError } from './auspex-error.js'
import { LiveStream } from './live-stream.js'
import type { BookLevel } from './proven-book.js'
import type { StreamSchemas } from './stream-types.js'

/** An order book as it is now. */
export type Book = {
  tokenId: string
  /** The best price first. */
  bids: readonly BookLevel[]
  asks: readonly BookLevel[]
  /** Do not trust it: it is not proven now, or the service lost the exchange. It comes again by itself. */
  isStale: boolean
  /** `loading`, `disconnected`, `mismatch`, or what the service says, such as `silent`. */
  staleReason: string | undefined
  /** The checksum of integrity mode, and the number of the last change. */
  hash: string
  seq: number
} & Partial<
  Pick<StreamSchemas['BookSnapshotMessage'], 'market' | 'outcome' | 'question' | 'slug' | 'event_title'>
>

/** What a set of books needs of the socket that keeps them. */
export type BookHost = {
  read(tokenId: string): Book | undefined
  remove(set: BookSet): void
}

/**
 * Some books, for one reader. A reader gets each book that changed since it was read last, as it is then: one that is
 * slow misses changes in between, and no more than one of each book waits for it.
 */
export class BookSet extends LiveStream<Book> {
  readonly tokenIds: ReadonlySet<string>
  readonly #host: BookHost
  readonly #changed = new AsyncQueue<string>()

  constructor(host: BookHost, tokenIds: readonly string[]) {
    super()
    this.#host = host
    this.tokenIds = new Set(tokenIds)
  }

  /** The book as it is now; `undefined`: it is not in this set, or the set is closed. */
  get(tokenId: string): Book | undefined {
    return this.tokenIds.has(tokenId) ? this.#host.read(tokenId) : undefined
  }

  async next(): Promise<IteratorResult<Book, undefined>> {
    for (;;) {
      const { done, value: tokenId } = await this.#changed.next()
      if (done) return { done, value: undefined }
      const value = this.get(tokenId)
      if (value !== undefined) return { done: false, value }
    }
  }

  close(): void {
    this.#changed.clear()
    this.#finish()
  }

  note(tokenId: string): void {
    if (this.tokenIds.has(tokenId)) this.#changed.push(tokenId)
  }

  fail(error: AuspexError): void {
    this.#finish({ error })
  }

  #finish(failure?: { error: unknown }): void {
    this.#host.remove(this)
    this.#changed.end(failure)
  }
}
