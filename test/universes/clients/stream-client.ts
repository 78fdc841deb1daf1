import { setTimeout as delay } from 'node:timers/promises'
import { WebSocket } from 'ws'
import type { Received } from '../../streams/received.js'

/** Everything confirmed that a match on the chain causes, and what becomes of its block. */
const FILTERS = { event_types: ['trade', 'block', 'reorg'], status: 'confirmed' }
/** After its loss one client is back at once, others miss some events. */
const RECONNECT_MS = [50, 600, 1_500] as const
/** A process that hangs is left for the next one. */
const SILENCE_MS_MAX = 4_000
const HANDSHAKE_MS_MAX = 1_000

/**
 * A client that keeps every message of its one subscription. When it loses its process it goes on at the next one,
 * after the last number that it has.
 */
export class StreamClient {
  readonly messages: Received[] = []
  /** Answers to its attempts to go on, and everything that is wrong with what it was sent. */
  readonly resumptions: string[] = []
  readonly notices: string[] = []
  readonly #urls: readonly string[]
  readonly #key: string
  #resumeSeq: number | undefined
  #socket: WebSocket | undefined
  #isClosed = false
  readonly #running: Promise<void>

  /** `urls`: of the processes that serve streams. */
  constructor(urls: readonly string[], key: string, first: number) {
    this.#urls = urls
    this.#key = key
    this.#running = this.#run(first, RECONNECT_MS[first % RECONNECT_MS.length] ?? 50)
  }

  /** The last block that stands, as the client knows it. */
  get lastBlockHash(): unknown {
    return this.messages.findLast(({ type }) => type === 'block' || type === 'reorg')?.data.block_hash
  }

  /** The client is gone at once with what is on its way, and comes back at another process. */
  vanish(): void {
    const socket = this.#socket
    this.#socket = undefined
    socket?.terminate()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.vanish()
    await this.#running
  }

  async #run(first: number, reconnectMs: number): Promise<void> {
    for (let index = first; !this.#isClosed; index++) {
      await this.#listen(this.#urls[index % this.#urls.length] ?? '')
      await delay(reconnectMs)
    }
  }

  /** Until the connection is lost. */
  #listen(url: string): Promise<void> {
    return new Promise((resolve) => {
      const socket = new WebSocket(`${url.replace('http', 'ws')}/ws?key=${this.#key}`, {
        handshakeTimeout: HANDSHAKE_MS_MAX,
      })
      this.#socket = socket
      const silence = setTimeout(() => socket.terminate(), SILENCE_MS_MAX)
      socket.on('open', () => {
        silence.refresh()
        const seq = this.messages.at(-1)?.seq ?? this.#resumeSeq
        const start = seq === undefined ? { snapshot_count: 0 } : { since_seq: seq }
        const filters = { ...FILTERS, ...start }
        socket.send(JSON.stringify({ action: 'subscribe', type: 'global', filters }))
      })
      socket.on('message', (text) => {
        silence.refresh()
        // What comes after it has vanished is lost with the client.
        if (this.#socket === socket) this.#receive(JSON.parse(String(text)))
      })
      socket.on('error', () => undefined)
      socket.on('close', () => {
        clearTimeout(silence)
        resolve()
      })
    })
  }

  #receive(frame: Readonly<Record<string, unknown>>): void {
    switch (frame.type) {
      case 'subscribed':
        this.resumptions.push(String(frame.resume ?? 'new'))
        if (typeof frame.resume_seq === 'number') this.#resumeSeq ??= frame.resume_seq
        break
      case 'snapshot':
        for (const event of frame.events as Received[]) this.#record(event)
        break
      case 'heartbeat':
        break
      case 'error':
        // A process without its database says so, and the client comes back.
        if (frame.code !== 'unavailable') this.notices.push(JSON.stringify(frame))
        break
      default:
        this.#record(frame as unknown as Received)
    }
  }

  #record({ seq, type, data }: Received): void {
    const last = this.messages.at(-1)?.seq ?? 0
    if (!(seq > last)) this.notices.push(`a ${type} has the number ${seq} after ${last}`)
    this.messages.push({ seq, type, data })
  }
}
