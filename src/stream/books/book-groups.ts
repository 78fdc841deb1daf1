import { createHash } from 'node:crypto'
import type { LiveBooks } from '../../books/live-books.js'
import { type Connection, Refusal } from '../connection.js'
import type { SharedFrame } from '../fast/shared-frame.js'
import { IntegrityBook } from './integrity-book.js'

/** How many books one process keeps for integrity mode. */
export const INTEGRITY_TOKENS_MAX = 5_000

const RETRY_AFTER_MS = 5_000

type Shared = { book: IntegrityBook; readers: number }

/** Which connections follow which books. A group follows its tokens from its first member to its last. */
export class BookGroups {
  readonly #books: LiveBooks
  readonly #groups = new Map<string, BookGroup>()
  readonly #byToken = new Map<string, Set<BookGroup>>()
  readonly #integrity = new Map<string, Shared>()
  readonly #integrityMax: number

  constructor(books: LiveBooks, integrityMax = INTEGRITY_TOKENS_MAX) {
    this.#books = books
    this.#integrityMax = integrityMax
  }

  get isEmpty(): boolean {
    return this.#groups.size === 0
  }

  /** All connections. */
  get followers(): BookFollower[] {
    return [...this.#groups.values()].flatMap(({ members }) => [...members])
  }

  /** The group of all books; `undefined`: no connection follows all. */
  get firehose(): BookGroup | undefined {
    return this.#groups.get(FIREHOSE)
  }

  /** Those that name the token, besides the firehose. */
  ofToken(tokenId: string): ReadonlySet<BookGroup> | undefined {
    return this.#byToken.get(tokenId)
  }

  integrityBook(tokenId: string): IntegrityBook | undefined {
    return this.#integrity.get(tokenId)?.book
  }

  joinAll(follower: BookFollower): BookGroup {
    const group = this.firehose ?? this.#open(FIREHOSE, false, undefined)
    return this.#move(follower, group)
  }

  /**
   * Moves a connection to the group of these tokens. Throws a `Refusal`, and changes nothing, when
   * the process cannot follow all of them.
   */
  join(follower: BookFollower, tokenIds: readonly string[], isIntegrity: boolean): BookGroup {
    const key = toKey(tokenIds, isIntegrity)
    return this.#move(follower, this.#groups.get(key) ?? this.#open(key, isIntegrity, tokenIds))
  }

  leave(follower: BookFollower): void {
    const { group } = follower
    if (group === undefined) return
    follower.group = undefined
    group.members.delete(follower)
    if (group.members.size === 0) this.#close(group)
  }

  /** Joined before the old group is left: books that are in both stay followed. */
  #move(follower: BookFollower, group: BookGroup): BookGroup {
    group.members.add(follower)
    if (follower.group !== group) this.leave(follower)
    follower.group = group
    return group
  }

  #open(key: string, isIntegrity: boolean, tokenIds: readonly string[] | undefined): BookGroup {
    if (isIntegrity && tokenIds !== undefined) this.#checkCapacity(tokenIds)
    const tokens = tokenIds === undefined ? this.#followAll() : this.#follow(tokenIds)
    const group = { key, isIntegrity, tokens, members: new Set<BookFollower>() }
    this.#groups.set(key, group)
    for (const tokenId of tokens ?? []) {
      const groups = this.#byToken.get(tokenId)
      if (groups === undefined) this.#byToken.set(tokenId, new Set([group]))
      else groups.add(group)
      if (isIntegrity) this.#share(tokenId)
    }
    return group
  }

  #close(group: BookGroup): void {
    this.#groups.delete(group.key)
    if (group.tokens === undefined) this.#books.releaseAll()
    else this.#books.release([...group.tokens])
    for (const tokenId of group.tokens ?? []) {
      const groups = this.#byToken.get(tokenId)
      groups?.delete(group)
      if (groups?.size === 0) this.#byToken.delete(tokenId)
      if (group.isIntegrity) this.#unshare(tokenId)
    }
  }

  #followAll(): undefined {
    this.#books.followAll()
  }

  #follow(tokenIds: readonly string[]): Set<string> {
    const refused = new Set(this.#books.follow(tokenIds))
    // The texts of the books themselves: lists of many connections do not keep a copy each.
    if (refused.size === 0) return new Set(tokenIds.map((id) => this.#books.get(id)?.tokenId ?? id))
    this.#books.release(tokenIds.filter((tokenId) => !refused.has(tokenId)))
    const message = 'The service follows as many books as it can at the moment.'
    throw new Refusal('service_capacity', message, { retry_after_ms: RETRY_AFTER_MS })
  }

  #checkCapacity(tokenIds: readonly string[]): void {
    const fresh = tokenIds.filter((tokenId) => !this.#integrity.has(tokenId)).length
    const requested = this.#integrity.size + fresh
    if (requested <= this.#integrityMax) return
    const message = 'Integrity mode has no room for so many more books at the moment.'
    throw new Refusal('integrity_capacity', message, { max: this.#integrityMax, requested })
  }

  #share(tokenId: string): void {
    const shared = this.#integrity.get(tokenId)
    if (shared !== undefined) shared.readers += 1
    else {
      const book = new IntegrityBook(this.#books.get(tokenId) ?? { bids: [], asks: [] })
      this.#integrity.set(tokenId, { book, readers: 1 })
    }
  }

  #unshare(tokenId: string): void {
    const shared = this.#integrity.get(tokenId)
    if (shared === undefined) return
    shared.readers -= 1
    if (shared.readers === 0) this.#integrity.delete(tokenId)
  }
}

const FIREHOSE = '*'

/** The same for the same tokens in any order. A digest, because a client chooses them. */
function toKey(tokenIds: readonly string[], isIntegrity: boolean): string {
  const digest = createHash('sha256').update(tokenIds.toSorted().join()).digest('base64')
  return `${isIntegrity ? 'integrity' : 'plain'} ${digest}`
}

/** A client of integrity mode that reads nothing for this many windows is closed: 15 seconds. */
const UNREAD_WINDOWS_MAX = 60

const TOO_SLOW = ['integrity_backpressure', 'The client reads too slowly. Connect again.'] as const

/** A frame that the account pays for, or the text of a control message. */
export type BookMessage = SharedFrame | string

/** The connections that follow exactly the same books in the same mode: they receive the same frames. */
export type BookGroup = {
  readonly key: string
  readonly isIntegrity: boolean
  /** `undefined`: all books. */
  readonly tokens: ReadonlySet<string> | undefined
  readonly members: Set<BookFollower>
}

/** One connection that follows books. */
export class BookFollower {
  readonly connection: Connection
  /** Books that are acknowledged and not sent yet: their changes are held back. */
  readonly waiting = new Set<string>()
  /** What it follows; `undefined`: nothing. */
  group: BookGroup | undefined
  /** Ends the connection with this error. */
  readonly fail: (error: Refusal) => void
  #unread = 0

  constructor(connection: Connection, fail: (error: Refusal) => void) {
    this.connection = connection
    this.fail = fail
  }

  /** The messages of one window. */
  deliver(messages: readonly BookMessage[]): void {
    if (messages.length === 0) return
    for (const message of messages) {
      if (typeof message === 'string') this.connection.send(message)
      else this.connection.push(message)
    }
    if (this.group?.isIntegrity === true) this.#countUnread()
  }

  #countUnread(): void {
    const isFirst = this.#unread === 0
    this.#unread += 1
    if (isFirst) void this.connection.drained().then(() => (this.#unread = 0))
    else if (this.#unread > UNREAD_WINDOWS_MAX) this.fail(new Refusal(...TOO_SLOW))
  }
}
