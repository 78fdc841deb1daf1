import assert from 'node:assert/strict'
import type { BookChange, LiveBook } from '../../books/live-book.js'
import { FairSemaphore } from '../../lib/fair-semaphore.js'
import { Refusal } from '../connection.js'
import type { StreamDeps } from '../deps.js'
import { SharedFrame } from '../fast/shared-frame.js'
import { type BookFollower, type BookGroup, BookGroups } from './book-groups.js'
import { BookTexts } from './book-texts.js'
import { countCharacters, GroupOutput, presentStale, TokenChanges } from './book-window.js'
import type { IntegrityBook } from './integrity-book.js'

const WINDOW_MS = 250
/** When a window has more, the rest of its books waits for the next: a client does not get everything at once. */
const WINDOW_CHARACTERS_MAX = 2 * 1024 * 1024

/** A book that the exchange has not sent by then is sent empty, and as `stale`. */
const LOAD_MS = 5_000

/** Clients of all books learn within this many windows that a market is not among the open ones any more. */
const DROPPED_WINDOWS = 40
const DROPPED = 'not_followed'
/** Why clients have lost a book: an account below its share needed the slot. */
const LOST = 'capacity'

const RESET = ['integrity_internal_reset', 'The service lost its place in a book. Connect again.'] as const

/**
 * How a window's changes of a book are sent: as they are, as the whole book to clients of all books that
 * did not have it before, or with the proofs of integrity mode.
 */
type Form = 'changes' | 'book' | 'proven'
type Composed = { texts: string[]; anchor?: SharedFrame | undefined }

type FeedOptions = {
  windowMs?: number
  loadMs?: number
  windowCharactersMax?: number
  integrityTokensMax?: number
}

type FeedDeps = Pick<StreamDeps, 'books' | 'catalogue' | 'clock' | 'log'>

/**
 * Carries the changes of books to the connections that follow them, in windows of a quarter of a
 * second. One for the process: the text of a token's changes is made once for a window, and a frame
 * once for all connections with the same books.
 *
 * A snapshot that a connection gets in the middle of a window has changes in it that the window will
 * send: sizes are absolute, so they do no harm. Integrity mode is exact instead: its anchors are the
 * books of the last window (`IntegrityBook`), and the next window's changes build on them.
 */
export class BookFeed {
  readonly groups: BookGroups
  /** Who sends long sets of books at this moment. */
  readonly sendings = new FairSemaphore()
  /** How long a new follower waits for books that are not loaded yet. */
  readonly loadMs: number
  readonly #deps: FeedDeps
  readonly #texts: BookTexts
  readonly #windowMs: number
  readonly #charactersMax: number
  readonly #changes = new Map<string, TokenChanges>()
  /** Texts of whole books that several connections ask for within a window. */
  readonly #snapshots = new Map<string, string>()
  readonly #anchors = new Map<IntegrityBook, SharedFrame>()
  /** Books that every client of all books has, or is being sent. */
  readonly #listed = new Set<string>()
  /** Books that are listed no more, which these clients have to learn. */
  readonly #dropped = new Set<string>()
  #windows = 0
  /** Books of open markets that are not followed, as clients of all books know. */
  #unfollowed = 0
  /** Books that clients know to be stale. */
  readonly #untrusted = new WeakSet<LiveBook>()
  #stop: (() => void) | undefined

  constructor(deps: FeedDeps, options: FeedOptions = {}) {
    this.#deps = deps
    this.#texts = new BookTexts(deps.catalogue)
    const { integrityTokensMax } = options
    this.groups = new BookGroups(deps.books, {
      integrityTokensMax,
      onLost: ({ members }, tokenIds) => this.#tellLost(members, tokenIds),
    })
    this.loadMs = options.loadMs ?? LOAD_MS
    this.#windowMs = options.windowMs ?? WINDOW_MS
    this.#charactersMax = options.windowCharactersMax ?? WINDOW_CHARACTERS_MAX
  }

  /** `undefined` as `tokenIds`: all books. Throws a `Refusal`, and changes nothing, if it cannot be. */
  join(follower: BookFollower, tokenIds: readonly string[] | undefined, isIntegrity: boolean) {
    this.#start()
    try {
      if (tokenIds !== undefined) return this.groups.join(follower, tokenIds, isIntegrity)
      const group = this.groups.joinAll(follower)
      this.#list(group)
      return group
    } finally {
      this.#stopIfUnused()
    }
  }

  leave(follower: BookFollower): void {
    this.groups.leave(follower)
    this.#stopIfUnused()
  }

  /** The book as it is now; empty when nothing is known of it. */
  snapshot(tokenId: string): string {
    const known = this.#snapshots.get(tokenId)
    if (known !== undefined) return known
    const text = this.#texts.snapshot(this.#deps.books.get(tokenId) ?? emptyBook(tokenId))
    this.#snapshots.set(tokenId, text)
    return text
  }

  /** Integrity mode: the book of the last window, which the changes of the next one build on. */
  anchor(tokenId: string): SharedFrame {
    const published = this.groups.integrityBook(tokenId)
    assert(published !== undefined, 'only followed books have anchors')
    const known = this.#anchors.get(published)
    if (known !== undefined) return known
    const { bids, asks, anchor } = published
    const conditionId = this.#deps.books.get(tokenId)?.conditionId
    const text = this.#texts.snapshot({ tokenId, conditionId, bids, asks }, anchor)
    const frame = new SharedFrame(text, 'ws_market')
    this.#anchors.set(published, frame)
    return frame
  }

  /** Why a book that a client gets now may not be trusted; `undefined`: it may. */
  noteTrust(tokenId: string, { group }: BookFollower): string | undefined {
    const { books } = this.#deps
    const book = books.get(tokenId)
    const isDropped = group !== undefined && !group.tokens && !books.allTokens.has(tokenId)
    if (book === undefined || isDropped) return DROPPED
    if (book.state === 'live') return undefined
    // A book that became stale in this window is announced to all its followers when the window ends, not to this client alone.
    if (book.state === 'loading' || !this.#changes.has(tokenId)) this.#untrusted.add(book)
    return reasonOf(book)
  }

  /** Ends the window: sends what happened in it. */
  flush(): void {
    this.#snapshots.clear()
    this.#anchors.clear()
    this.#publish(this.#changes.keys())
    this.#sendUnfollowed()
    this.#windows += 1
    if (this.#windows % DROPPED_WINDOWS === 0) this.#sendDropped()
  }

  /** Ends the window of one token early, so that its published book is the live one. */
  settle(tokenId: string): void {
    if (this.#changes.has(tokenId)) this.#publish([tokenId])
  }

  /** Ends all timers. Connections are the door's to close. */
  close(): void {
    this.#stop?.()
    this.#stop = undefined
  }

  /** A client of all books has joined: it is sent the books that are open now. */
  #list({ members }: BookGroup): void {
    const { allTokens } = this.#deps.books
    if (members.size === 1) {
      this.#listed.clear()
      this.#dropped.clear()
      this.#unfollowed = this.#deps.books.unfollowedCount
    }
    this.#dropUnlisted()
    if (members.size === 1) for (const id of allTokens) this.#listed.add(id)
  }

  #dropUnlisted(): void {
    const { allTokens } = this.#deps.books
    for (const id of this.#listed) {
      if (allTokens.has(id)) continue
      this.#listed.delete(id)
      this.#dropped.add(id)
    }
  }

  /** Books of markets that have closed do not change any more for clients of all books. */
  #sendDropped(): void {
    const { firehose } = this.groups
    if (firehose === undefined) return
    this.#dropUnlisted()
    const output = new GroupOutput()
    for (const tokenId of this.#dropped) output.addStale(tokenId, DROPPED)
    this.#dropped.clear()
    output.deliver(firehose.members, this.#deps.clock.now())
  }

  #tellLost(members: Iterable<BookFollower>, tokenIds: readonly string[]): void {
    for (const tokenId of tokenIds) this.#snapshots.delete(tokenId)
    const messages = presentStale(tokenIds, this.#deps.clock.now(), LOST)
    for (const member of [...members]) {
      for (const tokenId of tokenIds) member.waiting.delete(tokenId)
      member.deliver(messages)
    }
  }

  /** Clients of all books learn when books of open markets are missing, and when all are there again. */
  #sendUnfollowed(): void {
    const { firehose } = this.groups
    const count = this.#deps.books.unfollowedCount
    if (count === this.#unfollowed) return
    this.#unfollowed = count
    const message = JSON.stringify({ type: 'not_followed', count, ts: this.#deps.clock.now() })
    for (const member of [...(firehose?.members ?? [])]) member.deliver([message])
  }

  #start(): void {
    if (this.#stop !== undefined) return
    const unsubscribe = this.#deps.books.subscribe(
      (changes) => this.#collect(changes),
      (tokenIds) => this.groups.lose(tokenIds),
    )
    const timer = setInterval(() => this.#flushSafely(), this.#windowMs).unref()
    this.#stop = () => {
      unsubscribe()
      clearInterval(timer)
      this.#changes.clear()
      this.#snapshots.clear()
      this.#anchors.clear()
    }
  }

  #stopIfUnused(): void {
    if (this.groups.isEmpty) this.close()
  }

  #flushSafely(): void {
    try {
      this.flush()
    } catch (error) {
      this.#deps.log.error({ err: error }, 'a window of order books could not be sent')
      // Changes are lost: clients connect again and get whole books.
      for (const follower of this.groups.followers) follower.fail(new Refusal(...RESET))
    }
  }

  #collect(changes: readonly BookChange[]): void {
    const { groups } = this
    for (const change of changes) {
      // Clients are not sent them.
      if (change.kind === 'details') continue
      const tokenId = change.kind === 'snapshot' ? change.book.tokenId : change.tokenId
      if (groups.firehose === undefined && groups.ofToken(tokenId) === undefined) {
        // A client that joins within this window must not get what was true before.
        this.#changes.delete(tokenId)
        this.#snapshots.delete(tokenId)
        continue
      }
      const collected = this.#changes.get(tokenId) ?? new TokenChanges()
      collected.add(change)
      this.#changes.set(tokenId, collected)
    }
  }

  #publish(tokenIds: Iterable<string>): void {
    const outputs = new Map<BookGroup, GroupOutput>()
    let characters = 0
    for (const tokenId of tokenIds) {
      const changes = this.#changes.get(tokenId)
      if (changes === undefined) continue
      if (characters > this.#charactersMax) break
      this.#changes.delete(tokenId)
      this.#snapshots.delete(tokenId)
      characters += this.#addToken(tokenId, changes, outputs)
    }
    const ts = this.#deps.clock.now()
    for (const [group, output] of outputs) output.deliver(group.members, ts)
  }

  /** Returns how many characters the token adds. */
  #addToken(tokenId: string, changes: TokenChanges, outputs: Map<BookGroup, GroupOutput>): number {
    const book = this.#deps.books.get(tokenId)
    const receivers = this.#receiversOf(tokenId)
    if (book === undefined || receivers.length === 0) return 0
    const trust = this.#changeTrust(book)
    const composed = new Map<Form, Composed>()
    let characters = 0
    for (const group of receivers) {
      const form = this.#formFor(group, tokenId)
      let updates = composed.get(form)
      if (updates === undefined) {
        updates = this.#compose(form, book, changes, trust === 'live')
        composed.set(form, updates)
        characters += countCharacters(updates.texts)
      }
      const output = outputs.get(group) ?? new GroupOutput()
      outputs.set(group, output)
      const trustSent = form === 'book' ? this.#trustOf(book) : trust
      if (trustSent === 'stale') output.addStale(tokenId, reasonOf(book))
      if (updates.texts.length > 0) output.updates.push({ tokenId, texts: updates.texts })
      if (updates.anchor !== undefined) output.anchors.push({ tokenId, frame: updates.anchor })
      if (trustSent === 'live') output.live.push(tokenId)
    }
    return characters
  }

  /** All books are those of open markets: others may be followed by their names only. */
  #receiversOf(tokenId: string): BookGroup[] {
    const { firehose } = this.groups
    const named = [...(this.groups.ofToken(tokenId) ?? [])]
    if (firehose === undefined) return named
    if (this.#deps.books.allTokens.has(tokenId)) return [firehose, ...named]
    if (this.#listed.delete(tokenId)) this.#dropped.add(tokenId)
    return named
  }

  #formFor(group: BookGroup, tokenId: string): Form {
    if (group.isIntegrity) return 'proven'
    if (group.tokens !== undefined || this.#listed.has(tokenId)) return 'changes'
    this.#listed.add(tokenId)
    this.#dropped.delete(tokenId)
    return 'book'
  }

  #compose(form: Form, book: LiveBook, changes: TokenChanges, isRestored: boolean): Composed {
    const texts = this.#texts
    const composing = { texts, book, changes }
    const snapshot = () => this.snapshot(book.tokenId)
    if (form === 'changes') return { texts: composePlain(composing, snapshot) }
    if (form === 'book') return { texts: [snapshot(), ...composeTrades(texts, changes)] }
    const published = this.groups.integrityBook(book.tokenId)
    assert(published !== undefined, 'books of integrity mode are published')
    this.#anchors.delete(published)
    // A book that could not be trusted begins again; all others go on by their changes.
    const begins = isRestored && changes.isReplaced
    if (begins) published.reset(book)
    const updates = begins ? composeTrades(texts, changes) : composeProven(composing, published)
    if (published.anchor.checksum !== book.checksum) this.#reset(book.tokenId)
    return { texts: updates, anchor: begins ? this.anchor(book.tokenId) : undefined }
  }

  /** `undefined`: what clients know of the book still holds. */
  #changeTrust(book: LiveBook): 'stale' | 'live' | undefined {
    const isUntrusted = this.#untrusted.has(book)
    if (book.state === 'stale' && !isUntrusted) {
      this.#untrusted.add(book)
      return 'stale'
    }
    return book.state === 'live' && this.#untrusted.delete(book) ? 'live' : undefined
  }

  /** What clients have to know of a book that they get for the first time, or again. */
  #trustOf(book: LiveBook): 'stale' | 'live' {
    if (book.state === 'live') return 'live'
    this.#untrusted.add(book)
    return 'stale'
  }

  /** What was published differs from the book, which only a fault of ours can cause. */
  #reset(tokenId: string): void {
    this.#deps.log.error({ tokenId }, 'a published order book differs from the live one')
    const error = new Refusal(...RESET, { markets: [tokenId] })
    const groups = [...(this.groups.ofToken(tokenId) ?? [])].filter((group) => group.isIntegrity)
    for (const { members } of groups) for (const member of [...members]) member.fail(error)
  }
}

const reasonOf = ({ state, staleReason }: LiveBook): string =>
  state === 'loading' ? 'loading' : (staleReason ?? 'unknown')

const emptyBook = (tokenId: string) => ({ tokenId, conditionId: undefined, bids: [], asks: [] })

type Composing = { texts: BookTexts; book: LiveBook; changes: TokenChanges }

/** The updates of one window; `snapshot` writes the whole book. */
function composePlain({ texts, book, changes }: Composing, snapshot: () => string): string[] {
  const { isReplaced, levels } = changes
  const trades = composeTrades(texts, changes)
  if (isReplaced) return [snapshot(), ...trades]
  return levels.size === 0 ? trades : [texts.levels(book, levels.values()), ...trades]
}

/** The updates of one window for integrity mode, which turn what was published into the book. */
function composeProven(composing: Composing, published: IntegrityBook): string[] {
  const { texts, changes } = composing
  const depth = changes.isReplaced
    ? composeReplaced(composing, published)
    : composeLevels(composing, published)
  return [...depth, ...composeTrades(texts, changes)]
}

function composeReplaced({ texts, book }: Composing, published: IntegrityBook): string[] {
  const update = published.update(book)
  return update === undefined ? [] : [texts.provenLevels(book, update, update.after)]
}

function composeLevels({ texts, book, changes }: Composing, published: IntegrityBook): string[] {
  const updates: string[] = []
  for (const change of changes.levels.values()) {
    const after = published.setLevel(change.side, change.price, change.size)
    if (after !== undefined) updates.push(texts.provenLevel(book, change, after))
  }
  return updates
}

const composeTrades = (texts: BookTexts, { trades }: TokenChanges): string[] =>
  trades.map((trade) => texts.trade(trade)).filter((text) => text !== undefined)
