import type { Timing } from '../src/lib/timing.js'

/** A time in which every sleep is over at once: the time jumps to its end. */
export class JumpingTiming implements Timing {
  #aheadMs = 0

  now(): number {
    return performance.now() + this.#aheadMs
  }

  async sleep(ms: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    this.#aheadMs += ms
  }
}
