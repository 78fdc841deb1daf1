import { selectCatalogueState } from '../../catalogue/queries.js'
import { faultFields } from '../../lib/fault-fields.js'
import { pollUntil } from '../../lib/timing.js'
import type { Pool } from '../../store/connection.js'
import { ClientWork, toWorkRefusal } from '../client-work.js'
import { CLOSE, type Connection, type Protocol, Refusal } from '../connection.js'
import type { StreamDeps } from '../deps.js'
import type { BookFeed } from './book-feed.js'
import { BookFollower } from './book-groups.js'
import {
  BOOK_ITEMS_MAX,
  type BookRequest,
  type Identifiers,
  parseBookRequest,
  sortInPieces,
} from './book-request.js'
import { BookSender } from './book-sender.js'
import { type ResolvedBooks, resolveBooks, resolveFollowed } from './resolve-books.js'

/** Books of one connection. More take several connections, or all books. */
const TOKENS_MAX = 15_000
const INTEGRITY_TOKENS_MAX_EACH = 500
/** Identifiers that a warning names. */
const NAMED_MAX = 20

/** How long a client waits for the first list of open markets. */
const LIST_MS = 3_000
const LIST_POLL_MS = 20

const WARMING_UP_MS = 1_000
const RESYNC_MS = 250

export type BookOptions = {
  /** Integrity mode `pn1`. */
  integrity: boolean
  /** The event socket gives each subscription an id; without it this is the orderbook socket. */
  nextSubscriptionId?: (() => string) | undefined
  /** On the event socket other subscriptions may need the connection's firehose still. */
  releaseFirehose?: (() => void) | undefined
}

type BookDeps = Pick<StreamDeps, 'books' | 'catalogue' | 'clock' | 'floodLog' | 'log' | 'shares' | 'reads'>

/**
 * The orderbook messages of one connection. A connection has one set of books: a subscribe replaces
 * it, and a subscribe that fails changes nothing. The acknowledgement comes first, then every book of
 * the set, then `snapshots_done`; changes of a book come after the book.
 */
export class BookProtocol implements Protocol {
  readonly #deps: BookDeps
  readonly #connection: Connection
  readonly #feed: BookFeed
  readonly #options: BookOptions
  readonly #follower: BookFollower
  readonly #sender: BookSender
  readonly #work: ClientWork
  /** Ends the sending of the current set; `undefined`: all of it was sent. */
  #sending: AbortController | undefined
  #subscriptionId: string | undefined
  #isClosed = false

  constructor(deps: BookDeps, connection: Connection, feed: BookFeed, options: BookOptions) {
    this.#deps = deps
    this.#connection = connection
    this.#feed = feed
    this.#options = options
    this.#follower = new BookFollower(connection, (error) => this.#fail(error))
    this.#work = new ClientWork(deps, connection.caller)
    const { books, clock } = deps
    this.#sender = new BookSender({ books, clock, feed, follower: this.#follower, work: this.#work })
  }

  /** Of the current set, on the event socket; `undefined`: the connection follows no books. */
  get subscriptionId(): string | undefined {
    return this.#subscriptionId
  }

  /** Whether the connection follows all books. */
  get isFirehose(): boolean {
    const { group } = this.#follower
    return group !== undefined && group.tokens === undefined
  }

  get itemsMax(): number {
    return BOOK_ITEMS_MAX
  }

  async onMessage(text: string): Promise<void> {
    let message: unknown
    try {
      message = JSON.parse(text)
    } catch {
      return this.#refuse(new Refusal('invalid_json', 'The message is not JSON.'))
    }
    await this.handle(message)
  }

  /** Handles one message and answers it. Never throws on what a client sends. */
  async handle(message: unknown): Promise<void> {
    try {
      const request = parseBookRequest(message)
      const named = 'identifiers' in request ? (request.identifiers?.length ?? 0) : 0
      if (named > 0) await this.#work.begin('identifiers', named)
      if (!this.#isClosed) await this.#handle(request)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      this.#refuse(error)
    }
  }

  onClose(): void {
    this.#isClosed = true
    this.end()
  }

  /** Ends the set without an answer. */
  end(): void {
    const wasFirehose = this.isFirehose
    this.#sending?.abort()
    this.#follower.waiting.clear()
    this.#feed.leave(this.#follower)
    this.#subscriptionId = undefined
    if (wasFirehose) this.#releaseFirehose()
  }

  async #handle(request: BookRequest): Promise<void> {
    switch (request.action) {
      case 'subscribe':
        return await this.#subscribe(await sortInPieces(request.identifiers))
      case 'unsubscribe':
        return await this.#unsubscribe(request.identifiers)
      case 'resync':
        return await this.#resync(request.identifiers)
      case 'ping':
        return this.#connection.send({ type: 'pong' })
    }
  }

  async #subscribe(named: Identifiers): Promise<void> {
    const { integrity } = this.#options
    if (named.isFirehose) return await this.#subscribeAll()
    this.#checkCount(named.tokenIds.size)
    const resolved = await this.#resolve(named)
    const { tokenIds } = resolved
    this.#checkCount(tokenIds.length)
    if (this.#isClosed) return
    const warnings = presentWarnings(resolved)
    const ack = {
      resolved_from: resolved.resolvedFrom,
      ...(integrity ? { integrity: { enabled: true, protocol: 'pn1' } } : {}),
      ...(warnings.length > 0 ? { warnings } : {}),
    }
    if (tokenIds.length > 0) return this.#begin(tokenIds, ack)
    this.#acknowledge({ markets: 0, ...ack }, this.#options.nextSubscriptionId?.())
    this.#connection.send({ type: 'snapshots_done', total: 0 })
  }

  #checkCount(requested: number): void {
    const { integrity } = this.#options
    const max = integrity ? INTEGRITY_TOKENS_MAX_EACH : TOKENS_MAX
    if (requested <= max) return
    const message = `A connection follows at most ${max} tokens.`
    throw new Refusal(integrity ? 'integrity_capacity' : 'token_limit', message, { max, requested })
  }

  async #subscribeAll(): Promise<void> {
    if (this.#options.integrity) {
      const message = 'Integrity mode takes lists of books, not all of them.'
      throw new Refusal('integrity_firehose_unsupported', message)
    }
    if (this.isFirehose) return this.#repeatAll()
    if (!(await this.#takeFirehose())) {
      const message = 'The plan allows no further connection to all books or events.'
      throw new Refusal('firehose_limit', message)
    }
    const { books } = this.#deps
    // Followed while the list of open markets is read, so that the acknowledgement can count them.
    books.followAll()
    try {
      const isListed = () => books.allTokens.size > 0
      await pollUntil(isListed, { everyMs: LIST_POLL_MS, timeoutMs: LIST_MS })
      await this.#work.goOn('listedBooks', books.allTokens.size)
      if (!this.#isClosed)
        this.#begin(undefined, { firehose: true, ...presentUnfollowed(books.unfollowedCount) })
    } finally {
      books.releaseAll()
    }
  }

  /** The connection has all books, or is being sent them: there is nothing to send again. */
  #repeatAll(): void {
    const { allTokens, unfollowedCount } = this.#deps.books
    const ack = { markets: allTokens.size, firehose: true, ...presentUnfollowed(unfollowedCount) }
    this.#acknowledge(ack, this.#subscriptionId)
    if (!this.#isSending) this.#connection.send({ type: 'snapshots_done', total: 0 })
  }

  /** Replaces the set; `undefined`: by all books. */
  #begin(named: readonly string[] | undefined, ack: object): void {
    const { integrity, nextSubscriptionId } = this.#options
    const { waiting } = this.#follower
    const wasFirehose = this.isFirehose
    this.#feed.join(this.#follower, named, integrity)
    if (wasFirehose && !this.isFirehose) this.#releaseFirehose()
    const tokenIds = named ?? [...this.#deps.books.allTokens]
    waiting.clear()
    for (const tokenId of tokenIds) waiting.add(tokenId)
    this.#subscriptionId = nextSubscriptionId?.()
    this.#acknowledge({ markets: tokenIds.length, ...ack }, this.#subscriptionId)
    this.#send((signal) => this.#sender.sendAll(tokenIds, integrity, signal))
  }

  /** Sends books while the next messages are handled. Aborts the sending before it. */
  #send(work: (signal: AbortSignal) => Promise<void>): void {
    this.#sending?.abort()
    const sending = new AbortController()
    this.#sending = sending
    void work(sending.signal)
      .catch((error: unknown) => {
        this.#deps.log.error({ err: error }, 'order books could not be sent')
        this.#connection.close(CLOSE.internal, 'internal error')
      })
      .finally(() => {
        if (this.#sending === sending) this.#sending = undefined
      })
  }

  async #unsubscribe(identifiers: readonly string[] | undefined): Promise<void> {
    const subscription_id = this.#subscriptionId
    const rest = identifiers === undefined ? [] : await this.#without(await sortInPieces(identifiers))
    if (rest.length === 0) this.end()
    else {
      this.#feed.join(this.#follower, rest, this.#options.integrity)
      const kept = new Set(rest)
      for (const id of this.#follower.waiting) if (!kept.has(id)) this.#follower.waiting.delete(id)
    }
    const remaining = rest.length === 0 ? undefined : rest.length
    const ids = this.#isEventSocket ? { subscriber_id: this.#connection.id, subscription_id } : {}
    this.#connection.send({ type: 'unsubscribed', ...ids, remaining })
  }

  /** The set without some of its books. */
  async #without(named: Identifiers): Promise<string[]> {
    if (named.isFirehose) return []
    if (this.isFirehose) {
      const message = 'All books cannot be narrowed: subscribe to a list instead.'
      throw new Refusal('invalid_message', message)
    }
    const removed = new Set(await this.#resolveFollowed(named))
    return [...(this.#follower.group?.tokens ?? [])].filter((tokenId) => !removed.has(tokenId))
  }

  async #resync(identifiers: readonly string[] | undefined): Promise<void> {
    if (!this.#options.integrity) {
      const message = 'Only connections in integrity mode resync; connect with `integrity=1`.'
      throw new Refusal('integrity_unavailable', message)
    }
    const named = identifiers === undefined ? undefined : await sortInPieces(identifiers)
    const isAll = named === undefined || named.isFirehose
    const wanted = isAll ? undefined : await this.#resolveFollowed(named)
    if (wanted?.length === 0) throw new Refusal('resync_resolved_empty', 'None of these books is known.')
    const { group, waiting } = this.#follower
    const followed = group?.tokens ?? new Set<string>()
    const tokenIds = (wanted ?? [...followed]).filter((tokenId) => followed.has(tokenId))
    if (tokenIds.length === 0)
      throw new Refusal('resync_not_subscribed', 'The connection follows none of these books.')
    if (waiting.size > 0) {
      const message = 'Books are still being sent.'
      const fields = { retry_after_ms: RESYNC_MS, markets: tokenIds }
      throw new Refusal('resync_in_progress', message, fields)
    }
    for (const tokenId of tokenIds) waiting.add(tokenId)
    this.#send((signal) => this.#sender.resync(tokenIds, signal))
  }

  /** Throws a refusal when the catalogue cannot answer yet. */
  async #resolve(named: Identifiers): Promise<ResolvedBooks> {
    const { books } = this.#deps
    const { accountId } = this.#connection.caller
    return await this.#lookUp(async (sql) => {
      const sources = {
        sql,
        isFollowed: (tokenId: string) => books.get(tokenId) !== undefined,
        findListed: async (tokenIds: readonly string[]) => {
          await this.#work.goOn('snapshots', tokenIds.length)
          return await books.findListed(tokenIds, accountId)
        },
      }
      const resolved = await resolveBooks(sources, named, TOKENS_MAX)
      const isLoading = resolved.unresolved.length > 0 && (await selectCatalogueState(sql)).phase === 'open'
      if (isLoading) throw refuseWarmingUp()
      return resolved
    })
  }

  async #resolveFollowed(named: Identifiers): Promise<string[]> {
    return await this.#lookUp((sql) => resolveFollowed(sql, named, TOKENS_MAX))
  }

  async #lookUp<Result>(look: (sql: Pool) => Promise<Result>): Promise<Result> {
    try {
      return await look(this.#work.sql)
    } catch (error) {
      const refusal = error instanceof Refusal ? error : toWorkRefusal(error)
      if (refusal !== undefined) throw refusal
      this.#deps.floodLog.write('warn', 'named order books could not be looked up', () => faultFields(error))
      throw refuseWarmingUp()
    }
  }

  /** Throws a refusal when the firehoses of the account cannot be counted now. */
  async #takeFirehose(): Promise<boolean> {
    try {
      return await this.#connection.takeFirehose()
    } catch (error) {
      this.#deps.floodLog.write('warn', 'firehose could not be counted', () => faultFields(error))
      const message = 'The service could not do this now.'
      throw new Refusal('service_warming_up', message, { retry_after_ms: WARMING_UP_MS })
    }
  }

  #releaseFirehose(): void {
    const release = this.#options.releaseFirehose
    if (release === undefined) this.#connection.releaseFirehose()
    else release()
  }

  get #isSending(): boolean {
    return this.#sending !== undefined
  }

  get #isEventSocket(): boolean {
    return this.#options.nextSubscriptionId !== undefined
  }

  #acknowledge(fields: object, subscriptionId: string | undefined): void {
    const ids = this.#isEventSocket && {
      subscriber_id: this.#connection.id,
      subscription_id: subscriptionId,
      subscription_type: 'orderbook',
      warnings: [],
    }
    this.#connection.send({ type: 'subscribed', ...ids, ...fields })
  }

  #refuse({ code, message, fields }: Refusal): void {
    const error = this.#isEventSocket ? { type: 'error', code } : { error: code }
    this.#connection.send({ ...error, message, ...fields })
  }

  /** Errors of integrity mode that the connection does not survive. */
  #fail(error: Refusal): void {
    if (this.#isClosed) return
    this.onClose()
    this.#refuse(error)
    const isSlow = error.code === 'integrity_backpressure'
    this.#connection.close(isSlow ? CLOSE.tooSlow : CLOSE.internal, error.code)
  }
}

const refuseWarmingUp = (): Refusal =>
  new Refusal('service_warming_up', 'The catalogue of markets is not loaded yet.', {
    retry_after_ms: WARMING_UP_MS,
  })

function presentWarnings({ unresolved, isUnsure }: ResolvedBooks): string[] {
  if (unresolved.length === 0) return []
  const unsure =
    'The exchange did not answer: of token ids that the catalogue does not have it could not be asked'
  return isUnsure ? [presentUnresolved(unresolved), unsure] : [presentUnresolved(unresolved)]
}

const presentUnfollowed = (count: number) =>
  count > 0 && { warnings: [`${count} books of open markets are not followed: the places are used`] }

function presentUnresolved(identifiers: readonly string[]): string {
  const named = identifiers.slice(0, NAMED_MAX).map((text) => text.slice(0, 100))
  const more = identifiers.length - named.length
  return `Not found: ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
