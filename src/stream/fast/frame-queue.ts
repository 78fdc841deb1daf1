import { type Frame, payloadLength, type TransferMeter } from './shared-frame.js'

/**
 * The frames that a connection receives with the next flush. Bench: `fanout`.
 *
 * Many connections receive the same frames in the same order, so queues are a trie: a connection stands on
 * the node of the frames that were added for it, and moves on by `next`. Connections on one node share one buffer, which
 * is joined once. The trie of a flush ends with it: no connection keeps a node for longer.
 */
export class FrameQueue {
  readonly count: number
  readonly byteLength: number
  /** Payload bytes for the two meters. */
  readonly marketBytes: number
  readonly onchainBytes: number
  readonly #isDeflated: boolean
  readonly #parent: FrameQueue | undefined
  readonly #own: Buffer | undefined
  readonly #meter: TransferMeter | undefined
  #bytes: Buffer | undefined
  // Most nodes have one successor: the map is made for the second.
  #nextFrame: Frame | undefined
  #nextQueue: FrameQueue | undefined
  #others: Map<Frame, FrameQueue> | undefined

  private constructor(isDeflated: boolean, parent?: FrameQueue, frame?: Frame) {
    const own = frame === undefined ? undefined : isDeflated ? frame.deflated : frame.plain
    const { count, byteLength, marketBytes, onchainBytes } = parent ?? EMPTY
    this.#isDeflated = isDeflated
    this.#parent = parent
    this.#own = own
    this.#meter = frame?.meter
    const payload = own === undefined ? 0 : payloadLength(own)
    this.count = own === undefined ? 0 : count + 1
    this.byteLength = byteLength + (own?.length ?? 0)
    this.marketBytes = marketBytes + (this.#meter === 'ws_market' ? payload : 0)
    this.onchainBytes = onchainBytes + (this.#meter === 'ws_onchain' ? payload : 0)
  }

  /** The empty queue at which connections of one kind begin. */
  static start(isDeflated: boolean): FrameQueue {
    return new FrameQueue(isDeflated)
  }

  /** This queue with one more frame: the same object for every connection that comes from here. */
  next(frame: Frame): FrameQueue {
    if (this.#nextFrame === frame && this.#nextQueue !== undefined) return this.#nextQueue
    const known = this.#others?.get(frame)
    if (known !== undefined) return known
    const queue = new FrameQueue(this.#isDeflated, this, frame)
    if (this.#nextFrame === undefined) {
      this.#nextFrame = frame
      this.#nextQueue = queue
    } else {
      this.#others ??= new Map()
      this.#others.set(frame, queue)
    }
    return queue
  }

  /** All frames, joined. */
  get bytes(): Buffer {
    this.#bytes ??= this.#join()
    return this.#bytes
  }

  /** The frames one by one, in order. */
  list(): QueuedFrame[] {
    const frames = new Array<QueuedFrame>(this.count)
    for (const { own, meter, at } of this.#newestFirst()) frames[at] = { bytes: own, meter }
    return frames
  }

  #join(): Buffer {
    if (this.count === 1 && this.#own !== undefined) return this.#own
    const bytes = Buffer.allocUnsafe(this.byteLength)
    let end = this.byteLength
    for (const { own } of this.#newestFirst()) {
      end -= own.length
      bytes.set(own, end)
    }
    return bytes
  }

  /** The frames, the last one first. */
  *#newestFirst(): Generator<{ own: Buffer; meter: TransferMeter | undefined; at: number }> {
    let queue: FrameQueue = this
    while (queue.#own !== undefined && queue.#parent !== undefined) {
      yield { own: queue.#own, meter: queue.#meter, at: queue.count - 1 }
      queue = queue.#parent
    }
  }
}

/** A frame in the form that the connection receives. */
export type QueuedFrame = { bytes: Buffer; meter: TransferMeter | undefined }

const EMPTY = { count: 0, byteLength: 0, marketBytes: 0, onchainBytes: 0 }
