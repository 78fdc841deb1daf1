import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** In all connections together. A waiting request takes about 2 kB. */
const WAITING_MAX = 50_000

/**
 * Hands one request of each connection at a time to the handler. Node.js reads up to 64 KiB at once
 * and emits every request in it, which is more than a thousand small ones. They wait until the
 * answers before theirs are out, and nothing more of the connection is read while any of them waits.
 */
export function serveOnePerConnection(handler: RequestListener, waitingMax = WAITING_MAX): RequestListener {
  const waiting = new WaitingRequests()
  return (request, response) => {
    const { socket } = request
    // A response gets the socket when those before it are out: mostly there are none.
    if (response.socket !== null) return handler(request, response)
    // The rest of a chunk comes even after the connection is cut.
    if (socket.destroyed) return
    if (waiting.count >= waitingMax) return void socket.destroy()
    waiting.add(socket)
    afterEarlierResponses(response, () => {
      waiting.remove(socket)
      handler(request, response)
    })
  }
}

/** Never calls `start` when the connection ends before. */
function afterEarlierResponses(response: ServerResponse<IncomingMessage>, start: () => void): void {
  // Not at once: connections whose requests are answered without waiting would leave no time for others.
  response.once('socket', (socket: Socket) => {
    setImmediate(() => {
      if (!socket.destroyed) start()
    })
  })
}

/** How many requests wait, by connection. Connections with waiting requests are not read. */
class WaitingRequests {
  readonly #counts = new Map<Socket, number>()
  count = 0

  add(socket: Socket): void {
    const before = this.#counts.get(socket) ?? this.#open(socket)
    this.#counts.set(socket, before + 1)
    this.count++
    if (before === 0) socket.pause()
  }

  remove(socket: Socket): void {
    const left = (this.#counts.get(socket) ?? 0) - 1
    this.#counts.set(socket, left)
    this.count--
    if (left === 0) socket.resume()
  }

  #open(socket: Socket): number {
    // Node.js resumes a connection after each request, to find the end of its body.
    socket.on('resume', () => {
      if (this.#counts.get(socket) !== 0) socket.pause()
    })
    socket.once('close', () => {
      this.count -= this.#counts.get(socket) ?? 0
      this.#counts.delete(socket)
    })
    return 0
  }
}
