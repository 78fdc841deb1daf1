import { AuspexError, messageOf } from './auspex-error.js'
import { backoffMs, type Sleep } from './http.js'

/** What the client needs of a WebSocket: those of browsers, Node.js, Bun, Deno and the `ws` package have it. */
export type WebSocketLike = {
  onopen: ((event: never) => unknown) | null
  onmessage: ((event: never) => unknown) | null
  onclose: ((event: never) => unknown) | null
  onerror: ((event: never) => unknown) | null
  send(text: string): void
  close(): void
  /** That of the `ws` package has it. */
  terminate?(): void
}

export type WebSocketConstructor = new (url: string) => WebSocketLike

/** A message of the service. */
export type SocketMessage = { readonly type?: string; readonly [field: string]: unknown }

export type SocketOptions = {
  url: string
  WebSocket: WebSocketConstructor | undefined
  sleep: Sleep
}

/** What uses a socket. */
export type SocketUser = {
  /** There is a new connection: whatever the service is to know has to be sent. */
  onOpen(): void
  onMessage(message: SocketMessage): void
  /** There is no connection; another one is tried after the wait. */
  onLost(error: AuspexError, waitMs: number): void
  /** There is no connection, and none is tried any more. */
  onFailed(error: AuspexError): void
}

const RETRY_MS = 1_000
const RETRY_MS_MAX = 30_000
const CHECK_EVERY_MS = 5_000
const HANDSHAKE_MS_MAX = 10_000
/** The service sends something every 30 seconds on the event socket, and answers pings on both. */
const PING_AFTER_MS = 20_000
const SILENCE_MS_MAX = 35_000
const CLOSE_MS_MAX = 1_000

/** Refusals that stay, however often the client connects. */
const LASTING = [
  'unauthorized',
  'forbidden',
  'session_limit',
  'replay_limit',
  'invalid_by_subscription_option',
  'invalid_integrity_option',
]
const LASTING_CLOSES = [4401, 4403]
/** Errors that are about the connection, which ends after them, and not about a message of the client. */
const ENDING = [
  ...LASTING,
  'connection_limit',
  'internal_error',
  'integrity_backpressure',
  'integrity_internal_reset',
]

/**
 * A WebSocket that connects again by itself.
 *
 * connecting -> open: the handshake is done. open, connecting -> waiting: the connection ended, or was silent for too
 * long. waiting -> connecting: the wait is over; it doubles with each attempt that fails.
 * Any -> over: `close`, or a refusal that stays.
 */
export class ReliableSocket {
  readonly #options: SocketOptions
  readonly #user: SocketUser
  readonly #ending = new AbortController()
  #connection: Connection | undefined

  constructor(options: SocketOptions, user: SocketUser) {
    this.#options = options
    this.#user = user
    void this.#run()
  }

  /** Sends nothing while there is no connection: `onOpen` says when there is one. */
  send(message: object): void {
    this.#connection?.send(message)
  }

  close(): void {
    this.#ending.abort()
    this.#connection?.drop('closed')
  }

  async #run(): Promise<void> {
    const { signal } = this.#ending
    for (let failures = 0; ; failures++) {
      const { error, wasUseful, isLasting } = await this.#connect().catch(toLastingEnd)
      if (signal.aborted) return
      if (isLasting) {
        this.#user.onFailed(error)
        return
      }
      if (wasUseful) failures = 0
      const waitMs = backoffMs(failures, RETRY_MS, RETRY_MS_MAX)
      this.#user.onLost(error, waitMs)
      await this.#options.sleep(waitMs, signal).catch(() => undefined)
      if (signal.aborted) return
    }
  }

  /** Resolves when the connection has ended. Rejects when there can be none. */
  async #connect(): Promise<ConnectionEnd> {
    const Socket = this.#options.WebSocket ?? (await findWebSocket())
    this.#connection = new Connection(new Socket(this.#options.url), this.#user)
    if (this.#ending.signal.aborted) this.#connection.drop('closed')
    const end = await this.#connection.ended
    this.#connection = undefined
    return end
  }
}

type ConnectionEnd = { error: AuspexError; wasUseful: boolean; isLasting: boolean }

/** One connection, from its handshake to its end. */
class Connection {
  readonly ended: Promise<ConnectionEnd>
  readonly #socket: WebSocketLike
  readonly #user: SocketUser
  readonly #watch: ReturnType<typeof setInterval>
  #end: (end: ConnectionEnd) => void = () => undefined
  #isOpen = false
  #seenMs = Date.now()
  #refusal: AuspexError | undefined
  #reason: string | undefined
  #wasUseful = false

  constructor(socket: WebSocketLike, user: SocketUser) {
    this.#socket = socket
    this.#user = user
    this.ended = new Promise((resolve) => {
      this.#end = resolve
    })
    socket.onopen = () => {
      this.#isOpen = true
      this.#seenMs = Date.now()
      user.onOpen()
    }
    socket.onmessage = ({ data }: { data: unknown }) => this.#onMessage(data)
    socket.onerror = ({ message }: { message?: string }) => {
      this.#reason ??= message || undefined
    }
    socket.onclose = ({ code, reason }: { code: number; reason: string }) => this.#onClose(code, reason)
    this.#watch = setInterval(() => this.#checkSilence(), CHECK_EVERY_MS)
  }

  send(message: object): void {
    if (this.#isOpen) this.#socket.send(JSON.stringify(message))
  }

  drop(reason: string): void {
    this.#reason ??= reason
    this.#onClose()
  }

  #onMessage(data: unknown): void {
    this.#seenMs = Date.now()
    const message = parseMessage(data)
    if (message === undefined) {
      this.drop('the service sent what this client cannot read')
      return
    }
    const error = toSocketError(message)
    if (error !== undefined && ENDING.includes(error.code ?? '')) {
      this.#refusal = error
      this.#onClose()
      return
    }
    this.#wasUseful ||= error === undefined
    this.#user.onMessage(message)
  }

  #checkSilence(): void {
    const silentMs = Date.now() - this.#seenMs
    if (silentMs > (this.#isOpen ? SILENCE_MS_MAX : HANDSHAKE_MS_MAX)) this.drop('the service is silent')
    else if (silentMs > PING_AFTER_MS) this.send({ action: 'ping' })
  }

  #onClose(code?: number, reason?: string): void {
    const socket = this.#socket
    clearInterval(this.#watch)
    this.#isOpen = false
    // What it still says is of no interest, and errors without a listener end a process.
    socket.onopen = socket.onmessage = socket.onclose = null
    socket.onerror = () => undefined
    socket.close()
    // A peer that does not answer must not keep a process from ending.
    const cutOff: unknown = setTimeout(() => socket.terminate?.(), CLOSE_MS_MAX)
    ;(cutOff as { unref?(): void }).unref?.()
    const isLost = code === undefined || code === 1006
    const closed = `the service closed the connection (${[code, reason].filter(Boolean).join(', ')})`
    const error =
      this.#refusal ?? new AuspexError(this.#reason ?? (isLost ? 'the connection was lost' : closed))
    const isLasting = LASTING.includes(error.code ?? '') || LASTING_CLOSES.includes(code ?? 0)
    this.#end({ error, wasUseful: this.#wasUseful, isLasting })
  }
}

const toLastingEnd = (error: unknown): ConnectionEnd => ({
  error: error instanceof AuspexError ? error : new AuspexError(messageOf(error), { cause: error }),
  wasUseful: false,
  isLasting: true,
})

/** The error that a message tells; `undefined`: it tells none. */
export function toSocketError(message: SocketMessage): AuspexError | undefined {
  if (message.type !== 'error' && message.error === undefined) return undefined
  const { code = message.error, message: text, retry_after_ms: retryAfterMs } = message
  return new AuspexError(String(text), {
    code: String(code),
    retryAfterSeconds: typeof retryAfterMs === 'number' ? retryAfterMs / 1_000 : undefined,
    body: message,
  })
}

function parseMessage(data: unknown): SocketMessage | undefined {
  try {
    return Object(JSON.parse(String(data)))
  } catch {
    return undefined
  }
}

async function findWebSocket(): Promise<WebSocketConstructor> {
  const { WebSocket } = globalThis as { WebSocket?: WebSocketConstructor }
  if (WebSocket !== undefined) return WebSocket
  // Not a literal, so that bundlers for browsers do not look for it.
  const name = 'ws'
  const found: Promise<{ WebSocket: WebSocketConstructor }> = import(/* @vite-ignore */ name)
  return await found.then(
    (ws) => ws.WebSocket,
    (cause) => {
      throw new AuspexError('This runtime has no WebSocket: install the package ws, or pass one.', { cause })
    },
  )
}
