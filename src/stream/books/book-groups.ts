import { createHash } from 'node:crypto'
import type { BookSource } from '../../books/live-books.js'
import { FairSlots } from '../../lib/fair-slots.js'
import { type Connection, Refusal } from '../connection.js'
import type { SharedFrame } from '../fast/shared-frame.js'
import { IntegrityBook } from './integrity-book.js'

/** How many books one process keeps for integrity mode. */
export const INTEGRITY_TOKENS_MAX = 5_000

const RETRY_AFTER_MS = 5_000

type Shared = { book: IntegrityBook; readers: number }

type BookGroupsOptions = {
  integrityTokensMax?: number | undefined
  /** The members of a group have lost these books to accounts below their share. */
  onLost: (group: BookGroup, tokenIds: readonly string[]) => void
}

/**
 * Which connections follow which books. A group follows its tokens from its first member to its last, in the name
 * of each account that has members in it.
 */
export class BookGroups {
  readonly #books: BookSource
  readonly #options: BookGroupsOptions
  readonly #groups = new Map<string, BookGroup>()
  readonly #byToken = new Map<string, Set<BookGroup>>()
  readonly #integrity = new Map<string, Shared>()
  readonly #integrityMax: number
  readonly #integritySlots: FairSlots
  /** Books of integrity mode that have lost their slots, and whose groups have no `stale` message yet. */
  readonly #evicted = new Set<string>()
  #incomplete = 0

  constructor(books: BookSource, options: BookGroupsOptions) {
    this.#books = books
    this.#options = options
    this.#integrityMax = options.integrityTokensMax ?? INTEGRITY_TOKENS_MAX
    this.#integritySlots = new FairSlots({
      slotsMax: this.#integrityMax,
      onEvicted: (tokenId) => this.#evicted.add(tokenId),
    })
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
    return this.#move(follower, this.firehose ?? this.#openAll())
  }

  /**
   * Moves a connection to the group of these tokens. Throws a `Refusal`, and changes nothing, when
   * the account has no slots for all of them.
   */
  join(follower: BookFollower, tokenIds: readonly string[], isIntegrity: boolean): BookGroup {
    const key = toKey(tokenIds, isIntegrity)
    const group =
      this.#groups.get(key) ?? this.#open(key, tokenIds, { isIntegrity, accountId: follower.accountId })
    return this.#move(follower, group)
  }

  leave(follower: BookFollower): void {
    const { group, accountId } = follower
    if (group === undefined) return
    follower.group = undefined
    group.members.delete(follower)
    const left = (group.accounts.get(accountId) ?? 0) - 1
    if (left > 0) group.accounts.set(accountId, left)
    else this.#leaveAccount(group, accountId)
    if (group.members.size === 0) this.#close(group)
  }

  /** The service does not follow these books any more: groups go on without them. */
  lose(tokenIds: readonly string[]): void {
    this.#drop(tokenIds, (group, lost) => {
      if (group.isIntegrity) for (const id of group.accounts.keys()) this.#releaseIntegrity(lost, id)
    })
  }

  /** Joined before the old group is left: books that are in both stay followed. */
  #move(follower: BookFollower, group: BookGroup): BookGroup {
    const { accountId } = follower
    if (follower.group === group) return group
    if (!group.accounts.has(accountId)) this.#claim([...(group.tokens ?? [])], { ...group, accountId })
    group.accounts.set(accountId, (group.accounts.get(accountId) ?? 0) + 1)
    group.members.add(follower)
    this.leave(follower)
    follower.group = group
    return group
  }

  #openAll(): BookGroup {
    this.#books.followAll()
    return this.#add({ key: FIREHOSE, isIntegrity: false, tokens: undefined })
  }

  #open(
    key: string,
    tokenIds: readonly string[],
    of: { isIntegrity: boolean; accountId: number },
  ): BookGroup {
    const { isIntegrity, accountId } = of
    this.#claim(tokenIds, of)
    // The texts of the books themselves: lists of many connections do not keep a copy each.
    const tokens = new Set(tokenIds.map((id) => this.#books.get(id)?.tokenId ?? id))
    const group = this.#add({ key, isIntegrity, tokens })
    group.accounts.set(accountId, 0)
    for (const tokenId of tokens) {
      const groups = this.#byToken.get(tokenId)
      if (groups === undefined) this.#byToken.set(tokenId, new Set([group]))
      else groups.add(group)
      if (isIntegrity) this.#share(tokenId)
    }
    return group
  }

  #add(described: Pick<BookGroup, 'key' | 'isIntegrity' | 'tokens'>): BookGroup {
    const group = { ...described, members: new Set<BookFollower>(), accounts: new Map<number, number>() }
    this.#groups.set(group.key, group)
    return group
  }

  /** Claims slots for books in the name of an account. Throws a `Refusal`, and claims none, if they are too many. */
  #claim(tokenIds: readonly string[], of: { isIntegrity: boolean; accountId: number }): void {
    const { isIntegrity, accountId } = of
    if (isIntegrity && !this.#integritySlots.canClaim(tokenIds, accountId)) {
      const requested = this.#integritySlots.size + this.#integritySlots.countMissing(tokenIds)
      const message = 'Integrity mode has no room for this many more books of the account at the moment.'
      throw new Refusal('integrity_capacity', message, { max: this.#integrityMax, requested })
    }
    if (!this.#books.canFollow(tokenIds, accountId)) throw refuseBooks()
    const refused = new Set(this.#books.follow(tokenIds, accountId))
    if (refused.size > 0) {
      this.#books.release(
        tokenIds.filter((tokenId) => !refused.has(tokenId)),
        accountId,
      )
      throw refuseBooks()
    }
    if (isIntegrity) this.#claimIntegrity(tokenIds, accountId)
  }

  #claimIntegrity(tokenIds: readonly string[], accountId: number): void {
    for (const tokenId of tokenIds) this.#integritySlots.claim(tokenId, accountId)
    const evicted = [...this.#evicted]
    this.#evicted.clear()
    if (evicted.length > 0) this.#dropIntegrity(evicted)
  }

  /** The books are followed still, and lost to integrity mode. */
  #dropIntegrity(tokenIds: readonly string[]): void {
    this.#drop(
      tokenIds,
      ({ accounts }, lost) => {
        for (const accountId of accounts.keys()) this.#books.release(lost, accountId)
      },
      ({ isIntegrity }) => isIntegrity,
    )
  }

  #drop(
    tokenIds: readonly string[],
    release: (group: BookGroup, lost: readonly string[]) => void,
    concerns: (group: BookGroup) => boolean = () => true,
  ): void {
    const lost = new Map<BookGroup, string[]>()
    for (const tokenId of tokenIds) {
      for (const group of [...(this.#byToken.get(tokenId) ?? [])].filter(concerns)) {
        const ids = lost.get(group)
        if (ids === undefined) lost.set(group, [tokenId])
        else ids.push(tokenId)
      }
    }
    for (const [group, ids] of lost) {
      release(group, ids)
      this.#forget(group, ids)
      for (const tokenId of ids) group.tokens?.delete(tokenId)
      // The next client that names all of these books gets all of them, in a group of its own.
      this.#groups.delete(group.key)
      group.key = `incomplete ${++this.#incomplete}`
      this.#groups.set(group.key, group)
      this.#options.onLost(group, ids)
    }
  }

  #close(group: BookGroup): void {
    this.#groups.delete(group.key)
    if (group.tokens === undefined) this.#books.releaseAll()
    else this.#forget(group, group.tokens)
  }

  #leaveAccount(group: BookGroup, accountId: number): void {
    group.accounts.delete(accountId)
    const tokenIds = [...(group.tokens ?? [])]
    this.#books.release(tokenIds, accountId)
    if (group.isIntegrity) this.#releaseIntegrity(tokenIds, accountId)
  }

  #releaseIntegrity(tokenIds: readonly string[], accountId: number): void {
    for (const tokenId of tokenIds) {
      if (this.#integritySlots.release(tokenId, accountId)) this.#integritySlots.remove(tokenId)
    }
  }

  /** These tokens are no longer the group's. */
  #forget(group: BookGroup, tokenIds: Iterable<string>): void {
    for (const tokenId of tokenIds) {
      const groups = this.#byToken.get(tokenId)
      groups?.delete(group)
      if (groups?.size === 0) this.#byToken.delete(tokenId)
      if (group.isIntegrity) this.#unshare(tokenId)
    }
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

const refuseBooks = (): Refusal =>
  new Refusal('service_capacity', 'The account has its share of the books that the service can follow.', {
    retry_after_ms: RETRY_AFTER_MS,
  })

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
  key: string
  readonly isIntegrity: boolean
  /** `undefined`: all books. */
  readonly tokens: Set<string> | undefined
  readonly members: Set<BookFollower>
  /** How many of the members each account has. */
  readonly accounts: Map<number, number>
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

  get accountId(): number {
    return this.connection.caller.accountId
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
