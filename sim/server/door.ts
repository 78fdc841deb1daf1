import { type IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { type WebSocket, WebSocketServer } from 'ws'
import { AnswerMemory } from './answer-memory.js'
import type { HostParts, HttpReply, HttpRequest } from './host.js'
import type { HostFaults } from './host-faults.js'
import { refuseByFault, writeReply } from './http-reply.js'
import { readBody, readRequest } from './http-request.js'
import { SocketPeer } from './socket-peer.js'

const MESSAGE_BYTES_MAX = 8 * 1024 * 1024

const TOO_LARGE: HttpReply = { status: 413, body: { error: 'request body is too large' } }
const NO_HTTP: HttpReply = { status: 426, body: { error: 'this host speaks WebSocket' } }
const NO_SOCKETS: HttpReply = { status: 404, body: { error: 'not found' } }

/** Lets requests and handshakes through to the handlers of a host, or does what its faults say. */
export class Door {
  readonly #faults: HostFaults
  readonly #parts: HostParts
  readonly #memory = new AnswerMemory()
  readonly #sockets = new WebSocketServer({ noServer: true, maxPayload: MESSAGE_BYTES_MAX })
  readonly #peers = new Set<SocketPeer>()

  constructor(faults: HostFaults, parts: HostParts) {
    this.#faults = faults
    this.#parts = parts
  }

  async onRequest(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(incoming, MESSAGE_BYTES_MAX).catch(() => '')
    if (response.destroyed || this.#faults.hits('half-open')) return
    const request = body === undefined ? TOO_LARGE : readRequest(incoming, body)
    const reply = 'status' in request ? request : await this.#reply(request)
    await this.#delay()
    writeReply(response, reply, this.#faults)
  }

  async onUpgrade(incoming: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    socket.on('error', () => socket.destroy())
    if (this.#faults.hits('half-open')) return discard(socket)
    await this.#parts.opened
    const request = readRequest(incoming, '')
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
    const refusal = refuseByFault(this.#faults)
    if (refusal !== undefined) return refusal
    try {
      return await this.#memory.answer(request, this.#faults, () => http(request))
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

  async #delay(): Promise<void> {
    const delayMs = this.#faults.delayMs()
    if (delayMs > 0) await wait(delayMs, undefined, { ref: false })
  }
}

function writeRefusal(
  incoming: IncomingMessage,
  socket: Socket,
  reply: HttpReply,
  faults: HostFaults,
): void {
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
