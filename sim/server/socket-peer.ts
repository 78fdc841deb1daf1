import type { Socket } from 'node:net'
import { WebSocket } from 'ws'
import type { HostFaults } from './faults.js'
import type { HttpRequest, Peer } from './handlers.js'
import { GARBAGE } from './http.js'

/** A client that leaves this much unread is cut off: its queue is our memory. */
const BUFFERED_BYTES_MAX = 128 * 1024 * 1024

/** Text pings and the answers to them belong to the connection and not to the data. */
const HEARTBEATS = ['', 'PONG', 'pong', 'ping']

/** A frame that is to come after the next one comes anyway when there is none for this long. */
const HELD_MS_MAX = 500

type Delayed = { text: string; dueMs: number }

/** A client on a socket; frames to and from it pass through the faults of the host. */
export class SocketPeer implements Peer {
  readonly request: HttpRequest
  readonly #socket: WebSocket
  readonly #connection: Socket
  readonly #faults: HostFaults
  /** Frames that a slow host sends later; all later frames are queued after them. */
  readonly #delayed: Delayed[] = []
  #timer: NodeJS.Timeout | undefined
  /** A frame that comes after the one that follows it. */
  #held: { text: string; timer: NodeJS.Timeout } | undefined
  #frozen = false

  constructor(request: HttpRequest, socket: WebSocket, connection: Socket, faults: HostFaults) {
    this.request = request
    this.#socket = socket
    this.#connection = connection
    this.#faults = faults
    // A broken frame of the client closes the socket, which is all that has to happen.
    socket.on('error', () => undefined)
    socket.on('close', () => {
      clearTimeout(this.#timer)
      clearTimeout(this.#held?.timer)
    })
  }

  send(message: unknown): void {
    if (this.#frozen || this.#socket.readyState !== WebSocket.OPEN) return
    const text = typeof message === 'string' ? message : JSON.stringify(message)
    if (!HEARTBEATS.includes(text) && this.#faults.hits('silent')) return

    const shown = this.#spoil(text)
    if (this.#held === undefined && this.#faults.hits('reordered')) {
      this.#held = { text: shown, timer: setTimeout(() => this.#release(), HELD_MS_MAX) }
      return
    }
    this.#pass(shown)
    if (this.#faults.hits('duplicate')) this.#pass(shown)
    this.#release()
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, reason)
  }

  onText(listener: (text: string) => void): void {
    this.#socket.on('message', (data, isBinary) => {
      if (isBinary || this.#frozen) return
      try {
        listener(data.toString())
      } catch (error) {
        this.close(1011, String(error).slice(0, 100))
      }
    })
  }

  onClose(listener: () => void): void {
    this.#socket.on('close', listener)
  }

  bufferedBytes(): number {
    return this.#socket.bufferedAmount
  }

  /**
   * From now on nothing is answered, not even a ping. What the client sends is still taken off the
   * wire, because a socket that is not read does not notice that the client has left.
   */
  freeze(): void {
    if (this.#frozen) return
    this.#frozen = true
    this.#delayed.length = 0
    clearTimeout(this.#held?.timer)
    this.#connection.removeAllListeners('data')
    this.#connection.on('data', () => undefined)
  }

  #spoil(text: string): string {
    if (this.#faults.hits('garbage')) return GARBAGE
    return this.#faults.hits('truncated') ? text.slice(0, text.length >> 1) : text
  }

  #release(): void {
    if (this.#held === undefined) return
    const { text, timer } = this.#held
    this.#held = undefined
    clearTimeout(timer)
    this.#pass(text)
  }

  #pass(text: string): void {
    const delayMs = this.#faults.delayMs()
    if (delayMs === 0 && this.#delayed.length === 0) this.#write(text)
    else {
      const lastDueMs = this.#delayed.at(-1)?.dueMs ?? 0
      this.#delayed.push({ text, dueMs: Math.max(performance.now() + delayMs, lastDueMs) })
      this.#timer ??= this.#wait()
    }
  }

  #wait(): NodeJS.Timeout | undefined {
    const [next] = this.#delayed
    if (next === undefined) return undefined
    return setTimeout(() => {
      this.#sendDue()
      this.#timer = this.#wait()
    }, next.dueMs - performance.now())
  }

  /** All at once: a timer for each frame could not keep up with a fast stream. */
  #sendDue(): void {
    const nowMs = performance.now()
    const later = this.#delayed.findIndex(({ dueMs }) => dueMs > nowMs)
    const due = this.#delayed.splice(0, later === -1 ? this.#delayed.length : later)
    for (const { text } of due) if (!this.#frozen) this.#write(text)
  }

  #write(text: string): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return
    if (this.bufferedBytes() > BUFFERED_BYTES_MAX) this.#socket.terminate()
    else this.#socket.send(text)
  }
}
