import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'
import { AddressThrottle } from '../accounts/address-throttle.js'
import { ADMITTED } from '../http/connection-shares.js'
import { faultFields } from '../lib/fault-fields.js'
import { withTimeout } from '../lib/timeout.js'
import { pause, pollUntil } from '../lib/timing.js'
import { ClientConnection } from './client-connection.js'
import {
  CLOSE,
  type Connection,
  type ConnectionOptions,
  type Protocol,
  presentError,
  type SocketKind,
  toReason,
} from './connection.js'
import { Connections, countFirehoses, createSocketMetrics } from './connections.js'
import type { StreamDeps } from './deps.js'
import { Flusher } from './fast/flusher.js'
import { Inboxes } from './inbox.js'
import { KeyCheck } from './key-check.js'
import {
  type AdmittedSocket,
  createUpgradeReader,
  findCredentials,
  type RefusedSocket,
  SocketAdmission,
  type SocketRequest,
} from './socket-admission.js'

/** The HTTP server takes some more, so that requests are answered beside all of these. */
const CONNECTIONS_MAX = 8_000
const CONNECTIONS_PER_ADDRESS_MAX = 6_000
/** Each has up to some megabytes of events in memory. */
const REPLAYS_MAX = 100
/** A client's message; a list of 15,000 token ids of 80 characters fits. */
const MESSAGE_BYTES_MAX = 2 * 1024 * 1024
/** Against messages in tiny pieces: each piece costs more memory than it has bytes. */
const MESSAGE_FRAGMENTS_MAX = 1_024
const MESSAGE_CHUNKS_MAX = 16_384
/**
 * Some clients connect again after a refusal about every second and for ever: past the limit they get an answer
 * that costs next to nothing. Only keys that are known to be bad are held against an address, so that its other
 * clients are served.
 */
const REFUSALS_PER_MINUTE_MAX = 20
/** How long a client may take to answer the frame that closes. */
const CLOSE_MS_MAX = 5_000
/** The types of the library do not know this option yet. */
const CLOSING = { closeTimeout: CLOSE_MS_MAX }
const BEAT_EVERY_MS = 250
/** On a stop, what clients may take to answer, and what the database may take to forget their sessions. */
const LAST_CLOSE_MS_MAX = 1_000
const LEAVE_MS_MAX = 300
const RESTARTS = 'the service restarts'
/** Between two groups of connections that are closed one after the other. */
const DISMISS_EVERY_MS = 50

export type CreateProtocol = (
  connection: Connection,
  options: Omit<ConnectionOptions, 'isDeflated'> & { socket: SocketKind },
) => Protocol

/** Takes the WebSockets of an HTTP server. */
export class SocketDoor {
  readonly #deps: StreamDeps
  readonly #server: Server
  readonly #createProtocol: CreateProtocol
  readonly #readUpgrade: (request: IncomingMessage) => SocketRequest | undefined
  readonly #sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: MESSAGE_BYTES_MAX,
    maxFragments: MESSAGE_FRAGMENTS_MAX,
    maxBufferedChunks: MESSAGE_CHUNKS_MAX,
    autoPong: false,
    ...CLOSING,
  })
  readonly #flusher = new Flusher()
  readonly #inboxes = new Inboxes()
  readonly #connections: Connections
  readonly #throttle: AddressThrottle
  readonly #keyCheck: KeyCheck
  readonly #admission: SocketAdmission
  readonly #metrics: ReturnType<typeof createSocketMetrics>
  readonly #timer: NodeJS.Timeout
  /** Sockets that are not admitted yet, or refused and not closed yet. */
  readonly #others = new Set<WebSocket>()
  /** Admitted, and not closed by both ends yet. */
  readonly #unclosed = new Set<ClientConnection>()
  /** Replays that are not admitted yet. */
  #comingReplays = 0
  /** New clients are refused. */
  #isLeaving = false
  #isClosing = false

  constructor(server: Server, deps: StreamDeps, createProtocol: CreateProtocol) {
    this.#server = server
    this.#deps = deps
    this.#createProtocol = createProtocol
    this.#readUpgrade = createUpgradeReader(deps.config.trustedProxies, deps.clock)
    this.#connections = new Connections(deps.clock)
    this.#throttle = new AddressThrottle(deps.clock, REFUSALS_PER_MINUTE_MAX)
    this.#keyCheck = new KeyCheck(deps, this.#connections)
    this.#admission = new SocketAdmission(deps, this.#connections)
    this.#metrics = createSocketMetrics(deps.metrics, this.#connections)
    this.#timer = setInterval(() => this.beat(), BEAT_EVERY_MS).unref()
    server.on('upgrade', this.#onUpgrade)
    deps.statusParts.push({
      fields: () => ({
        ws_subscribers: this.#connections.size,
        firehose_connections: countFirehoses(this.#connections),
      }),
    })
  }

  /** What is due now and then. */
  beat(): void {
    this.#connections.beat()
    for (const connection of this.#connections) this.#countTransfer(connection)
    this.#keyCheck.run()
  }

  /**
   * Refuses new clients, and closes the connections in groups that are spread over the time, so that thousands of
   * clients do not reach other processes at one moment. `hurry` ends it; `close` ends what is left.
   */
  async dismiss(spreadMs: number, hurry: AbortSignal): Promise<void> {
    this.#isLeaving = true
    await this.#giveSlotsBack()
    const endsAtMs = performance.now() + spreadMs
    while (this.#connections.size > 0 && !hurry.aborted) {
      const stepsLeft = Math.max(1, Math.ceil((endsAtMs - performance.now()) / DISMISS_EVERY_MS))
      const group = [...this.#connections].slice(0, Math.ceil(this.#connections.size / stepsLeft))
      for (const connection of group) connection.close(CLOSE.restart, RESTARTS)
      await pause(DISMISS_EVERY_MS, hurry)
    }
  }

  /** Closes all connections, and resolves when they have ended. */
  async close(): Promise<void> {
    if (this.#isClosing) return
    this.#isLeaving = true
    this.#isClosing = true
    clearInterval(this.#timer)
    this.#admission.close()
    await this.#giveSlotsBack()
    for (const socket of this.#others) socket.close(CLOSE.restart, RESTARTS)
    for (const connection of this.#connections) connection.close(CLOSE.restart, RESTARTS)
    const isEmpty = () => this.#unclosed.size + this.#others.size === 0
    await pollUntil(isEmpty, { everyMs: 10, timeoutMs: LAST_CLOSE_MS_MAX })
    for (const connection of this.#unclosed) connection.terminate()
    for (const socket of this.#others) socket.terminate()
    this.#server.off('upgrade', this.#onUpgrade)
  }

  /** Before connections are closed, so that clients that connect to another process find their slots free. */
  async #giveSlotsBack(): Promise<void> {
    const { socketSessions, log } = this.#deps
    await withTimeout(socketSessions.leave(), LEAVE_MS_MAX, 'no answer').catch((error) =>
      log.warn(faultFields(error), 'places of sockets are given back when the lease ends'),
    )
  }

  readonly #onUpgrade = (message: IncomingMessage, socket: Socket, head: Buffer): void => {
    socket.on('error', () => socket.destroy())
    const request = this.#readUpgrade(message)
    const refusal = request === undefined ? NO_SOCKET : this.#findObstacle(request)
    if (request === undefined || refusal !== undefined) {
      refuseHttp(socket, refusal ?? NO_SOCKET)
      return
    }
    this.#sockets.handleUpgrade(message, socket, head, (webSocket) => {
      // Nothing is read before the client is admitted, but the end of the connection.
      webSocket.pause()
      this.#server.emit('upgraded', socket)
      void this.#take(webSocket, socket, request)
    })
  }

  /** Why the client gets no WebSocket at all; `undefined`: it gets one, even if only to learn why it is closed. */
  #findObstacle(request: SocketRequest): HttpRefusal | undefined {
    if (this.#isLeaving) {
      this.#metrics.refused.inc({ reason: 'stopping' })
      return STOPPING
    }
    if (request.fault !== undefined) return { status: 400, ...request.fault }
    const replays = this.#connections.countReplays() + this.#comingReplays
    const isReplayTooMuch = request.socket === 'replay' && replays >= REPLAYS_MAX
    if (isReplayTooMuch || this.#isFull(request.address)) {
      this.#metrics.refused.inc({ reason: 'full' })
      return FULL
    }
    const waitMs = this.#throttle.waitMs(request.address)
    if (waitMs === 0 || !this.#isKnownBad(request)) return undefined
    this.#metrics.refused.inc({ reason: 'throttled' })
    const retryAfterSeconds = Math.ceil(waitMs / 1000)
    return { status: 429, message: 'Too many refused connections.', retryAfterSeconds }
  }

  #isFull(address: string): boolean {
    const count = this.#unclosed.size + this.#others.size
    const isOver = this.#connections.countOf(address) >= CONNECTIONS_PER_ADDRESS_MAX
    return count >= CONNECTIONS_MAX || isOver
  }

  /** Whether the key or session can be refused without looking it up. */
  #isKnownBad(request: SocketRequest): boolean {
    const digest = this.#findDigest(request)
    return digest === undefined || this.#deps.keyRing.recallRefusal(digest) !== undefined
  }

  #findDigest(request: SocketRequest): string | undefined {
    try {
      return findCredentials(request, this.#deps.config).digest
    } catch {
      return undefined
    }
  }

  async #take(webSocket: WebSocket, tcpSocket: Socket, request: SocketRequest): Promise<void> {
    const { socket, options } = request
    this.#others.add(webSocket)
    webSocket.on('error', () => undefined)
    webSocket.on('close', () => this.#others.delete(webSocket))
    if ('code' in options) {
      const refused = { closeCode: CLOSE.policy, error: options }
      return this.#refuse(webSocket, request, refused)
    }
    const { keyRing } = this.#deps
    const { revision } = keyRing
    const verdict = await this.#admit(request)
    if ('error' in verdict) return this.#refuse(webSocket, request, verdict)
    if (webSocket.readyState !== webSocket.OPEN || this.#isClosing) {
      return verdict.session.close()
    }
    this.#others.delete(webSocket)
    this.#metrics.opened.inc({ socket })
    this.#open(webSocket, tcpSocket, { ...request, options }, verdict)
    if (keyRing.revision !== revision) this.#keyCheck.requestRun()
  }

  /** Replays count from here on: many may come before the first of them is admitted. */
  async #admit(request: SocketRequest): Promise<AdmittedSocket | RefusedSocket> {
    const replays = request.socket === 'replay' ? 1 : 0
    this.#comingReplays += replays
    try {
      return await this.#admission.admit(request)
    } finally {
      this.#comingReplays -= replays
    }
  }

  #open(
    webSocket: WebSocket,
    tcpSocket: Socket,
    request: SocketRequest & { options: ConnectionOptions },
    admitted: AdmittedSocket,
  ): void {
    const { clock, floodLog, usage, shares, socketSessions } = this.#deps
    const { socket, options, address } = request
    const connection = new ClientConnection({
      socket,
      webSocket,
      tcpSocket,
      clock,
      usage,
      shares,
      inboxes: this.#inboxes,
      socketSessions,
      ...options,
      ...admitted,
      log: floodLog,
      flusher: this.#flusher,
      createProtocol: (created) => this.#createProtocol(created, { socket, ...options }),
      onEnd: (ended, code) => {
        this.#countTransfer(ended)
        this.#connections.delete(ended)
        this.#metrics.closed.inc({ code: code ?? 'client' })
      },
    })
    tcpSocket.emit(ADMITTED)
    this.#connections.add(connection, address)
    this.#unclosed.add(connection)
    webSocket.on('close', () => {
      this.#countTransfer(connection)
      this.#unclosed.delete(connection)
    })
    webSocket.resume()
  }

  #refuse(webSocket: WebSocket, request: SocketRequest, { closeCode, error }: RefusedSocket): void {
    const { socket, address } = request
    if (closeCode === CLOSE.unauthorized) this.#throttle.add(address)
    this.#metrics.refused.inc({ reason: error.code })
    const fields = () => ({ socket, ip: address, code: error.code })
    this.#deps.floodLog.write('info', 'socket refused', fields, error.code)
    webSocket.send(JSON.stringify(presentError(socket, error)))
    webSocket.close(closeCode, toReason(error.message))
    // The client's answer is read, and nothing is done with anything else that it sends.
    webSocket.resume()
  }

  #countTransfer(connection: ClientConnection): void {
    const { marketBytes, onchainBytes } = connection.countTransfer()
    if (marketBytes > 0) this.#metrics.sentBytes.inc({ meter: 'ws_market' }, marketBytes)
    if (onchainBytes > 0) this.#metrics.sentBytes.inc({ meter: 'ws_onchain' }, onchainBytes)
  }
}

const NO_SOCKET: HttpRefusal = {
  status: 404,
  message: 'There is no WebSocket at this path. Use /ws, /ws/orderbook or /ws/replay.',
}
const FULL: HttpRefusal = {
  status: 503,
  message: 'The service cannot take more connections now.',
  retryAfterSeconds: 1,
}
const STOPPING: HttpRefusal = {
  status: 503,
  message: 'The process is stopping. Connect again to reach another one.',
  retryAfterSeconds: 1,
}

/** A client that does not close its end would keep the connection. */
const END_MS_MAX = 1_000

type HttpRefusal = { status: number; message: string; field?: string; retryAfterSeconds?: number }

/** Answers a request for a WebSocket as a plain request, and closes. */
function refuseHttp(socket: Socket, refusal: HttpRefusal): void {
  const { status, message, field, retryAfterSeconds } = refusal
  const body = JSON.stringify({ error: message, field })
  const retryAfter = retryAfterSeconds === undefined ? '' : `retry-after: ${retryAfterSeconds}\r\n`
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n` +
      'content-type: application/json; charset=utf-8\r\n' +
      `content-length: ${Buffer.byteLength(body)}\r\n${retryAfter}connection: close\r\n\r\n${body}`,
  )
  socket.setTimeout(END_MS_MAX, () => socket.destroy())
}
