import { withLinked } from '../../lib/abort.js'
import type { Timing } from '../../lib/timing.js'
import type { PolygonClient } from '../../upstreams/polygon/client.js'
import type { Head } from '../../upstreams/polygon/parse.js'
import type { PolygonListener, PolygonSocket } from '../../upstreams/polygon/socket.js'
import { missingBlock } from '../read/headers.js'

/** `undefined`: there is no socket, and the node is polled instead. */
export type OpenSocket = (listener: PolygonListener) => PolygonSocket | undefined

type HeadWatchOptions = { polygon: PolygonClient; openSocket: OpenSocket; timing: Timing }

const POLL_MS = 1_000
/** The time of three blocks. */
const SILENT_MS = 6_000

const WOKEN = Symbol('woken')

/** The newest block of the node: announced by its socket or, while the socket is silent, polled. */
export class HeadWatch {
  readonly #options: HeadWatchOptions
  #newest: Head | undefined
  #doneHash: string | undefined
  #announcedMs = Number.NEGATIVE_INFINITY
  #polledMs = Number.NEGATIVE_INFINITY
  #wake = (): void => undefined

  constructor(options: HeadWatchOptions) {
    this.#options = options
  }

  /** Opens the socket, which stays open until the signal aborts. */
  start(signal: AbortSignal): void {
    const socket = this.#options.openSocket({
      onHead: (head) => this.#onHead(head),
      // The follower reads every block below a head, so it fills gaps by itself.
      onGap: () => undefined,
    })
    socket?.start(signal)
  }

  /** Waits for a head other than the last one passed to `done`. Returns the same one until then. */
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
    this.#announcedMs = this.#options.timing.now()
    this.#newest = head
    this.#wake()
  }

  #pollInMs(): number {
    const dueMs = Math.max(this.#announcedMs + SILENT_MS, this.#polledMs + POLL_MS)
    return dueMs - this.#options.timing.now()
  }

  async #poll(signal: AbortSignal): Promise<void> {
    const { polygon, timing } = this.#options
    this.#polledMs = timing.now()
    const announcedMs = this.#announcedMs
    const head = await polygon.getBlock('latest', signal)
    if (head === undefined) throw missingBlock('latest')
    // A head that the socket announced meanwhile is newer.
    if (this.#announcedMs === announcedMs) this.#newest = head
  }

  #wait(signal: AbortSignal): Promise<void> {
    return withLinked([signal], async (linked) => {
      this.#wake = () => linked.abort(WOKEN)
      await this.#options.timing.sleep(Math.max(this.#pollInMs(), 0), linked.signal).catch((reason) => {
        if (reason !== WOKEN) throw reason
      })
    })
  }
}
