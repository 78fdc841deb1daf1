import type { Peer } from './handlers.js'

/** Starts listening to the universe, and returns what stops it. */
type Listen = () => (() => void)[]

/** The clients of a socket host. It listens to the universe only while there are any. */
export class Audience<Client> {
  readonly #clients = new Set<Client>()
  readonly #listen: Listen
  #stops: (() => void)[] = []

  constructor(listen: Listen) {
    this.#listen = listen
  }

  /** The client belongs to the audience until its socket closes. */
  add(client: Client, peer: Peer): void {
    if (this.#clients.size === 0) this.#stops = this.#listen()
    this.#clients.add(client)
    peer.onClose(() => this.#remove(client))
  }

  [Symbol.iterator](): Iterator<Client> {
    return this.#clients.values()
  }

  #remove(client: Client): void {
    this.#clients.delete(client)
    if (this.#clients.size > 0) return
    for (const stop of this.#stops) stop()
    this.#stops = []
  }
}
