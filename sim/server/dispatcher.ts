import { type IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { type WebSocket, WebSocketServer } from 'ws'
import type { HostFaults } from './faults.js'
import type { HostParts, HttpReply, HttpRequest } from './handlers.js'
import { parseRequest, readBody, refuseByFault, showBody, writeReply } from './http.js'
import { SocketPeer } from './socket-peer.js'

const MESSAGE_BYTES_MAX = 8 * 1024 * 1024
const KEPT_CHARACTERS_MAX = 4_000_000

const TOO_LARGE: HttpReply = { status: 413, body: { error: 'request body is too large' } }
const NO_HTTP: HttpReply = { status: 426, body: { error: 'this host speaks WebSocket' } }
const NO_SOCKETS: HttpReply = { status: 404, body: { error: 'not found' } }

/** Dispatches requests and handshakes to the handlers of a host, or does what its faults say. */
export class Dispatcher {
  readonly #faults: HostFaults
  readonly #parts: HostParts
  readonly #replies = new ReplyCache()
  readonly #sockets = new WebSocketServer({ noServer: true, maxPayload: MESSAGE_BYTES_MAX })
  readonly #peers = new Set<SocketPeer>()

  constructor(faults: HostFaults, parts: HostParts) {
    this.#faults = faults
    this.#parts = parts
  }

  async onRequest(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(incoming, MESSAGE_BYTES_MAX).catch(() => '')
    const path = pathOf(incoming)
    if (response.destroyed || this.#faults.hits('half-open', path)) return
    const request = body === undefined ? TOO_LARGE : parseRequest(incoming, body)
    const reply = 'status' in request ? request : await this.#reply(request)
    await this.#delay(path)
    writeReply(response, reply, this.#faults, path)
  }

  async onUpgrade(incoming: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    socket.on('error', () => socket.destroy())
    if (this.#faults.hits('half-open')) return discard(socket)
    await this.#parts.opened
    const request = parseRequest(incoming, '')
    const refusal = 'status' in request ? request : this.#refuse(request)
    await this.#delay()
    if (refusal !== undefined) writeRefusal(incoming, socket, refusal, this.#faults)
    else if (!('status' in request)) {
      this.#sockets.handleUpgrade(incoming, socket, head, (webSocket) =>
        this.#connect(request, webSocket, socket),
      )
    }
  }

  /** The sockets that are open now go dead without being closed. */
  freeze(): void {
    for (const peer of this.#peers) if (this.#faults.hits('half-open')) peer.freeze()
  }

  async #reply(request: HttpRequest): Promise<HttpReply> {
    const { http } = this.#parts
    if (http === undefined) return NO_HTTP
    const refusal = refuseByFault(this.#faults, request.path)
    if (refusal !== undefined) return refusal
    try {
      return await this.#replies.answer(request, this.#faults, () => http(request))
    } catch (error) {
      return { status: 500, body: { error: String(error) } }
    }
  }

  #refuse(request: HttpRequest): HttpReply | undefined {
    if (this.#parts.connect === undefined) return NO_SOCKETS
    return refuseByFault(this.#faults) ?? this.#parts.refuse?.(request)
  }

  #connect(request: HttpRequest, webSocket: WebSocket, connection: Socket): void {
    const peer = new SocketPeer(request, webSocket, connection, this.#faults)
    this.#peers.add(peer)
    peer.onClose(() => this.#peers.delete(peer))
    this.#parts.connect?.(peer)
  }

  async #delay(path?: string): Promise<void> {
    const delayMs = this.#faults.delayMs(path)
    if (delayMs > 0) await wait(delayMs, undefined, { ref: false })
  }
}

/** Without the query; as it was asked for, also when it is no path. */
const pathOf = ({ url = '' }: IncomingMessage): string => url.split('?', 1)[0] ?? ''

/** Keeps the newest replies, so that the fault `stale` can repeat them as an outdated cache would. */
class ReplyCache {
  readonly #replies = new LRUCache<string, HttpReply>({
    maxSize: KEPT_CHARACTERS_MAX,
    maxEntrySize: KEPT_CHARACTERS_MAX / 4,
  })

  async answer(
    request: HttpRequest,
    faults: HostFaults,
    handle: () => HttpReply | Promise<HttpReply>,
  ): Promise<HttpReply> {
    const key = `${request.method} ${request.url} ${request.body}`
    const known = faults.hits('stale', request.path) ? this.#replies.get(key) : undefined
    if (known !== undefined) return known
    const reply = await handle()
    const body = showBody(reply)
    const kept = { ...reply, body }
    this.#replies.set(key, kept, { size: key.length + body.length })
    return kept
  }
}

function writeRefusal(incoming: IncomingMessage, socket: Socket, reply: HttpReply, faults: HostFaults): void {
  const response = new ServerResponse(incoming)
  response.shouldKeepAlive = false
  response.assignSocket(socket)
  response.on('finish', () => socket.end())
  writeReply(response, reply, faults)
}

/** Never answers, and notices when the client gives up. */
function discard(socket: Socket): void {
  socket.on('end', () => socket.destroy())
  socket.resume()
}
