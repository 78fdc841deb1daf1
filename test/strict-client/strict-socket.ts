import { once } from 'node:events'
import { inflateRawSync } from 'node:zlib'
import { type RawData, WebSocket } from 'ws'
import { isJson, type Json } from './shape.js'

const MESSAGE_BYTES_MAX = 10 * 1024 * 1024
const PING_MS = 20_000
const PONG_MS_MAX = 20_000
const OPEN_MS_MAX = 10_000

/** Something that is wrong with the service, in a sentence. */
export type Notify = (notice: string) => void

type Listener = {
  notify: Notify
  onFrame(frame: Json, isBinary: boolean): void
  /** Not called after `close`. */
  onLost(code: number): void
}

/** One connection: inflates what is binary, parses, and makes sure that the server is alive. */
export class StrictSocket {
  readonly #socket: WebSocket
  readonly #listener: Listener
  #isClosing = false
  #pinging: NodeJS.Timeout | undefined
  #ponging: NodeJS.Timeout | undefined

  /** Rejects when the server cannot be reached. */
  static async open(url: string, listener: Listener): Promise<StrictSocket> {
    const socket = new WebSocket(url, {
      maxPayload: MESSAGE_BYTES_MAX,
      handshakeTimeout: OPEN_MS_MAX,
      perMessageDeflate: false,
    })
    // Before it is open: the first frame may come with the answer to the handshake.
    const opened = new StrictSocket(socket, listener)
    await once(socket, 'open')
    opened.#startPings()
    return opened
  }

  private constructor(socket: WebSocket, listener: Listener) {
    this.#socket = socket
    this.#listener = listener
    socket.on('message', (data, isBinary) => this.#onMessage(data, isBinary))
    socket.on('pong', () => clearTimeout(this.#ponging))
    socket.on('close', (code) => {
      clearInterval(this.#pinging)
      clearTimeout(this.#ponging)
      if (!this.#isClosing && this.#pinging !== undefined) listener.onLost(code)
    })
    socket.on('error', (error) => {
      if (this.#pinging !== undefined) listener.notify(`the connection broke: ${error.message}`)
    })
  }

  send(message: object): void {
    this.#socket.send(JSON.stringify(message))
  }

  /** Cuts the connection so that the client takes it for lost. */
  cut(): void {
    this.#socket.terminate()
  }

  async close(): Promise<void> {
    this.#isClosing = true
    if (this.#socket.readyState === WebSocket.CLOSED) return
    const closed = once(this.#socket, 'close')
    this.#socket.close(1000)
    await closed
  }

  #startPings(): void {
    this.#pinging = setInterval(() => {
      this.#socket.ping()
      this.#ponging = setTimeout(() => {
        this.#listener.notify('no Pong came within 20 s of a Ping')
        this.cut()
      }, PONG_MS_MAX)
    }, PING_MS)
  }

  #onMessage(data: RawData, isBinary: boolean): void {
    const frame = this.#parse(data as Buffer, isBinary)
    if (frame !== undefined) this.#listener.onFrame(frame, isBinary)
  }

  #parse(data: Buffer, isBinary: boolean): Json | undefined {
    try {
      const bytes = isBinary ? inflateRawSync(data, { maxOutputLength: MESSAGE_BYTES_MAX }) : data
      const frame: unknown = JSON.parse(bytes.toString())
      if (isJson(frame)) return frame
    } catch {}
    const shown = isBinary ? data.toString('hex', 0, 40) : data.toString('utf8', 0, 80)
    this.#listener.notify(`a frame is not JSON${isBinary ? ' in raw deflate' : ''}: ${shown}`)
    return undefined
  }
}
