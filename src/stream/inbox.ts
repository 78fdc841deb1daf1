import type { RawData, WebSocket } from 'ws'
import type { Clock } from '../core/clock.js'

/**
 * How many messages a client may send in a window. It is enough for a client that reconnects with all of the
 * subscriptions that a connection may have.
 */
const MESSAGES_MAX = 300
const WINDOW_MS = 10_000
/** A client that goes on after this many is closed. */
const FLOOD_MESSAGES_MAX = 2 * MESSAGES_MAX

/** Messages that wait for the one before them. The socket is not read while more wait. */
const WAITING_MESSAGES_MAX = 50
const WAITING_BYTES_MAX = 4 * 1024 * 1024

type InboxOptions = {
  socket: WebSocket
  clock: Clock
  /** Handles one message; the next one waits for it. */
  onMessage: (text: string) => void | Promise<void>
  /** Answers a message that is not handed on, in the order of the messages. */
  onRefused: (code: 'rate_limited' | 'invalid_message', message: string) => void
  /** The client sends far more than is allowed. */
  onFlood: () => void
  /** A handler threw. */
  onFault: (error: unknown) => void
}

const RATE_LIMITED = `At most ${MESSAGES_MAX} messages in ${WINDOW_MS / 1000} seconds.`
const NO_BINARY = 'Send JSON as a text frame; binary frames are not understood.'

/** The messages of one client: one at a time, in order, and not too many. */
export class Inbox {
  readonly #options: InboxOptions
  #waiting: Message[] = []
  #waitingBytes = 0
  #isWorking = false
  #isClosed = false
  #windowEndsAtMs = 0
  #count = 0

  constructor(options: InboxOptions) {
    this.#options = options
  }

  add(data: RawData, isBinary: boolean): void {
    if (this.#isClosed) return
    const { clock, socket, onFlood } = this.#options
    const nowMs = clock.now()
    const leftMs = this.#windowEndsAtMs - nowMs
    // More than a window is left when the time of day was set back.
    if (leftMs <= 0 || leftMs > WINDOW_MS) {
      this.#windowEndsAtMs = nowMs + WINDOW_MS
      this.#count = 0
    }
    this.#count++
    if (this.#count > FLOOD_MESSAGES_MAX) {
      this.close()
      onFlood()
      return
    }
    const message = this.#read(data, isBinary)
    this.#waiting.push(message)
    this.#waitingBytes += message.size
    if (this.#isFull()) socket.pause()
    if (!this.#isWorking) void this.#work()
  }

  /** Forgets what waits, and takes nothing any more. */
  close(): void {
    this.#isClosed = true
    this.#waiting = []
  }

  #read(data: RawData, isBinary: boolean): Message {
    // `ws` hands over one buffer, because that is how its server is set.
    const bytes = data as Buffer
    if (this.#count > MESSAGES_MAX) return { size: 0, refusal: 'rate_limited' }
    if (isBinary) return { size: 0, refusal: 'invalid_message' }
    return { size: bytes.length, text: bytes.toString() }
  }

  async #work(): Promise<void> {
    const { socket, onFault } = this.#options
    this.#isWorking = true
    try {
      for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
        const wasFull = this.#isFull()
        this.#waitingBytes -= next.size
        const done = this.#handle(next)
        if (done instanceof Promise) await done
        if ((wasFull || socket.isPaused) && !this.#isFull() && !this.#isClosed) socket.resume()
      }
    } catch (error) {
      onFault(error)
    }
    this.#isWorking = false
  }

  #handle(message: Message): void | Promise<void> {
    const { onMessage, onRefused } = this.#options
    if (message.text !== undefined) return onMessage(message.text)
    const { refusal } = message
    onRefused(refusal, refusal === 'rate_limited' ? RATE_LIMITED : NO_BINARY)
  }

  #isFull(): boolean {
    return this.#waiting.length >= WAITING_MESSAGES_MAX || this.#waitingBytes >= WAITING_BYTES_MAX
  }
}

type Message =
  | { size: number; text: string; refusal?: undefined }
  | { size: number; text?: undefined; refusal: 'rate_limited' | 'invalid_message' }
