import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'
import type { Caller } from '../accounts/key-ring.js'
import type { UsageMeter } from '../accounts/usage-meter.js'
import type { WorkShares } from '../accounts/work-shares.js'
import type { Clock } from '../core/clock.js'
import type { FloodLog } from '../lib/flood-log.js'
import type { SocketSession, SocketSessions } from '../sessions/socket-sessions.js'
import {
  CLOSE,
  type Connection,
  type ConnectionOptions,
  type Protocol,
  presentError,
  type SocketError,
  type SocketKind,
  toReason,
} from './connection.js'
import type { Flusher } from './fast/flusher.js'
import { Outbox } from './fast/outbox.js'
import {
  createPong,
  createTextFrame,
  type Frame,
  type SharedFrame,
  type TransferMeter,
} from './fast/shared-frame.js'
import { Inbox, type Inboxes } from './inbox.js'

/** How long a client may take for what was sent before its connection is closed. */
const LAST_WRITES_MS_MAX = 5_000

export type ClientConnectionOptions = ConnectionOptions & {
  socket: SocketKind
  caller: Caller
  /** The digest of the key, or of the session that stands for it. */
  digest: string
  session: SocketSession
  webSocket: WebSocket
  tcpSocket: Socket
  flusher: Flusher
  clock: Clock
  log: FloodLog
  usage: UsageMeter
  shares: WorkShares
  inboxes: Inboxes
  socketSessions: SocketSessions
  createProtocol: (connection: ClientConnection) => Protocol
  /** Called once, when the connection takes no messages any more; `code`: why it was closed here. */
  onEnd: (connection: ClientConnection, code: number | undefined) => void
}

/**
 * One client's socket.
 *
 * open -> closing: closed here, and what was sent before is still going out; or the client asked to close.
 * closing -> closed: the socket is gone. The connection calls `onClose` of the protocol, and ends its sessions, at the first step.
 */
export class ClientConnection implements Connection {
  readonly id = randomUUID()
  readonly #options: ClientConnectionOptions
  readonly #outbox: Outbox
  readonly #inbox: Inbox
  readonly #protocol: Protocol
  #isOpen = true
  #seenAtMs: number
  #firehose: SocketSession | undefined
  #waitingPong: Buffer | undefined

  constructor(options: ClientConnectionOptions) {
    const { webSocket, tcpSocket: socket, isDeflated, flusher, clock, caller, shares, inboxes } = options
    this.#options = options
    this.#seenAtMs = clock.now()
    const onOverflow = () => this.#overflow()
    this.#outbox = new Outbox({ socket, isDeflated, flusher, onOverflow })
    this.#protocol = options.createProtocol(this)
    this.#inbox = new Inbox({
      socket: webSocket,
      clock,
      caller,
      shares,
      inboxes,
      itemsMax: this.#protocol.itemsMax ?? Number.POSITIVE_INFINITY,
      onMessage: (text) => this.#protocol.onMessage(text),
      onRefused: (refusal) => this.sendError(refusal),
      onFlood: () => this.#closeFlood(),
      onFault: (error) => this.#fail(error),
    })
    this.#listen(webSocket, socket)
  }

  get caller(): Caller {
    return this.#options.caller
  }

  get digest(): string {
    return this.#options.digest
  }

  get socket(): SocketKind {
    return this.#options.socket
  }

  get hasFirehose(): boolean {
    return this.#firehose !== undefined
  }

  get waitingBytes(): number {
    return this.#outbox.waitingBytes
  }

  /** When the client sent its last frame of any kind. */
  get seenAtMs(): number {
    return this.#seenAtMs
  }

  /** Counts the silence of the client from now on, as after a step of the clock. */
  restartSilence(): void {
    this.#seen()
  }

  /** What is left of the account's time for today. */
  leftMs(nowMs: number): number {
    return this.#options.session.leftMs?.(nowMs) ?? Number.POSITIVE_INFINITY
  }

  send(message: object | string, meter?: TransferMeter): void {
    if (!this.#isOpen) return
    const text = typeof message === 'string' ? message : JSON.stringify(message)
    this.#outbox.add(createTextFrame(text, meter))
  }

  sendError(error: SocketError): void {
    this.send(presentError(this.#options.socket, error))
  }

  push(frame: SharedFrame | Frame): void {
    this.#outbox.add(frame)
  }

  drained(): Promise<boolean> {
    return this.#outbox.drained()
  }

  close(code: number, reason: string): void {
    if (!this.#isOpen) return
    this.#end(code)
    const { webSocket, tcpSocket } = this.#options
    const cutOff = setTimeout(() => tcpSocket.destroy(), LAST_WRITES_MS_MAX)
    webSocket.once('close', () => clearTimeout(cutOff))
    this.#outbox.end(() => {
      clearTimeout(cutOff)
      webSocket.close(code, toReason(reason))
    })
  }

  /** Ends a connection whose client does not answer. */
  terminate(): void {
    this.#options.webSocket.terminate()
  }

  async takeFirehose(): Promise<boolean> {
    if (this.#firehose !== undefined) return true
    const { socketSessions, caller } = this.#options
    const verdict = await socketSessions.open(caller, 'firehose')
    if ('refusal' in verdict) return false
    if (!this.#isOpen) verdict.session.close()
    else this.#firehose = verdict.session
    return true
  }

  releaseFirehose(): void {
    this.#firehose?.close()
    this.#firehose = undefined
  }

  /** Counts the transfer since the last call for the account. */
  countTransfer(): { marketBytes: number; onchainBytes: number } {
    const { usage, caller } = this.#options
    const transfer = this.#outbox.takeTransfer()
    const { marketBytes, onchainBytes } = transfer
    if (marketBytes > 0) usage.addTransfer(caller, 'ws_market', marketBytes)
    if (onchainBytes > 0) usage.addTransfer(caller, 'ws_onchain', onchainBytes)
    return transfer
  }

  #listen(webSocket: WebSocket, tcpSocket: Socket): void {
    // Before `ws` takes it.
    tcpSocket.prependListener('data', ({ length }: Buffer) => this.#inbox.countReceived(length))
    webSocket.on('message', (data, isBinary) => {
      this.#seen()
      this.#inbox.add(data, isBinary)
    })
    webSocket.on('ping', (payload) => {
      this.#seen()
      this.#answerPing(payload)
    })
    webSocket.on('pong', () => this.#seen())
    // A frame that is not one: `ws` closes with the code that says why.
    webSocket.on('error', () => this.#end(undefined))
    const onOver = () => {
      this.#end(undefined)
      this.#outbox.drop()
    }
    // The client's close frame is answered: it may connect again before its end of the socket is closed.
    tcpSocket.once('finish', onOver)
    webSocket.on('close', onOver)
  }

  #seen(): void {
    this.#seenAtMs = this.#options.clock.now()
  }

  /** Of Pings that come while an answer waits, the last one is answered (RFC 6455, 5.5.3): no flood of them grows. */
  #answerPing(payload: Buffer): void {
    const isWaiting = this.#waitingPong !== undefined
    this.#waitingPong = payload
    if (isWaiting) return
    setImmediate(() => {
      const latest = this.#waitingPong
      this.#waitingPong = undefined
      if (latest !== undefined && this.#isOpen) this.#outbox.add(createPong(latest))
    })
  }

  #closeFlood(): void {
    this.sendError({ code: 'rate_limited', message: 'Far too many messages.' })
    this.close(CLOSE.policy, 'too many messages')
  }

  #overflow(): void {
    if (!this.#isOpen) return
    this.#end(CLOSE.tooSlow)
    this.#options.webSocket.close(CLOSE.tooSlow, 'too slow: the send buffer is full')
  }

  #fail(error: unknown): void {
    const { log, caller } = this.#options
    const fields = () => ({ err: error, account: caller.accountId })
    log.write('error', 'socket message failed', fields)
    this.sendError({ code: 'internal_error', message: 'Internal server error' })
    this.close(CLOSE.internal, 'internal error')
  }

  #end(code: number | undefined): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#inbox.close()
    // The client's answer to the frame that closes has to be read, also where its messages had to wait.
    this.#options.webSocket.resume()
    this.releaseFirehose()
    this.#options.session.close()
    this.#options.onEnd(this, code)
    // Later, because the protocol itself may have called `close`, or be handing out a frame.
    queueMicrotask(() => this.#protocol.onClose())
  }
}
