import { Counter, Gauge, type Registry } from 'prom-client'
import type { Log } from '../lib/log.js'
import type { Upstreams } from '../upstreams/upstreams.js'
import { BOOK_TIMINGS, BookSocket } from './book-socket.js'
import { FollowAll } from './follow-all.js'
import type { BookChange, LiveBook } from './live-book.js'

const CHECK_MS = 250

/** The rest is left for books that clients name, when all books of open markets are followed. */
const ALL_SHARE = 0.8

const LIMITS = {
  /** A book takes 5 to 20 KB. */
  tokensMax: 50_000,
  /** One connection of many would be read as slowly as its busiest market is. */
  socketTokensMax: 1_000,
  /** Clients that reconnect find their books as they left them. */
  lingerMs: 30_000,
  /** How often the list of open markets is read again. */
  listMs: 60_000,
}

export type LiveBooksOptions = {
  upstreams: Pick<Upstreams, 'clob' | 'followBooks'>
  /** The tokens of open markets, at most this many, the most traded first. */
  selectOpenTokens: (limit: number) => Promise<readonly string[]>
  log: Log
  registry: Registry
  limits?: Partial<typeof LIMITS> | undefined
  timings?: Partial<typeof BOOK_TIMINGS> | undefined
}

type Listener = (changes: readonly BookChange[]) => void
type Followed = { book: LiveBook; socket: BookSocket; readers: number }
type Waiter = { left: number; resolve: () => void }

/**
 * Live order books of the tokens that are followed, by decimal id. A token is followed on one socket
 * to the exchange, however many readers it has; sockets are opened as more are needed.
 */
export class LiveBooks {
  readonly #options: LiveBooksOptions
  readonly #limits: typeof LIMITS
  readonly #followed = new Map<string, Followed>()
  /** Tokens without readers and since when, the longest without first. */
  readonly #idle = new Map<string, number>()
  readonly #sockets = new Set<BookSocket>()
  readonly #listeners = new Set<Listener>()
  readonly #waiters = new Map<string, Set<Waiter>>()
  readonly #all: FollowAll
  readonly #metrics: BookMetrics
  #checking: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(options: LiveBooksOptions) {
    this.#options = options
    this.#limits = { ...LIMITS, ...options.limits }
    this.#metrics = createBookMetrics(options.registry, () => this.status)
    this.#all = new FollowAll({
      select: () => options.selectOpenTokens(Math.ceil(this.#limits.tokensMax * ALL_SHARE)),
      follow: (tokenIds) => this.follow(tokenIds),
      release: (tokenIds) => this.release(tokenIds),
      refreshMs: this.#limits.listMs,
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
   * Counts one more reader of each token; the books of new ones load. Returns the tokens that are not
   * followed, and must not be released, because this process follows all it can.
   */
  follow(tokenIds: readonly string[]): readonly string[] {
    const refused: string[] = []
    const fresh = new Map<string, number>()
    for (const tokenId of tokenIds) {
      const followed = this.#followed.get(tokenId)
      if (followed !== undefined) {
        followed.readers += 1
        this.#idle.delete(tokenId)
      } else if (fresh.has(tokenId)) fresh.set(tokenId, (fresh.get(tokenId) ?? 0) + 1)
      else if (this.#hasRoom(fresh.size)) fresh.set(tokenId, 1)
      else refused.push(tokenId)
    }
    this.#load(fresh)
    return refused
  }

  /** Counts one reader less of each token. A book without a reader is kept for a short while. */
  release(tokenIds: readonly string[]): void {
    for (const tokenId of tokenIds) {
      const followed = this.#followed.get(tokenId)
      if (followed === undefined || followed.readers === 0) continue
      followed.readers -= 1
      if (followed.readers === 0) this.#idle.set(tokenId, performance.now())
    }
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

  /** The listener is called with the changes of one upstream frame, right after they were applied. Returns what removes it. */
  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
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
    for (const waiters of this.#waiters.values()) for (const { resolve } of waiters) resolve()
  }

  /** A book that lingers makes room for one that is wanted. */
  #hasRoom(planned: number): boolean {
    if (this.#isClosed) return false
    if (this.#followed.size + planned < this.#limits.tokensMax) return true
    const [tokenId] = this.#idle.keys()
    if (tokenId === undefined) return false
    this.#forget([tokenId])
    return true
  }

  #load(fresh: ReadonlyMap<string, number>): void {
    const tokenIds = [...fresh.keys()]
    for (let from = 0; from < tokenIds.length; ) {
      const socket = this.#findSocket()
      const room = this.#limits.socketTokensMax - socket.size
      for (const book of socket.add(tokenIds.slice(from, from + room))) {
        const { tokenId } = book
        this.#followed.set(tokenId, { book, socket, readers: fresh.get(tokenId) ?? 0 })
      }
      from += room
    }
  }

  #findSocket(): BookSocket {
    for (const socket of this.#sockets) {
      if (socket.size < this.#limits.socketTokensMax) return socket
    }
    const { upstreams, timings } = this.#options
    const socket = new BookSocket({
      connect: (listener) => upstreams.followBooks(listener),
      findAbsent: async (tokenIds, signal) => {
        const books = await upstreams.clob.getBooks(tokenIds, { signal })
        return tokenIds.filter((tokenId) => !books.has(tokenId))
      },
      onChanges: (changes) => this.#publish(changes),
      onNewMarket: (tokenIds) => this.#all.add(tokenIds),
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

  /** Sockets that keep no book any more are closed. */
  #forget(tokenIds: readonly string[]): void {
    const bySocket = new Map<BookSocket, string[]>()
    for (const tokenId of tokenIds) {
      const followed = this.#followed.get(tokenId)
      if (followed === undefined) continue
      this.#followed.delete(tokenId)
      this.#idle.delete(tokenId)
      const together = bySocket.get(followed.socket) ?? []
      bySocket.set(followed.socket, together)
      together.push(tokenId)
    }
    for (const [socket, ids] of bySocket) {
      socket.remove(ids)
      if (socket.size > 0) continue
      socket.close()
      this.#sockets.delete(socket)
    }
  }

  #publish(changes: readonly BookChange[]): void {
    if (this.#waiters.size > 0) this.#wake(changes)
    this.#metrics.count(changes)
    for (const listener of this.#listeners) {
      try {
        listener(changes)
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
    help: 'Changes of followed books by kind: snapshot, level, trade, state',
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
    count(changes: readonly BookChange[]): void {
      const kinds = { snapshot: 0, level: 0, trade: 0, state: 0 }
      for (const change of changes) {
        kinds[change.kind] += 1
        if (change.kind === 'state' && change.reason !== undefined) stale.inc({ reason: change.reason })
      }
      for (const [kind, times] of Object.entries(kinds)) if (times > 0) updates.inc({ kind }, times)
    },
  }
}
