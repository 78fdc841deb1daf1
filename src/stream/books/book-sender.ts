import type { BookSource } from '../../books/live-books.js'
import type { Clock } from '../../core/clock.js'
import { groupBy } from '../../lib/group-by.js'
import { pause } from '../../lib/timing.js'
import type { ClientWork } from '../client-work.js'
import { SharedFrame } from '../fast/shared-frame.js'
import type { BookFeed } from './book-feed.js'
import type { BookFollower } from './book-groups.js'
import { FRAME_CHARACTERS_MAX, presentResyncDone, presentStale } from './book-window.js'

/** Fewer books than this come in one batch, more in batches of `BATCH_TOKENS`. */
const ONE_BATCH_BELOW = 100
const BATCH_TOKENS = 50
const BATCH_PAUSE_MS = 50
/**
 * Long sets of one account that are sent at the same time. While a client gets the books of its set, its changes are
 * written for it alone.
 */
const SENDINGS_MAX = 8

type SenderOptions = {
  books: BookSource
  clock: Clock
  feed: BookFeed
  follower: BookFollower
  work: ClientWork
}

/**
 * Sends whole books to one connection, no faster than it reads them. What is to be sent is in the
 * `waiting` of the follower; a book that is taken out of it meanwhile is not sent.
 */
export class BookSender {
  readonly #options: SenderOptions

  constructor(options: SenderOptions) {
    this.#options = options
  }

  /** The books of a new subscription. It ends early, and without `snapshots_done`, by the signal. */
  async sendAll(tokenIds: readonly string[], isIntegrity: boolean, signal: AbortSignal) {
    if (tokenIds.length < ONE_BATCH_BELOW) return await this.#sendEach(tokenIds, isIntegrity, signal)
    const { feed, follower } = this.#options
    const slot = { owner: follower.accountId, ownMax: SENDINGS_MAX, signal }
    const release = await feed.sendings.acquire(slot).catch(() => undefined)
    if (release === undefined) return
    await this.#sendEach(tokenIds, isIntegrity, signal).finally(release)
  }

  async #sendEach(tokenIds: readonly string[], isIntegrity: boolean, signal: AbortSignal) {
    const { connection } = this.#options.follower
    let total = 0
    for await (const batch of this.#loadBatches(tokenIds, signal)) {
      total = isIntegrity
        ? total + (await this.#sendAnchors(batch, signal))
        : await this.#sendBatch(batch, total, signal)
      if (signal.aborted) return
      this.#sendStale(batch)
    }
    if (!signal.aborted) connection.send({ type: 'snapshots_done', total })
  }

  /** Integrity mode: new anchors of some books. */
  async resync(tokenIds: readonly string[], signal: AbortSignal): Promise<void> {
    const { connection } = this.#options.follower
    await this.#options.work.goOn('snapshots', tokenIds.length)
    if (signal.aborted) return
    connection.send({ type: 'resyncing', markets: tokenIds })
    await this.#sendAnchors(tokenIds, signal)
    if (signal.aborted) return
    connection.send(presentResyncDone(tokenIds))
    this.#sendStale(tokenIds)
  }

  /** Each batch when its books are loaded and the client has read those before. */
  async *#loadBatches(tokenIds: readonly string[], signal: AbortSignal) {
    const { books, feed, work } = this.#options
    const deadlineMs = performance.now() + feed.loadMs
    const size = tokenIds.length < ONE_BATCH_BELOW ? ONE_BATCH_BELOW : BATCH_TOKENS
    for (let from = 0; from < tokenIds.length; from += size) {
      if (from > 0) await pause(BATCH_PAUSE_MS, signal)
      const batch = tokenIds.slice(from, from + size)
      await books.untilLoaded(batch, Math.max(0, deadlineMs - performance.now()))
      await work.goOn('snapshots', batch.length)
      if (!(await this.#isReading(signal))) return
      yield batch
    }
  }

  /** Returns how many books were sent with these. */
  async #sendBatch(tokenIds: readonly string[], before: number, signal: AbortSignal) {
    const { feed, follower } = this.#options
    let total = before
    let texts: string[] = []
    let characters = 0
    const send = () => {
      if (texts.length === 0) return
      total += texts.length
      const head = `{"type":"snapshot_batch","count":${texts.length},"total_sent":${total}`
      const text = `${head},"snapshots":[${texts.join(',')}]}`
      follower.connection.push(new SharedFrame(text, 'ws_market'))
      texts = []
      characters = 0
    }
    for (const tokenId of tokenIds) {
      if (characters > FRAME_CHARACTERS_MAX) {
        send()
        if (!(await this.#isReading(signal))) return total
      }
      if (!follower.waiting.delete(tokenId)) continue
      const text = feed.snapshot(tokenId)
      characters += text.length
      texts.push(text)
    }
    send()
    return total
  }

  /** Returns how many were sent. */
  async #sendAnchors(tokenIds: readonly string[], signal: AbortSignal): Promise<number> {
    const { feed, follower } = this.#options
    let sent = 0
    for (const tokenId of tokenIds) {
      if (!(await this.#isReading(signal))) return sent
      if (!follower.waiting.has(tokenId)) continue
      feed.settle(tokenId)
      follower.waiting.delete(tokenId)
      follower.connection.push(feed.anchor(tokenId))
      sent += 1
    }
    return sent
  }

  /** Names those of the books that the client may not trust. */
  #sendStale(tokenIds: readonly string[]): void {
    const { feed, follower, clock } = this.#options
    const untrusted = tokenIds.flatMap((tokenId) => {
      const reason = feed.noteTrust(tokenId, follower)
      return reason === undefined ? [] : [{ tokenId, reason }]
    })
    for (const [reason, books] of groupBy(untrusted, (book) => book.reason)) {
      const names = books.map(({ tokenId }) => tokenId)
      follower.deliver(presentStale(names, clock.now(), reason))
    }
  }

  /** `false`: the connection or the subscription is over. */
  async #isReading(signal: AbortSignal): Promise<boolean> {
    return (await this.#options.follower.connection.drained()) && !signal.aborted
  }
}
