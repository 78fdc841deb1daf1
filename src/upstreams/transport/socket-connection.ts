import type { IncomingMessage } from 'node:http'
import { WebSocket } from 'ws'
import { messageOf } from '../../core/errors.js'
import { VERSION } from '../../lib/version.js'
import { parseRetryAfterMs } from './http-try.js'
import type { SocketFault, SocketLimits, SocketOptions, SocketTimings } from './socket-options.js'

/** `waitMs`: how long the peer asks us to stay away, at least. `detail` is for the log. */
export type ConnectionEnd = { fault: SocketFault; waitMs: number; detail: string }

type ConnectionOptions = Pick<
  SocketOptions<unknown>,
  'url' | 'headers' | 'heartbeat' | 'deadAfterMs' | 'silentAfterMs' | 'expectsData' | 'closeWaitMs'
> & {
  clock: { now(): number }
  timings: SocketTimings
  limits: SocketLimits
  onOpen: () => void
  /** `undefined`: a binary frame, which no upstream of ours sends. */
  onFrame: (text: string | undefined) => void
  /** Called exactly once, unless `close` was called before. */
  onEnd: (end: ConnectionEnd) => void
}

const NO_CLOSE_FRAME = 1006

/** One connection from its handshake to its end: sends heartbeats, and ends when no frame or no data comes. */
export class SocketConnection {
  readonly #options: ConnectionOptions
  readonly #socket: WebSocket
  readonly #handshake: NodeJS.Timeout
  readonly #alive: Watchdog
  readonly #data: Watchdog | undefined
  #heartbeat: NodeJS.Timeout | undefined
  #wasOpen = false
  #ended = false

  /** Throws when the URL or a header cannot be sent. */
  constructor(options: ConnectionOptions) {
    const { timings, limits, deadAfterMs, silentAfterMs } = options
    this.#options = options
    this.#alive = new Watchdog(deadAfterMs, () => this.end('dead', 'no sign of life'))
    if (silentAfterMs !== undefined) this.#data = new Watchdog(silentAfterMs, () => this.#onSilence())
    this.#socket = new WebSocket(options.url, {
      headers: { 'user-agent': `auspex/${VERSION}`, ...options.headers?.() },
      perMessageDeflate: false,
      maxPayload: limits.frameBytesMax,
      followRedirects: false,
    })
    // The library's own timeout restarts with every byte that comes; this one does not.
    this.#handshake = setTimeout(
      () => this.end('unreachable', 'the handshake took too long'),
      timings.handshakeMs,
    )
    this.#listen()
  }

  /** `false`: it did not go out, and the connection is over. */
  send(text: string): boolean {
    if (this.#ended || this.#socket.readyState !== WebSocket.OPEN) return false
    if (this.#socket.bufferedAmount + text.length > this.#options.limits.outboxBytesMax) {
      this.end('overrun', 'the peer does not take what we send')
      return false
    }
    // A failed write also ends the socket, which is where it is handled.
    this.#socket.send(text, () => undefined)
    return true
  }

  /** The frame just received was data. */
  touchData(): void {
    this.#data?.touch()
  }

  end(fault: SocketFault, detail: string, waitMs = 0): void {
    if (this.#ended) return
    this.#stop()
    this.#socket.terminate()
    this.#options.onEnd({ fault, waitMs, detail })
  }

  /** Ends it without calling `onEnd`. */
  close(): void {
    if (this.#ended) return
    this.#stop()
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.close(1000)
    this.#socket.terminate()
  }

  #listen(): void {
    const socket = this.#socket
    let failure: string | undefined
    socket.on('open', () => this.#onOpen())
    socket.on('message', (data, isBinary) => {
      this.#alive.touch()
      this.#options.onFrame(isBinary ? undefined : data.toString())
    })
    socket.on('ping', () => this.#alive.touch())
    socket.on('pong', () => this.#alive.touch())
    socket.on('unexpected-response', (_request, response) => this.#onRefusal(response))
    socket.on('error', (error) => {
      failure = messageOf(error)
    })
    socket.on('close', (code) => {
      const waitMs = this.#options.closeWaitMs?.(code) ?? 0
      if (!this.#wasOpen) this.end('unreachable', failure ?? 'no handshake')
      else if (failure !== undefined) this.end('lost', failure)
      else this.end(code === NO_CLOSE_FRAME ? 'lost' : 'closed', `close code ${code}`, waitMs)
    })
  }

  #onOpen(): void {
    const { everyMs, text } = this.#options.heartbeat
    this.#wasOpen = true
    clearTimeout(this.#handshake)
    this.#heartbeat = setInterval(() => {
      if (text === undefined) this.#socket.ping()
      else this.send(text)
    }, everyMs)
    this.#alive.start()
    this.#data?.start()
    this.#options.onOpen()
  }

  #onRefusal(response: IncomingMessage): void {
    const { statusCode, headers } = response
    const waitMs = parseRetryAfterMs(headers, '', this.#options.clock.now()) ?? 0
    this.end('refused', `status ${statusCode}`, waitMs)
  }

  #onSilence(): void {
    if (this.#options.expectsData?.() ?? true) this.end('silent', 'no data')
    else this.#data?.start()
  }

  #stop(): void {
    this.#ended = true
    clearTimeout(this.#handshake)
    clearInterval(this.#heartbeat)
    this.#alive.stop()
    this.#data?.stop()
    this.#socket.removeAllListeners()
    // The library may still report errors while it closes the connection.
    this.#socket.on('error', () => undefined)
  }
}

/** A busy event loop runs timers before it reads from sockets: a last pause lets it read first. */
const LAST_CHANCE_MS = 1

/** Calls back once when `touch` was not called for `afterMs`. `start` arms it again. */
class Watchdog {
  readonly #afterMs: number
  readonly #onQuiet: () => void
  #timer: NodeJS.Timeout | undefined
  #touchedAt = 0

  constructor(afterMs: number, onQuiet: () => void) {
    this.#afterMs = afterMs
    this.#onQuiet = onQuiet
  }

  start(): void {
    this.stop()
    this.touch()
    this.#wait(this.#afterMs)
  }

  // Cheap, because every frame calls it: the timer runs on and compares this time when it is due.
  touch(): void {
    this.#touchedAt = performance.now()
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  #wait(ms: number): void {
    this.#timer = setTimeout(() => {
      const leftMs = this.#leftMs()
      if (leftMs > 0) return this.#wait(leftMs)
      this.#timer = setTimeout(() => {
        if (this.#leftMs() > 0) this.#wait(this.#leftMs())
        else this.#onQuiet()
      }, LAST_CHANCE_MS)
    }, ms)
  }

  #leftMs(): number {
    return this.#touchedAt + this.#afterMs - performance.now()
  }
}
