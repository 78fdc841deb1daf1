import { BookFeed } from './books/book-feed.js'
import { BookProtocol } from './books/book-protocol.js'
import type { StreamDeps } from './deps.js'
import type { CreateProtocol } from './door.js'
import { EventProtocol } from './events/event-protocol.js'
import { StreamHub } from './hub.js'

/** What the clients of each socket speak, and what they share. */
export class Protocols {
  readonly #deps: StreamDeps
  readonly #hub: StreamHub
  readonly #feed: BookFeed

  constructor(deps: StreamDeps) {
    this.#deps = deps
    this.#hub = new StreamHub(deps)
    this.#feed = new BookFeed(deps)
  }

  readonly create: CreateProtocol = (connection, { socket, hasIntegrity, isBySubscription }) =>
    socket === 'events'
      ? new EventProtocol(this.#deps, connection, this.#hub, this.#feed, { isBySubscription })
      : new BookProtocol(this.#deps, connection, this.#feed, { integrity: hasIntegrity })

  close(): void {
    this.#hub.close()
    this.#feed.close()
  }
}
