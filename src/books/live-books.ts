import { Counter, Gauge, type Registry } from 'prom-client'
import { type Clock, systemClock } from '../core/clock.js'
import { FairSlots } from '../lib/fair-slots.js'
import { groupBy } from '../lib/group-by.js'
import type { Log } from '../lib/log.js'
import { withUpstreamTimeout } from '../upstreams/transport/upstream-timeout.js'
import type { Upstreams } from '../upstreams/upstreams.js'
import { BOOK_TIMINGS, BookSocket } from './book-socket.js'
import { FollowAll } from './follow-all.js'
import type { BookChange, LiveBook } from './live-book.js'

const CHECK_MS = 250

/** The share of the slots that is reserved for the books of all open markets; accounts have the rest. */
const ALL_SHARE = 0.8
/** In whose name all books of open markets are followed. */
const ALL_OWNER = '*'

const LIMITS = {
  /** A book takes 5 to 20 KB. */
  tokensMax: 50_000,
  /** One connection of many would be read as slowly as its busiest market is. */
  socketTokensMax: 1_000,
  /** Clients that reconnect find their books as they left them. */
  lingerMs: 30_000,
  /** How often the list of open markets is read again. */
  listMs: 60_000,
  /** The same while the catalogue is being read for the first time. */
  listSoonMs: 2_000,
  /** How long a client waits for the exchange to say which tokens it has. */
  exchangeMs: 3_000,
}

export type LiveBooksOptions = {
  upstreams: Pick<Upstreams, 'clob' | 'followBooks'>
  /** The tokens of open markets, at most this many, the most traded first. */
  selectOpenTokens: (limit: number) => Promise<readonly string[]>
  /** How many there are. */
  countOpenTokens: () => Promise<number>
  log: Log
  /** Absent: that of the system. */
  clock?: Clock | undefined
  registry: Registry
  limits?: Partial<typeof LIMITS> | undefined
  timings?: Partial<typeof BOOK_TIMINGS> | undefined
}

/** Who wants a book: an account, or a part of the service. */
export type BookOwner = number | string

export type BookListener = (changes: readonly BookChange[]) => void
export type EvictionListener = (tokenIds: readonly string[]) => void
/** Books as clients follow them: those of now, or those of a replay. */
export type BookSource = Pick<
  LiveBooks,
  | 'follow'
  | 'canFollow'
  | 'release'
  | 'findListed'
  | 'followAll'
  | 'releaseAll'
  | 'allTokens'
  | 'unfollowedCount'
  | 'get'
  | 'untilLoaded'
  | 'subscribe'
>

type Followed = { book: LiveBook; socket: BookSocket }
type Waiter = { left: number; resolve: () => void }

/**
 * Live order books of the tokens that are followed, by decimal id. A token is followed on one socket
 * to the exchange, however many readers it has; sockets are opened as more are needed. The slots are shared
 * between accounts: see `FairSlots`.
 */
export class LiveBooks {
  readonly #options: LiveBooksOptions
  readonly #limits: typeof LIMITS
  readonly #followed = new Map<string, Followed>()
  readonly #slots: FairSlots
  /** Tokens that have lost their slots to others, and whether readers still wanted them. */
  readonly #evicted = new Map<string, { socket: BookSocket; isWanted: boolean }>()
  /** Tokens without readers and since when, the longest without first. */
  readonly #idle = new Map<string, number>()
  readonly #sockets = new Set<BookSocket>()
  readonly #listeners = new Set<BookListener>()
  readonly #evictionListeners = new Set<EvictionListener>()
  readonly #waiters = new Map<string, Set<Waiter>>()
  readonly #all: FollowAll
  readonly #metrics: BookMetrics
  #checking: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(options: LiveBooksOptions) {
    this.#options = options
    this.#limits = { ...LIMITS, ...options.limits }
    this.#metrics = createBookMetrics(options.registry, () => this.status)
    const { tokensMax } = this.#limits
    const allMax = Math.ceil(tokensMax * ALL_SHARE)
    this.#slots = new FairSlots({
      slotsMax: tokensMax,
      reserved: { owner: ALL_OWNER, slots: allMax },
      onEvicted: (tokenId, isWanted) => this.#noteEvicted(tokenId, isWanted),
    })
    this.#all = new FollowAll({
      selectMax: allMax,
      select: () => options.selectOpenTokens(allMax),
      count: () => options.countOpenTokens(),
      follow: (tokenIds) => this.follow(tokenIds, ALL_OWNER),
      release: (tokenIds) => this.release(tokenIds, ALL_OWNER),
      refreshMs: this.#limits.listMs,
      soonMs: this.#limits.listSoonMs,
      log: options.log,
    })
  }

  /** `stale` counts those that are not loaded yet, too. */
  get status() {
    const sockets = [...this.#sockets]
    return {
      tokens: this.#followed.size,
      stale: sockets.reduce((sum, socket) => sum + socket.countStale(), 0),
      sockets: sockets.length,
      openSockets: sockets.filter(({ isOpen }) => isOpen).length,
    }
  }

  /**
   * Counts one more reader of each token; the books of new ones load, and may evict others. Returns the
   * tokens that are not followed, and must not be released, because the owner has used up its share of the slots.
   */
  follow(tokenIds: readonly string[], owner: BookOwner): readonly string[] {
    if (this.#isClosed) return tokenIds
    const refused: string[] = []
    const fresh = new Set<string>()
    for (const tokenId of tokenIds) {
      if (!this.#slots.claim(tokenId, owner)) refused.push(tokenId)
      else if (this.#followed.has(tokenId)) this.#idle.delete(tokenId)
      else fresh.add(tokenId)
    }
    const lost = this.#removeEvicted()
    this.#load([...fresh])
    if (lost.length > 0) this.#notifyAll(this.#evictionListeners, lost)
    return refused
  }

  /** Whether `follow` would refuse none of these tokens, each named once. */
  canFollow(tokenIds: readonly string[], owner: BookOwner): boolean {
    return !this.#isClosed && this.#slots.canClaim(tokenIds, owner)
  }

  /** Counts one reader less of each token. A book without a reader is kept for a short while. */
  release(tokenIds: readonly string[], owner: BookOwner): void {
    for (const tokenId of tokenIds) {
      if (this.#slots.release(tokenId, owner)) this.#idle.set(tokenId, performance.now())
    }
  }

  /** Those of the tokens that the exchange has a book of. Throws an `UpstreamError` when it does not answer. */
  async findListed(tokenIds: readonly string[], accountId: number): Promise<ReadonlySet<string>> {
    const { clob } = this.#options.upstreams
    const call = (signal: AbortSignal) => clob.getBooks(tokenIds, { signal, accountId })
    return new Set((await withUpstreamTimeout('clob', call, this.#limits.exchangeMs)).keys())
  }

  /** Follows the tokens of all open markets, also of those that open later. */
  followAll(): void {
    if (!this.#isClosed) this.#all.start()
  }

  releaseAll(): void {
    this.#all.stop()
  }

  /** The tokens that `followAll` follows at this moment. */
  get allTokens(): ReadonlySet<string> {
    return this.#all.tokens
  }

  /** How many tokens of open markets `followAll` does not follow, because all slots are in use. */
  get unfollowedCount(): number {
    return this.#all.unfollowed
  }

  /** `undefined`: it is not followed. */
  get(tokenId: string): LiveBook | undefined {
    return this.#followed.get(tokenId)?.book
  }

  /**
   * Resolves when each of these books was loaded, or when the time is over. Tokens that the exchange
   * does not know count as loaded, and are empty; those that are not followed are not waited for.
   */
  async untilLoaded(tokenIds: readonly string[], timeoutMs: number): Promise<void> {
    const loading = [...new Set(tokenIds)].filter((id) => this.get(id)?.state === 'loading')
    if (loading.length === 0) return
    const waiter: Waiter = { left: loading.length, resolve: () => undefined }
    const allLoaded = new Promise<void>((resolve) => {
      waiter.resolve = resolve
    })
    for (const tokenId of loading) {
      const waiters = this.#waiters.get(tokenId) ?? new Set()
      this.#waiters.set(tokenId, waiters.add(waiter))
    }
    const timer = setTimeout(waiter.resolve, timeoutMs)
    await allLoaded
    clearTimeout(timer)
    for (const tokenId of loading) this.#forgetWaiter(tokenId, waiter)
  }

  /**
   * The listener is called with the changes of one upstream frame, right after they were applied; `onEvicted` with
   * tokens that are not followed any more, although they have readers. Returns what removes both.
   */
  subscribe(listener: BookListener, onEvicted?: EvictionListener): () => void {
    this.#listeners.add(listener)
    if (onEvicted !== undefined) this.#evictionListeners.add(onEvicted)
    return () => {
      this.#listeners.delete(listener)
      if (onEvicted !== undefined) this.#evictionListeners.delete(onEvicted)
    }
  }

  /** Ends all connections to the exchange. Nothing is followed from now on. */
  close(): void {
    this.#isClosed = true
    this.#all.close()
    clearInterval(this.#checking)
    for (const socket of this.#sockets) socket.close()
    this.#sockets.clear()
    this.#followed.clear()
    this.#idle.clear()
    this.#slots.clear()
    for (const waiters of this.#waiters.values()) for (const { resolve } of waiters) resolve()
  }

  #noteEvicted(tokenId: string, isWanted: boolean): void {
    const followed = this.#followed.get(tokenId)
    // A token that was claimed a moment ago, and is not loaded yet, has no socket to be removed from.
    if (followed === undefined) return
    this.#followed.delete(tokenId)
    this.#idle.delete(tokenId)
    this.#evicted.set(tokenId, { socket: followed.socket, isWanted })
  }

  /** Returns those that had readers. */
  #removeEvicted(): string[] {
    if (this.#evicted.size === 0) return []
    const evicted = [...this.#evicted]
    this.#evicted.clear()
    removeFromSockets(evicted.map(([tokenId, { socket }]) => ({ tokenId, socket })))
    this.#closeUnused()
    const lost = evicted.flatMap(([tokenId, { isWanted }]) => (isWanted ? [tokenId] : []))
    this.#metrics.evicted.inc(lost.length)
    return lost
  }

  #load(tokenIds: readonly string[]): void {
    for (let from = 0; from < tokenIds.length; ) {
      const socket = this.#findSocket()
      const room = this.#limits.socketTokensMax - socket.size
      for (const book of socket.add(tokenIds.slice(from, from + room))) {
        this.#followed.set(book.tokenId, { book, socket })
      }
      from += room
    }
  }

  #findSocket(): BookSocket {
    for (const socket of this.#sockets) {
      if (socket.size < this.#limits.socketTokensMax) return socket
    }
    const { upstreams, timings, clock = systemClock } = this.#options
    const socket = new BookSocket({
      connect: (listener) => upstreams.followBooks(listener),
      findAbsent: async (tokenIds, signal) => {
        const books = await upstreams.clob.getBooks(tokenIds, { signal })
        return tokenIds.filter((tokenId) => !books.has(tokenId))
      },
      onChanges: (changes) => this.#publish(changes),
      onNewMarket: (tokenIds) => this.#all.add(tokenIds),
      clock,
      timings: { ...BOOK_TIMINGS, ...timings },
    })
    this.#sockets.add(socket)
    this.#checking ??= setInterval(() => this.#check(), CHECK_MS).unref()
    return socket
  }

  #check(): void {
    const lingeredAt = performance.now() - this.#limits.lingerMs
    const over: string[] = []
    for (const [tokenId, since] of this.#idle) {
      if (since > lingeredAt) break
      over.push(tokenId)
    }
    this.#forget(over)
    for (const socket of this.#sockets) socket.check()
  }

  #forget(tokenIds: readonly string[]): void {
    const forgotten: { tokenId: string; socket: BookSocket }[] = []
    for (const tokenId of tokenIds) {
      const followed = this.#followed.get(tokenId)
      if (followed === undefined) continue
      this.#followed.delete(tokenId)
      this.#idle.delete(tokenId)
      this.#slots.remove(tokenId)
      forgotten.push({ tokenId, socket: followed.socket })
    }
    removeFromSockets(forgotten)
    this.#closeUnused()
  }

  /** Sockets that keep no book any more are closed. */
  #closeUnused(): void {
    for (const socket of this.#sockets) {
      if (socket.size > 0) continue
      socket.close()
      this.#sockets.delete(socket)
    }
  }

  #publish(changes: readonly BookChange[]): void {
    if (this.#waiters.size > 0) this.#wake(changes)
    this.#metrics.count(changes)
    this.#notifyAll(this.#listeners, changes)
  }

  #notifyAll<News>(listeners: Iterable<(news: News) => void>, news: News): void {
    for (const listener of listeners) {
      try {
        listener(news)
      } catch (error) {
        this.#options.log.error({ err: error }, 'reader of order books failed')
      }
    }
  }

  #wake(changes: readonly BookChange[]): void {
    for (const change of changes) {
      if (change.kind !== 'snapshot') continue
      const { tokenId } = change.book
      for (const waiter of this.#waiters.get(tokenId) ?? []) {
        waiter.left -= 1
        if (waiter.left === 0) waiter.resolve()
      }
      this.#waiters.delete(tokenId)
    }
  }

  #forgetWaiter(tokenId: string, waiter: Waiter): void {
    const waiters = this.#waiters.get(tokenId)
    waiters?.delete(waiter)
    if (waiters?.size === 0) this.#waiters.delete(tokenId)
  }
}

function removeFromSockets(tokens: readonly { tokenId: string; socket: BookSocket }[]): void {
  for (const [socket, together] of groupBy(tokens, (token) => token.socket)) {
    socket.remove(together.map(({ tokenId }) => tokenId))
  }
}

type BookMetrics = ReturnType<typeof createBookMetrics>

type BookStatus = { tokens: number; stale: number; sockets: number }

/** `status` is read whenever the metrics are. */
function createBookMetrics(registry: Registry, status: () => BookStatus) {
  const registers = [registry]
  const gauge = (name: string, help: string, read: (status: BookStatus) => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read(status()))
      },
    })
  gauge('auspex_books_followed', 'Order books that are kept up to date', ({ tokens }) => tokens)
  gauge('auspex_books_stale', 'Followed books that are loading or stale', ({ stale }) => stale)
  gauge('auspex_book_sockets', 'Sockets that order books are read from', ({ sockets }) => sockets)
  const updates = new Counter({
    name: 'auspex_book_changes_total',
    help: 'Changes of followed books by kind: snapshot, level, trade, details, state',
    labelNames: ['kind'] as const,
    registers,
  })
  const stale = new Counter({
    name: 'auspex_books_stale_total',
    help: 'Books that became stale, by reason',
    labelNames: ['reason'] as const,
    registers,
  })
  return {
    evicted: new Counter({
      name: 'auspex_books_evicted_total',
      help: 'Wanted books that made room for those of accounts below their share',
      registers,
    }),
    count(changes: readonly BookChange[]): void {
      const kinds = { snapshot: 0, level: 0, trade: 0, details: 0, state: 0 }
      for (const change of changes) {
        kinds[change.kind] += 1
        if (change.kind === 'state' && change.reason !== undefined) stale.inc({ reason: change.reason })
      }
      for (const [kind, times] of Object.entries(kinds)) if (times > 0) updates.inc({ kind }, times)
    },
  }
}
