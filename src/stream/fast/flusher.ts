import { FrameQueue } from './frame-queue.js'

type Flushed = { flush(): void }

/**
 * The least time between two flushes. It is what coalescing can add to the delay of a frame, and at thousands of
 * events a second it is what makes one write of many frames.
 */
export const FLUSH_INTERVAL_MS = 3

/**
 * Flushes the connections that have something queued: together, at once after a quiet time and
 * `FLUSH_INTERVAL_MS` after the last flush otherwise. Bench: `fanout`.
 */
export class Flusher {
  #waiting: Flushed[] = []
  #plainStart = FrameQueue.start(false)
  #deflatedStart = FrameQueue.start(true)
  #flushedAt = Number.NEGATIVE_INFINITY

  /** The empty queue of a connection, until the next flush. */
  start(isDeflated: boolean): FrameQueue {
    return isDeflated ? this.#deflatedStart : this.#plainStart
  }

  /** Has a connection flushed with the next flush. To be called once for each of its queues. */
  add(connection: Flushed): void {
    this.#waiting.push(connection)
    if (this.#waiting.length > 1) return
    const waitMs = this.#flushedAt + FLUSH_INTERVAL_MS - performance.now()
    // What is published in one iteration of the event loop goes out together in any case.
    if (waitMs <= 0) setImmediate(this.#flush)
    else setTimeout(this.#flush, waitMs)
  }

  readonly #flush = (): void => {
    const waiting = this.#waiting
    this.#waiting = []
    this.#plainStart = FrameQueue.start(false)
    this.#deflatedStart = FrameQueue.start(true)
    for (const connection of waiting) connection.flush()
    // From the end on, so that a flush that takes long leaves as much time for the rest.
    this.#flushedAt = performance.now()
  }
}
