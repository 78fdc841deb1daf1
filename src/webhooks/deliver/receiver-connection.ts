import type { Socket } from 'node:net'
import { Client, errors } from 'undici'
import type { Attempt } from './attempt.js'

const ANSWER_BODY_BYTES_MAX = 64 * 1024
const ANSWER_HEADER_BYTES_MAX = 16 * 1024
const IDLE_MS_MAX = 4_000

export type WebhookRequest = { path: string; headers: Record<string, string>; body: string }

/** The socket ended while it was idle: the request was not sent. */
export class StaleConnectionError extends Error {
  override name = 'StaleConnectionError'
}

/** One open socket to a receiver and the HTTP that is spoken on it, one request at a time. */
export class ReceiverConnection {
  readonly origin: string
  readonly #socket: Socket
  readonly #client: Client

  /** `onEnd` is called once, when the socket has ended. */
  constructor(origin: string, socket: Socket, onEnd: (connection: ReceiverConnection) => void) {
    this.origin = origin
    this.#socket = socket
    let isGiven = false
    this.#client = new Client(origin, {
      // The client would dial again by itself, past the checks, when its socket has ended.
      connect: (_options, callback) => {
        const stale = isGiven ? new StaleConnectionError('the connection has ended') : undefined
        isGiven = true
        // The client expects to wait for its socket.
        queueMicrotask(() => (stale ? callback(stale, null) : callback(null, socket)))
      },
      pipelining: 1,
      maxHeaderSize: ANSWER_HEADER_BYTES_MAX,
      keepAliveTimeout: IDLE_MS_MAX,
      keepAliveMaxTimeout: IDLE_MS_MAX,
      // The sender has one deadline for everything.
      headersTimeout: 0,
      bodyTimeout: 0,
    })
    socket.once('close', () => {
      this.destroy()
      onEnd(this)
    })
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed && this.#socket.readyState === 'open'
  }

  /**
   * Posts and gives the status of the answer. The body is read only so that the connection can be used
   * again, and no further than the limit: what it holds does not matter, nor whether it is whole.
   */
  post(request: WebhookRequest, attempt: Attempt, onStatus: () => void): Promise<number> {
    return new Promise((resolve, reject) => {
      let status: number | undefined
      let bodyBytes = 0
      attempt.onEnd((reason) => this.destroy(reason))
      this.#client.dispatch(
        { method: 'POST', ...request },
        {
          onRequestStart() {},
          onResponseStart(_, statusCode) {
            if (statusCode < 200) return
            status = statusCode
            onStatus()
          },
          onResponseData: (_, chunk) => {
            bodyBytes += chunk.length
            if (bodyBytes > ANSWER_BODY_BYTES_MAX) this.destroy()
          },
          onResponseEnd() {
            if (status !== undefined) resolve(status)
          },
          onResponseError(_, error) {
            if (status !== undefined) resolve(status)
            else reject(error)
          },
        },
      )
    })
  }

  /** A request that runs fails with the reason. */
  destroy(reason: Error = new errors.SocketError('the connection was closed')): void {
    this.#client.destroy(reason).catch(() => undefined)
    this.#socket.destroy()
  }
}
