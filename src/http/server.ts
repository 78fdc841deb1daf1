import { randomBytes } from 'node:crypto'
import { createServer, IncomingMessage, type RequestListener, type Server } from 'node:http'
import type { Socket } from 'node:net'
import type { ConnectionShares } from './connection-shares.js'
import { serveOnePerConnection } from './serve-one-per-connection.js'

/** A server with bounds on connections, slow senders and slow readers. */
export function createHttpServer(handler: RequestListener, shares: ConnectionShares): Server {
  const options = {
    // Against clients that send too slowly, on purpose or not.
    connectionsCheckingInterval: 2_000,
    headersTimeout: 10_000,
    requestTimeout: 30_000,
    // Longer than the minute after which proxies usually give up an idle connection.
    keepAliveTimeout: 72_000,
    // `checkHeaders` sees what was sent and refuses it in the form of every other answer: Node.js would
    // drop headers past the thousandth and repeated ones, and answer a missing host by itself.
    joinDuplicateHeaders: true,
    requireHostHeader: false,
    IncomingMessage: ApiRequest,
  }
  const serve = serveOnePerConnection((request, response) => {
    shares.begin(request.socket, response)
    handler(request, response)
  })
  const server = createServer(options, serve)
  server.maxHeadersCount = 0
  server.maxConnections = 10_000
  // An expectation that is unknown may be ignored; Node.js would answer with a bare 417.
  server.on('checkExpectation', serve)
  cutSlowReaders(server)
  shares.watch(server)
  return server
}

/**
 * A request that offers another protocol than WebSocket is served as if it did not: some clients offer HTTP/2
 * with every request. Node.js would hand all offers to the WebSocket door.
 */
class ApiRequest extends IncomingMessage {
  // Declared without a value, because the constructor of the class above sets it.
  declare isOffer: boolean | null

  get upgrade(): boolean {
    return this.isOffer === true && this.headers.upgrade?.toLowerCase() === 'websocket'
  }

  set upgrade(isOffer: boolean | null) {
    this.isOffer = isOffer
  }
}

/** Unique across processes and cheap: a random prefix and a counter. */
export function createRequestIds(): () => string {
  const prefix = randomBytes(6).toString('hex')
  let count = 0
  return () => `${prefix}-${(count++).toString(36)}`
}

export function dropTrailingSlash(url: string): string {
  const queryAt = url.indexOf('?')
  const path = queryAt === -1 ? url : url.slice(0, queryAt)
  const hasSlash = path.endsWith('/') && path !== '/v3/'
  return hasSlash ? path.slice(0, -1) + url.slice(path.length) : url
}

/**
 * From now on every answer ends its connection. A load balancer that keeps connections open would otherwise send a
 * request on one of them at the moment at which the server closes it, and could not repeat a POST.
 */
export function endConnectionsWithAnswers(server: Server): void {
  const onRequest: RequestListener = (_request, response) => response.setHeader('connection', 'close')
  server.prependListener('request', onRequest)
  server.prependListener('checkExpectation', onRequest)
}

const QUIET_ITERATION_MS = 1
const QUIET_WAIT_MS_MAX = 200

/**
 * Takes no new connections. Those that the system has accepted and this process has not are reset, with the requests
 * that were sent on them. The event loop accepts them once in each iteration: so the listener is closed after an
 * iteration that was short, when hardly any can be waiting.
 */
export async function stopListening(server: Server): Promise<void> {
  const deadline = performance.now() + QUIET_WAIT_MS_MAX
  let iterationMs: number
  do {
    const startedAt = performance.now()
    await new Promise((resolve) => setImmediate(resolve))
    iterationMs = performance.now() - startedAt
  } while (iterationMs > QUIET_ITERATION_MS && performance.now() < deadline)
  server.close()
}

/**
 * Cuts off clients that take nothing of a waiting answer between two checks: its bytes are our
 * memory. A check now and then costs less than the timer per socket that `server.timeout` would
 * restart with every read and write.
 */
export function cutSlowReaders(server: Server): void {
  const taken = new Map<Socket, number>()
  const check = () => {
    for (const [socket, bytesBefore] of taken) {
      const bytesNow = socket.bytesWritten - socket.writableLength
      if (socket.writableLength > 0 && bytesNow === bytesBefore) socket.destroy()
      else taken.set(socket, bytesNow)
    }
  }
  const timer = setInterval(check, 20_000).unref()
  server.on('connection', (socket) => {
    taken.set(socket, 0)
    socket.once('close', () => taken.delete(socket))
  })
  // WebSockets have a limit of their own for what waits.
  server.on('upgraded', (socket: Socket) => taken.delete(socket))
  server.on('close', () => clearInterval(timer))
}
