import { setTimeout as delay } from 'node:timers/promises'
import { BOOK_ACK, BOOK_SHAPES, ENVELOPE_SHAPES } from './book-shapes.js'
import { isJson, type Json, problemsOf, type Shape } from './shape.js'
import { type LevelChange, readLevels, StrictBook } from './strict-book.js'
import { type Notify, StrictSocket } from './strict-socket.js'

const ANSWER_MS_MAX = 30_000
const RETRY_MS = 250
const RECONNECT_MS = 1_000
/** A book may be crossed between two messages of the exchange, but not for long. */
const CROSSED_MS_MAX = 3_000

type Options = {
  /** With the key, without other parameters. */
  url: string
  isProven: boolean
  notify: Notify
}

/** A client of the orderbook socket that trusts nothing. Whatever is wrong becomes a notice. */
export class StrictBookClient {
  readonly #options: Options
  readonly #isProven: boolean
  readonly books = new Map<string, StrictBook>()
  readonly counts = { changes: 0, trades: 0, anchors: 0, resyncs: 0, reconnects: 0, unknown: 0 }
  /** Tokens about which the service says that their books are not to be trusted now. */
  readonly stale = new Set<string>()
  /** Since when their books are crossed. */
  readonly #crossedAt = new Map<string, number>()
  #socket: StrictSocket | undefined
  #isClosed = false
  #markets: readonly string[] = []
  #acknowledged: number | undefined
  #onReady: ((error?: Error) => void) | undefined

  constructor(options: Options) {
    this.#options = options
    this.#isProven = options.isProven
  }

  async connect(): Promise<void> {
    // Numbers of a connection mean nothing on the next.
    this.books.clear()
    this.stale.clear()
    this.#crossedAt.clear()
    const { url, notify } = this.#options
    this.#socket = await StrictSocket.open(`${url}&compress=zlib${this.#isProven ? '&integrity=1' : ''}`, {
      notify,
      onFrame: (frame) => this.#onFrame(frame),
      onLost: (code) => void this.#reconnect(code),
    })
  }

  /** Resolves when there is a book of every token. Replaces what was followed before. */
  async subscribe(markets: readonly string[]): Promise<void> {
    this.#markets = markets
    this.#acknowledged = undefined
    this.books.clear()
    const ready = this.#untilReady()
    this.#socket?.send({ action: 'subscribe', markets })
    await ready
  }

  /** Asks for new anchors. They come one by one; `counts.resyncs` says when all have. */
  resync(markets: readonly string[]): void {
    this.#socket?.send({ action: 'resync', markets })
  }

  unsubscribe(markets: readonly string[]): void {
    this.#socket?.send({ action: 'unsubscribe', markets })
    for (const token of markets) this.books.delete(token)
  }

  /** As if the network had failed: the client connects again by itself. */
  cut(): void {
    this.#socket?.cut()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#socket?.close()
  }

  #notify(notice: string): void {
    this.#options.notify(notice)
  }

  #untilReady(): Promise<void> {
    return new Promise((resolve, reject) => {
      const timeout = setTimeout(() => settle(new Error('no books came')), ANSWER_MS_MAX)
      const settle = (error?: Error) => {
        clearTimeout(timeout)
        this.#onReady = undefined
        if (error === undefined) resolve()
        else reject(error)
      }
      this.#onReady = settle
    })
  }

  /** One attempt; when it fails it was the last one. */
  async #reconnect(code: number): Promise<void> {
    await delay(RECONNECT_MS * (0.5 + Math.random() / 2))
    if (this.#isClosed) return
    try {
      await this.connect()
      await this.subscribe(this.#markets)
      this.counts.reconnects += 1
    } catch (error) {
      this.#notify(`the attempt to reconnect after ${code} failed: ${error}`)
    }
  }

  #onFrame(frame: Json): void {
    const type = String(frame.type)
    const shape = ENVELOPE_SHAPES.get(type)
    if (frame.error !== undefined || type === 'error') this.#onError(frame)
    else if (type === 'subscribed') this.#onAck(frame)
    else if (type === 'stale') this.#onStale(frame)
    else if (BOOK_SHAPES.has(type)) this.#onMessages([frame])
    else if (shape === undefined) this.counts.unknown += 1
    else this.#onEnvelope(frame, type, shape)
  }

  #onEnvelope(frame: Json, type: string, shape: Shape): void {
    const problems = problemsOf(frame, shape, type)
    for (const problem of problems) this.#notify(problem)
    if (problems.length > 0) return
    if (type === 'snapshots_done') this.#onDone(frame)
    if (type === 'resyncing') this.#gate(frame.markets as string[])
    if (type === 'batch') this.#onBatch(frame, frame.updates as Json[])
    if (type === 'snapshot_batch') this.#onBatch(frame, frame.snapshots as Json[])
  }

  #onError(frame: Json): void {
    const code = String(frame.error ?? frame.code)
    if (code === 'resync_in_progress') {
      const markets = Array.isArray(frame.markets) ? (frame.markets as string[]) : []
      setTimeout(() => this.resync(markets), Number(frame.retry_after_ms ?? RETRY_MS))
      return
    }
    if (this.#onReady !== undefined) this.#onReady(new Error(`${code}: ${frame.message}`))
    else this.#notify(`an error came: ${JSON.stringify(frame)}`)
  }

  #onAck(frame: Json): void {
    for (const problem of problemsOf(frame, BOOK_ACK, 'subscribed')) this.#notify(problem)
    const { integrity } = frame
    const { enabled, protocol } = isJson(integrity) ? integrity : {}
    if (this.#isProven && !(enabled === true && protocol === 'pn1'))
      this.#notify('integrity mode is not acknowledged')
    if (this.#acknowledged !== undefined) this.#notify('a subscribe is acknowledged twice')
    this.#acknowledged = Number(frame.markets)
  }

  /** Ready means: there are as many books as the acknowledgement says. */
  #onDone({ reason }: Json): void {
    if (reason === 'resync') {
      this.counts.resyncs += 1
      return
    }
    if (this.books.size !== this.#acknowledged)
      this.#notify(`${this.books.size} books came of ${this.#acknowledged}`)
    this.#onReady?.()
  }

  #gate(tokens: readonly string[]): void {
    for (const token of tokens) {
      const book = this.books.get(token)
      if (book === undefined) this.#notify(`a resync of ${token}, which has no book`)
      else book.state = 'gated'
    }
  }

  #onStale(frame: Json): void {
    const tokens = Array.isArray(frame.markets) ? (frame.markets as string[]) : [String(frame.asset_id)]
    for (const token of tokens) {
      if (frame.stale === false) this.stale.delete(token)
      else this.stale.add(token)
      this.#lookForCrossing(token)
    }
  }

  #onBatch({ type, count }: Json, messages: readonly Json[]): void {
    if (count !== messages.length) this.#notify(`a ${type} of ${count} has ${messages.length}`)
    const isBatch = type === 'batch'
    this.#onMessages(isBatch ? messages : messages.map((message) => ({ type: 'book_snapshot', ...message })))
  }

  /** What comes together: books are right after all of it. */
  #onMessages(messages: readonly Json[]): void {
    for (const message of messages) this.#onUpdate(message)
    for (const token of new Set(messages.flatMap(tokensOf))) this.#lookForCrossing(token)
  }

  /**
   * A crossed book is wrong; the server has to notice, and to say so until it is right again. Only the
   * time counts in which the book is crossed without a break and the server vouches for it.
   */
  #lookForCrossing(token: string): void {
    const isCrossed = this.books.get(token)?.isCrossed === true
    if (!isCrossed || this.stale.has(token)) {
      this.#crossedAt.delete(token)
      return
    }
    const sinceMs = this.#crossedAt.get(token) ?? Date.now()
    this.#crossedAt.set(token, sinceMs)
    if (Date.now() - sinceMs > CROSSED_MS_MAX) this.#notify(`the book of ${token} is crossed`)
  }

  #onUpdate(message: Json): void {
    const type = String(message.type)
    const shape = BOOK_SHAPES.get(type)
    const problems =
      shape === undefined ? [`no update of a book is called ${type}`] : problemsOf(message, shape, type)
    if (problems.length === 0) problems.push(...this.#apply(type, message))
    for (const problem of problems) this.#notify(`${problem} (${tokensOf(message)})`)
    if (problems.length > 0 && this.#isProven) this.resync(tokensOf(message))
  }

  #apply(type: string, message: Json): string[] {
    switch (type) {
      case 'book_snapshot':
        return this.#anchor(message)
      case 'book_update':
        return this.#change(String(message.asset_id), message.integrity, [
          ...readLevels(message, 'bids'),
          ...readLevels(message, 'asks'),
        ])
      case 'price_change':
        return this.#onPriceChange(message)
      default:
        this.counts.trades += 1
        return message.integrity === undefined ? [] : ['a trade has a proof']
    }
  }

  #anchor(message: Json): string[] {
    this.counts.anchors += 1
    const token = String(message.asset_id)
    const book = this.books.get(token) ?? new StrictBook()
    this.books.set(token, book)
    return book.anchor(message, this.#isProven)
  }

  #onPriceChange(message: Json): string[] {
    const rows = message.assets as Json[]
    const deep = rows.filter(({ side }) => side !== undefined)
    if (deep.length === 0) return message.integrity === undefined ? [] : ['a row without depth has a proof']
    if (this.#isProven && (rows.length !== 1 || message.asset_id !== rows[0]?.asset_id))
      return ['a proven price_change needs its asset_id and a single row']
    return deep.flatMap((row) => {
      const side = row.side === 'BUY' ? 'bids' : 'asks'
      const change: LevelChange = { side, price: String(row.price), size: String(row.size) }
      return this.#change(String(row.asset_id), message.integrity, [change])
    })
  }

  #change(token: string, proof: unknown, changes: readonly LevelChange[]): string[] {
    this.counts.changes += 1
    const book = this.books.get(token)
    // Of a large subscription changes may come before the snapshots.
    if (book === undefined) return this.#onReady === undefined ? [`${token} has no book`] : []
    return book.change(changes, proof, this.#isProven)
  }
}

const tokensOf = (message: Json): string[] =>
  Array.isArray(message.assets)
    ? message.assets.map((row: Json) => String(row.asset_id))
    : [String(message.asset_id)]
