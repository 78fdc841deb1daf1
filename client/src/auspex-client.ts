import type {
  Answer,
  DownloadPath,
  ListPath,
  Method,
  OptionsArgument,
  PathOf,
  RequestOptions,
  Row,
} from './api-types.js'
import type { BookSet } from './book-set.js'
import { BookSocket } from './book-socket.js'
import { EventSocket } from './event-socket.js'
import { Http, type HttpOptions, type HttpRequest, sleep } from './http.js'
import { readPages, rowsOf } from './pages.js'
import type { SocketOptions, WebSocketConstructor } from './reliable-socket.js'
import { Replay } from './replay.js'
import type {
  BookMessage,
  BookMessagesOptions,
  EventStream,
  ReplayOptions,
  StreamEvent,
  StreamGap,
  SubscribeOptions,
} from './stream-types.js'

export type ClientOptions = HttpOptions & {
  /** That of the runtime unless given; Node.js 20 has none, and the package `ws` is taken. */
  WebSocket?: WebSocketConstructor | undefined
  /** The addresses of the sockets, where they are not `/ws`, `/ws/orderbook` and `/ws/replay` below `baseUrl`. */
  socketUrls?: Partial<Record<'events' | 'orderbook' | 'replay', string | URL | undefined>> | undefined
}

/** How rows are written by a download. */
export type DownloadFormat = 'csv' | 'ndjson' | 'parquet'

/** A service, asked by its public API. Whatever fails is an `AuspexError`; a signal ends a call with its reason. */
export class AuspexClient {
  readonly #http: Http
  readonly #events: EventSocket
  readonly #books: BookSocket
  readonly #replays = new Set<Replay>()
  readonly #replaySocket: SocketOptions

  constructor(options: ClientOptions) {
    this.#http = new Http(options)
    const { events, orderbook, replay } = options.socketUrls ?? {}
    const { baseUrl } = this.#http
    this.#events = new EventSocket(toSocketOptions(options, events ?? `${baseUrl}/ws`, 'by_subscription'))
    this.#books = new BookSocket(
      toSocketOptions(options, orderbook ?? `${baseUrl}/ws/orderbook`, 'integrity'),
    )
    this.#replaySocket = toSocketOptions(options, replay ?? `${baseUrl}/ws/replay`, 'by_subscription')
  }

  get<P extends PathOf<'get'>>(
    path: P,
    ...[options]: OptionsArgument<RequestOptions<P, 'get'>>
  ): Promise<Answer<P, 'get'>> {
    return this.request('get', path, options)
  }

  post<P extends PathOf<'post'>>(
    path: P,
    ...[options]: OptionsArgument<RequestOptions<P, 'post'>>
  ): Promise<Answer<P, 'post'>> {
    return this.request('post', path, options)
  }

  put<P extends PathOf<'put'>>(
    path: P,
    ...[options]: OptionsArgument<RequestOptions<P, 'put'>>
  ): Promise<Answer<P, 'put'>> {
    return this.request('put', path, options)
  }

  delete<P extends PathOf<'delete'>>(
    path: P,
    ...[options]: OptionsArgument<RequestOptions<P, 'delete'>>
  ): Promise<Answer<P, 'delete'>> {
    return this.request('delete', path, options)
  }

  /** Any path, such as one that this version of the client does not know yet. */
  async request<Body>(method: Method, path: string, options: HttpRequest = {}): Promise<Body> {
    return (await this.#http.request(method.toUpperCase(), path, options)) as Body
  }

  /** The answers of a list, page after page. */
  pages<P extends ListPath>(
    path: P,
    ...[options]: OptionsArgument<RequestOptions<P, 'get'>>
  ): AsyncGenerator<Answer<P>, void, undefined> {
    return readPages(this.#http, path, options ?? {}) as AsyncGenerator<Answer<P>, void, undefined>
  }

  /** The rows of a list, page after page. */
  async *rows<P extends ListPath>(
    path: P,
    ...[options]: OptionsArgument<RequestOptions<P, 'get'>>
  ): AsyncGenerator<Row<P>, void, undefined> {
    for await (const answer of readPages(this.#http, path, options ?? {})) {
      yield* rowsOf(answer) as readonly Row<P>[]
    }
  }

  /** One answer in another format than JSON, as it comes. */
  download<P extends DownloadPath>(
    path: P,
    options: RequestOptions<P, 'get'> & { format: DownloadFormat },
  ): Promise<ReadableStream<Uint8Array>> {
    const { format, ...request }: HttpRequest & { format: DownloadFormat } = options
    return this.#http.download(path, { ...request, query: { ...request.query, format } })
  }

  /**
   * Live events, after some of the past. The stream survives lost connections: it goes on after its last event, and
   * yields a `gap` where the service could not give back everything. All streams of a client share one connection.
   * A reader that leaves 10,000 events unread stops the stream, which goes on from there when they are read.
   */
  subscribe(options: BookMessagesOptions): EventStream<BookMessage | StreamGap>
  subscribe(options?: SubscribeOptions): EventStream<StreamEvent | StreamGap>
  subscribe(
    options: SubscribeOptions | BookMessagesOptions,
  ): EventStream<StreamEvent | BookMessage | StreamGap>
  subscribe(options: SubscribeOptions | BookMessagesOptions = {}): EventStream<unknown> {
    if ('markets' in options) return this.#events.add(options)
    const { type, filters, since, sinceSeq, snapshotCount } = options
    const past = { since, since_seq: sinceSeq, snapshot_count: snapshotCount }
    return this.#events.add({ type, filters, past })
  }

  /**
   * Order books, kept up to date and proven by checksums; at most 500 for all sets of a client. Reading yields each book
   * that changed, and `get` has it at any time.
   */
  books(tokenIds: readonly string[]): BookSet {
    return this.#books.add(tokenIds)
  }

  /**
   * What live sockets were sent in a range of the past. Its streams are those that `subscribe` of the client gives, so that
   * the same code reads live events and those of the past. The replay waits while its streams are not read.
   */
  replay(options: ReplayOptions): Replay {
    const replay = new Replay(this.#replaySocket, options, () => this.#replays.delete(replay))
    this.#replays.add(replay)
    return replay
  }

  /** Ends all streams, sets of books and replays. */
  close(): void {
    for (const replay of this.#replays) replay.close()
    this.#events.close()
    this.#books.close()
  }
}

function toSocketOptions(
  { apiKey, WebSocket, sleep: wait = sleep }: ClientOptions,
  address: string | URL,
  mode: string,
): SocketOptions {
  // In a page an address may be relative to it.
  const { location } = globalThis as { location?: { href: string } }
  const url = new URL(String(address).replace(/^http/, 'ws'), location?.href.replace(/^http/, 'ws'))
  url.searchParams.set(mode, '1')
  if (apiKey !== undefined) url.searchParams.set('key', apiKey)
  return { url: url.href, WebSocket, sleep: wait }
}
