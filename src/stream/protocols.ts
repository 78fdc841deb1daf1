import { BookFeed } from './books/book-feed.js'
import { BookProtocol } from './books/book-protocol.js'
import type { StreamDeps } from './deps.js'
import type { CreateProtocol } from './door.js'
import { EventProtocol } from './events/event-protocol.js'
import { StreamHub } from './hub.js'

/** What the clients of each socket speak, and what they share. */
export class Protocols {
  readonly #ctx: StreamDeps
  readonly #hub: StreamHub
  readonly #feed: BookFeed

  constructor(ctx: StreamDeps) {
    this.#ctx = ctx
    this.#hub = new StreamHub(ctx)
    this.#feed = new BookFeed(ctx)
  }

  readonly create: CreateProtocol = (connection, { socket, hasIntegrity: integrity }) =>
    socket === 'events'
      ? new EventProtocol(this.#ctx, connection, this.#hub, this.#feed)
      : new BookProtocol(this.#ctx, connection, this.#feed, { integrity })

  close(): void {
    this.#hub.close()
    this.#feed.close()
  }
}
