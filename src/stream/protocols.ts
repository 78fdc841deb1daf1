import { BookFeed } from './books/book-feed.js'
import { BookProtocol } from './books/book-protocol.js'
import type { StreamDeps } from './deps.js'
import type { CreateProtocol } from './door.js'
import { EventProtocol } from './events/event-protocol.js'
import { StreamHub } from './hub.js'
import { ReplayProtocol, ReplayReads } from './replay/replay-protocol.js'

/** What the clients of each socket speak, and what they share. */
export class Protocols {
  readonly #deps: StreamDeps
  readonly #hub: StreamHub
  readonly #feed: BookFeed
  readonly #replayReads = new ReplayReads()

  constructor(deps: StreamDeps) {
    this.#deps = deps
    this.#hub = new StreamHub(deps)
    this.#feed = new BookFeed(deps)
  }

  readonly create: CreateProtocol = (connection, { socket, hasIntegrity, isBySubscription, replay }) => {
    if (replay !== undefined) {
      const options = { range: replay, isBySubscription, reads: this.#replayReads }
      return new ReplayProtocol(this.#deps, connection, options)
    }
    return socket === 'orderbook'
      ? new BookProtocol(this.#deps, connection, this.#feed, { integrity: hasIntegrity })
      : new EventProtocol(this.#deps, connection, this.#hub, this.#feed, { isBySubscription })
  }

  close(): void {
    this.#hub.close()
    this.#feed.close()
  }
}
