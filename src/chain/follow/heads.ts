import { withLinked } from '../../lib/abort.js'
import type { Timing } from '../../lib/timing.js'
import type { PolygonClient } from '../../upstreams/polygon/client.js'
import type { Head } from '../../upstreams/polygon/messages.js'
import type { PolygonListener, PolygonSocket } from '../../upstreams/polygon/socket.js'
import { notThere } from './read-heads.js'

/** `undefined`: there is no socket, and the node is asked again and again. */
export type OpenSocket = (listener: PolygonListener) => PolygonSocket | undefined

type HeadWatchOptions = {
  polygon: PolygonClient
  openSocket: OpenSocket
  timing: Timing
}

const POLL_MS = 1_000
/** Three blocks should have come. */
const SILENT_MS = 6_000

const WOKEN = Symbol('woken')

/** The newest block of the node: told by its socket or, while that says nothing, asked for. */
export class HeadWatch {
  readonly #options: HeadWatchOptions
  #newest: Head | undefined
  #doneHash: string | undefined
  #heardMs = Number.NEGATIVE_INFINITY
  #polledMs = Number.NEGATIVE_INFINITY
  #wake = (): void => undefined

  constructor(options: HeadWatchOptions) {
    this.#options = options
  }

  /** The socket lives until the signal aborts. */
  start(signal: AbortSignal): void {
    const socket = this.#options.openSocket({
      onHead: (head) => this.#onHead(head),
      // Whoever follows the heads reads every block below them, so that a gap is nothing special.
      onGap: () => undefined,
    })
    socket?.start(signal)
  }

  /** Waits for a head that is not done yet. The same one comes again until it is. */
  async next(signal: AbortSignal): Promise<Head> {
    for (;;) {
      if (this.#pollInMs() <= 0) await this.#poll(signal)
      const newest = this.#newest
      if (newest !== undefined && newest.hash !== this.#doneHash) return newest
      await this.#wait(signal)
    }
  }

  done({ hash }: Head): void {
    this.#doneHash = hash
  }

  #onHead(head: Head): void {
    this.#heardMs = this.#options.timing.now()
    this.#newest = head
    this.#wake()
  }

  #pollInMs(): number {
    const dueMs = Math.max(this.#heardMs + SILENT_MS, this.#polledMs + POLL_MS)
    return dueMs - this.#options.timing.now()
  }

  async #poll(signal: AbortSignal): Promise<void> {
    const { polygon, timing } = this.#options
    this.#polledMs = timing.now()
    const heardMs = this.#heardMs
    const head = await polygon.getBlock('latest', signal)
    if (head === undefined) throw notThere('latest')
    // What the socket said meanwhile is newer.
    if (this.#heardMs === heardMs) this.#newest = head
  }

  #wait(signal: AbortSignal): Promise<void> {
    return withLinked([signal], async (linked) => {
      this.#wake = () => linked.abort(WOKEN)
      await this.#options.timing
        .sleep(Math.max(this.#pollInMs(), 0), linked.signal)
        .catch((reason) => {
          if (reason !== WOKEN) throw reason
        })
    })
  }
}
