import type { Peer } from '../server/host.js'
import type { Token } from '../universe/market.js'

const BUFFERED_BYTES_MAX = 4 * 1024 * 1024
/** "Try again later": what the real socket closes a slow reader with. */
const TRY_AGAIN_LATER = 1013

/** How many levels of each side a subscriber sees: the best one, or all. */
export type Depth = 'top' | 'full'

/** One client of the market socket and what it asked for. */
export class Subscriber {
  /** What it follows, by id. Ids that nobody knows are not kept: there is no end of them. */
  readonly tokens = new Map<string, Token>()
  custom = false
  depth: Depth = 'full'
  readonly #peer: Peer

  constructor(peer: Peer) {
    this.#peer = peer
  }

  send(text: string): void {
    if (this.#peer.bufferedBytes() > BUFFERED_BYTES_MAX) {
      this.#peer.close(TRY_AGAIN_LATER, 'slow reader')
    } else this.#peer.send(text)
  }
}
