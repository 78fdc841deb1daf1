import type { Socket } from 'node:net'
import type { Flusher } from './flusher.js'
import type { FrameQueue, QueuedFrame } from './frame-queue.js'
import { type Frame, payloadLength } from './shared-frame.js'

/** What may wait for one client. */
export const WAITING_BYTES_MAX = 8 * 1024 * 1024
export const WAITING_FRAMES_MAX = 10_000

/** How much of a backlog is written at once: the copy is memory of this connection alone. */
const WRITE_BYTES_MAX = 64 * 1024
/** A client that has less than this before it has taken most of what was sent. */
const DRAINED_BYTES_MAX = 256 * 1024

type OutboxOptions = {
  socket: Socket
  /** Whether live events leave compressed. */
  isDeflated: boolean
  flusher: Flusher
  /** Called once, when more waits than is allowed. Nothing is added any more. */
  onOverflow: () => void
}

/**
 * Everything that leaves on one socket, in order, past the sender of `ws`. Bench: `fanout`.
 *
 * Frames wait in a queue that connections share until the next flush. While the socket has nothing unwritten,
 * they are written at once; otherwise (`#isBlocked`) they become the backlog, a list of frames that
 * other connections may hold too, and go on when the socket has taken the last write. `ws` writes nothing by
 * itself but the frame that closes, always whole.
 */
export class Outbox {
  readonly #options: OutboxOptions
  readonly #socket: Socket
  #queue: FrameQueue | undefined
  #backlog: QueuedFrame[] = NONE
  #backlogBytes = 0
  /** How many of the backlog's frames are written already. */
  #written = 0
  #writingFrames = 0
  #isBlocked = false
  #isOver = false
  #onEmpty: (() => void) | undefined
  #waiters: ((isOpen: boolean) => void)[] | undefined
  #marketBytes = 0
  #onchainBytes = 0

  constructor(options: OutboxOptions) {
    this.#options = options
    this.#socket = options.socket
  }

  add(frame: Frame): void {
    if (this.#isOver) return
    const { flusher, isDeflated } = this.#options
    let queue = this.#queue
    if (queue === undefined) {
      queue = flusher.start(isDeflated)
      flusher.add(this)
    }
    const longer = queue.next(frame)
    this.#queue = longer
    // A message that is larger than the limit passes alone.
    const isOverflow =
      this.waitingFrames > WAITING_FRAMES_MAX ||
      (this.waitingBytes > WAITING_BYTES_MAX && this.waitingFrames > 1)
    if (isOverflow) {
      this.drop()
      this.#options.onOverflow()
    }
  }

  get waitingBytes(): number {
    return this.#backlogBytes + (this.#queue?.byteLength ?? 0) + this.#socket.writableLength
  }

  get waitingFrames(): number {
    const backlog = this.#backlog.length - this.#written
    const writing = this.#isBlocked ? this.#writingFrames : 0
    return backlog + (this.#queue?.count ?? 0) + writing
  }

  /** Writes what is queued, or appends it to the backlog while the client does not keep up. */
  flush(): void {
    const queue = this.#queue
    if (queue === undefined) return
    this.#queue = undefined
    if (this.#isBlocked) {
      if (this.#backlog === NONE) this.#backlog = []
      for (const frame of queue.list()) this.#backlog.push(frame)
      this.#backlogBytes += queue.byteLength
      return
    }
    this.#marketBytes += queue.marketBytes
    this.#onchainBytes += queue.onchainBytes
    this.#write(queue.bytes, queue.count)
  }

  /** Calls back when everything has been written; nothing is added any more. */
  end(onEmpty: () => void): void {
    this.flush()
    this.#isOver = true
    if (this.#isBlocked || this.#backlog.length > 0) this.#onEmpty = onEmpty
    else onEmpty()
  }

  /** Forgets what waits; nothing is added any more. */
  drop(): void {
    this.#isOver = true
    this.#queue = undefined
    this.#clearBacklog()
    this.#onEmpty = undefined
    this.#settle(false)
  }

  /** Resolves when the client has taken most of what was sent; `false`: it never will. */
  drained(): Promise<boolean> {
    if (this.#isOver) return Promise.resolve(false)
    if (this.waitingBytes < DRAINED_BYTES_MAX) return Promise.resolve(true)
    return new Promise((resolve) => {
      this.#waiters ??= []
      this.#waiters.push(resolve)
      this.flush()
      this.#wakeWaiters()
    })
  }

  /** The metered bytes since the last call. */
  takeTransfer(): { marketBytes: number; onchainBytes: number } {
    const taken = { marketBytes: this.#marketBytes, onchainBytes: this.#onchainBytes }
    this.#marketBytes = 0
    this.#onchainBytes = 0
    return taken
  }

  #write(bytes: Buffer, frames: number): void {
    if (this.#socket.destroyed) return
    this.#writingFrames = frames
    this.#socket.write(bytes, this.#onWritten)
    this.#isBlocked = this.#socket.writableLength > 0
  }

  readonly #onWritten = (error?: Error | null): void => {
    if (!this.#isBlocked || error != null || this.#socket.writableLength > 0) return
    this.#isBlocked = false
    while (!this.#isBlocked && this.#written < this.#backlog.length) this.#writeBacklog()
    this.#wakeWaiters()
    if (this.#isBlocked) return
    const onEmpty = this.#onEmpty
    this.#onEmpty = undefined
    onEmpty?.()
  }

  #writeBacklog(): void {
    const parts: Buffer[] = []
    let byteLength = 0
    for (; this.#written < this.#backlog.length; this.#written++) {
      const { bytes, meter } = this.#backlog[this.#written] as QueuedFrame
      if (parts.length > 0 && byteLength + bytes.length > WRITE_BYTES_MAX) break
      parts.push(bytes)
      byteLength += bytes.length
      if (meter === 'ws_market') this.#marketBytes += payloadLength(bytes)
      else if (meter === 'ws_onchain') this.#onchainBytes += payloadLength(bytes)
    }
    this.#backlogBytes -= byteLength
    if (this.#written === this.#backlog.length) this.#clearBacklog()
    else if (this.#written >= PRUNE_AFTER) this.#prune()
    const [first] = parts
    const bytes = parts.length === 1 && first !== undefined ? first : Buffer.concat(parts)
    this.#write(bytes, parts.length)
  }

  #prune(): void {
    this.#backlog = this.#backlog.slice(this.#written)
    this.#written = 0
  }

  #clearBacklog(): void {
    this.#backlog = NONE
    this.#backlogBytes = 0
    this.#written = 0
  }

  #wakeWaiters(): void {
    if (this.#waiters !== undefined && this.waitingBytes < DRAINED_BYTES_MAX) this.#settle(true)
  }

  #settle(isOpen: boolean): void {
    const waiters = this.#waiters
    this.#waiters = undefined
    for (const resolve of waiters ?? []) resolve(isOpen)
  }
}

/** Connections that keep up share it. */
const NONE: QueuedFrame[] = []
const PRUNE_AFTER = 512
