import type { LiveBook } from '../books/live-book.js'
import type { BookListener, BookOwner, BookSource, EvictionListener } from '../books/live-books.js'
import { RECORDED_TOKENS_MAX, readRecordedEvents } from '../books/recording/read-events.js'
import { findRecordedToken } from '../books/recording/read-recorded.js'
import type { RecordedEvent } from '../books/recording/recorded-change.js'
import { ReplayedBook } from '../books/recording/replayed-book.js'
import type { Sql } from '../store/connection.js'

/** Books of live sockets are sent in windows of this length; those of a replay at the same times of every run. */
export const BOOK_WINDOW_MS = 250

/** What happens to the books of a replay: a recorded event, or the end of a window, when what has changed is sent. */
export type BookStep =
  | { kind: 'event'; atMs: number; event: RecordedEvent }
  | { kind: 'window'; atMs: number; event: undefined }

type ReplayedBooksOptions = {
  sql: () => Sql
  /** The time of the replay. */
  now: () => number
  /** Called before books are followed, all of them or some. Throws where the replay cannot have them. */
  onFollow: (which: 'all' | 'named') => void
}

type Followed = { replayed: ReplayedBook; readers: number }

/** The recorded books of one replay, instead of those that the exchange sends. */
export class ReplayedBooks implements BookSource {
  readonly #options: ReplayedBooksOptions
  readonly #followed = new Map<string, Followed>()
  readonly #listeners = new Set<BookListener>()
  /** Books that were read for a subscription, and at which time: the record begins with them once more. */
  readonly #loadedAt = new Map<string, number>()
  readonly allTokens: ReadonlySet<string> = new Set()
  readonly unfollowedCount = 0

  constructor(options: ReplayedBooksOptions) {
    this.#options = options
  }

  get tokenIds(): readonly string[] {
    return [...this.#followed.keys()]
  }

  get(tokenId: string): LiveBook | undefined {
    return this.#followed.get(tokenId)?.replayed.book
  }

  canFollow(tokenIds: readonly string[]): boolean {
    const fresh = tokenIds.filter((tokenId) => !this.#followed.has(tokenId))
    if (fresh.length > 0) this.#options.onFollow('named')
    return this.#followed.size + fresh.length <= RECORDED_TOKENS_MAX
  }

  follow(tokenIds: readonly string[], _owner: BookOwner): readonly string[] {
    const refused: string[] = []
    for (const tokenId of tokenIds) {
      const followed = this.#followed.get(tokenId)
      if (followed !== undefined) followed.readers++
      else if (this.#followed.size < RECORDED_TOKENS_MAX)
        this.#followed.set(tokenId, { replayed: new ReplayedBook(tokenId), readers: 1 })
      else refused.push(tokenId)
    }
    return refused
  }

  release(tokenIds: readonly string[]): void {
    for (const tokenId of tokenIds) {
      const followed = this.#followed.get(tokenId)
      if (followed === undefined) continue
      followed.readers--
      if (followed.readers > 0) continue
      this.#followed.delete(tokenId)
      this.#loadedAt.delete(tokenId)
    }
  }

  /** Of ids that the catalogue does not have: those that were ever recorded. */
  async findListed(tokenIds: readonly string[]): Promise<ReadonlySet<string>> {
    const listed = new Set<string>()
    for (const tokenId of tokenIds.slice(0, RECORDED_TOKENS_MAX)) {
      if ((await findRecordedToken(this.#options.sql(), tokenId)) !== undefined) listed.add(tokenId)
    }
    return listed
  }

  /** Reads these books as they were at the time of the replay. */
  async untilLoaded(tokenIds: readonly string[]): Promise<void> {
    const atMs = this.#options.now()
    const missing = tokenIds.filter((tokenId) => this.get(tokenId)?.state === 'loading')
    if (missing.length === 0) return
    const query = { tokenIds: missing, fromMs: atMs, toMs: atMs + 1, isDoubtIncluded: true }
    for await (const events of readRecordedEvents(this.#options.sql(), query)) {
      for (const event of events) if (isStart(event)) this.#followed.get(event.tokenId)?.replayed.apply(event)
    }
    for (const tokenId of missing) this.#loadedAt.set(tokenId, atMs)
  }

  /** What is recorded of the followed books, with the ends of the windows in which something happens, in pages. */
  async *read(fromMs: number, toMs: number): AsyncGenerator<readonly BookStep[]> {
    const { tokenIds } = this
    if (tokenIds.length === 0) return
    let windowMs: number | undefined
    const query = { tokenIds, fromMs, toMs, isDoubtIncluded: true }
    for await (const events of readRecordedEvents(this.#options.sql(), query)) {
      const steps: BookStep[] = []
      for (const event of events) {
        const { atMs } = event
        if (windowMs !== undefined && atMs >= windowMs) {
          steps.push({ kind: 'window', atMs: windowMs, event: undefined })
          windowMs = undefined
        }
        windowMs ??= (Math.floor(atMs / BOOK_WINDOW_MS) + 1) * BOOK_WINDOW_MS
        steps.push({ kind: 'event', atMs, event })
      }
      yield steps
    }
    if (windowMs !== undefined) yield [{ kind: 'window', atMs: Math.min(windowMs, toMs), event: undefined }]
  }

  /** Tells the listeners what live books published at that time. */
  play(event: RecordedEvent): void {
    const followed = this.#followed.get(event.tokenId)
    if (followed === undefined || this.#isLoaded(event)) return
    const changes = followed.replayed.apply(event)
    if (changes.length > 0) for (const listener of this.#listeners) listener(changes)
  }

  subscribe(listener: BookListener, _onEvicted?: EvictionListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  followAll(): void {
    this.#options.onFollow('all')
  }

  releaseAll(): void {}

  /** The record begins with the book that the client has already. */
  #isLoaded(event: RecordedEvent): boolean {
    const loadedAt = this.#loadedAt.get(event.tokenId)
    this.#loadedAt.delete(event.tokenId)
    return loadedAt === event.atMs && isStart(event)
  }
}

const isStart = ({ kind }: RecordedEvent): boolean => kind === 'begin' || kind === 'gap'
