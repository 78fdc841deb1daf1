import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { inflateRawSync } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { type ClientOptions, WebSocket } from 'ws'
import { until } from './until.js'

export type Received = { type?: string; code?: string; [field: string]: unknown }

/** Has the app listen, and returns the address of its WebSockets. */
export async function listenSockets(app: FastifyInstance): Promise<string> {
  await app.listen({ host: '127.0.0.1', port: 0, listenTextResolver: () => '' })
  return `ws://127.0.0.1:${(app.server.address() as AddressInfo).port}`
}

/** Heartbeats come at times of their own. */
const isNoHeartbeat = ({ type }: Received): boolean => type !== 'heartbeat'

/** A WebSocket client that keeps everything it receives. */
export class SocketClient {
  readonly socket: WebSocket
  /** Parsed; binary frames are inflated. */
  readonly messages: Received[] = []
  /** As they came. */
  readonly texts: string[] = []
  readonly binary: boolean[] = []
  pings = 0
  close: { code: number; reason: string } | undefined

  constructor(url: string, options: ClientOptions = {}) {
    this.socket = new WebSocket(url, options)
    this.socket.on('message', (data: Buffer, isBinary) => {
      this.binary.push(isBinary)
      const text = (isBinary ? inflateRawSync(data) : data).toString()
      this.texts.push(text)
      this.messages.push(JSON.parse(text))
    })
    this.socket.on('ping', () => this.pings++)
    this.socket.on('error', () => undefined)
    this.socket.on('close', (code, reason) => {
      this.close = { code, reason: reason.toString() }
    })
  }

  /** Resolves when the handshake is done; a refused client may be closed soon after. */
  static async open(url: string, options: ClientOptions = {}): Promise<SocketClient> {
    const client = new SocketClient(url, options)
    await once(client.socket, 'open')
    return client
  }

  send(message: object | string): void {
    this.socket.send(typeof message === 'string' ? message : JSON.stringify(message))
  }

  /** The next message that fits, else the next but heartbeats; those before it are skipped for good. */
  async next(fits: (message: Received) => boolean = isNoHeartbeat): Promise<Received> {
    let found: Received | undefined
    await until(() => {
      while (found === undefined && this.#seen < this.messages.length) {
        const message = this.messages[this.#seen++]
        if (message !== undefined && fits(message)) found = message
      }
      return found !== undefined
    })
    return found ?? {}
  }

  async closed(): Promise<{ code: number; reason: string }> {
    await until(() => this.close !== undefined)
    return this.close ?? { code: 0, reason: '' }
  }

  #seen = 0
}
