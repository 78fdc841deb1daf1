import { isJson, type Json } from '../strict-client/shape.js'
import { StrictSocket } from '../strict-client/strict-socket.js'
import { until } from '../until.js'
import type { Received } from './received.js'

/** Everything that a match on the chain causes, and what becomes of its block. */
export const CHAIN_EVENTS = ['settlement', 'trade', 'status_update', 'block', 'reorg']

type RecorderOptions = { eventTypes?: readonly string[]; notices: string[] }

/**
 * A client that keeps every message of its one subscription, can be killed at any moment, and goes on
 * behind the last number that it has.
 */
export class Recorder {
  readonly messages: Received[] = []
  /** What the service said to each attempt to go on. */
  readonly resumptions: unknown[] = []
  readonly #options: RecorderOptions
  #socket: StrictSocket | undefined
  #isAcknowledged = false

  constructor(options: RecorderOptions) {
    this.#options = options
  }

  /** `url` has the key. `sinceSeq`: in place of the last number that the client has. */
  async connect(url: string, sinceSeq = this.messages.at(-1)?.seq): Promise<void> {
    const { eventTypes = CHAIN_EVENTS, notices } = this.#options
    this.#isAcknowledged = false
    const socket = await StrictSocket.open(url, {
      notify: (notice) => notices.push(notice),
      // What comes after a kill is lost with the client.
      onFrame: (frame) => this.#socket === socket && this.#onFrame(frame),
      onLost: () => {
        this.#socket = undefined
      },
    })
    this.#socket = socket
    const start = sinceSeq === undefined ? { snapshot_count: 0 } : { since_seq: sinceSeq }
    const filters = { event_types: eventTypes, ...start }
    socket.send({ action: 'subscribe', type: 'global', filters })
    await until(() => this.#isAcknowledged || this.#socket !== socket)
    if (this.#socket !== socket) throw new Error('the connection was lost')
  }

  get isConnected(): boolean {
    return this.#socket !== undefined
  }

  /** The client is gone at once, with what is on its way. */
  kill(): void {
    const socket = this.#socket
    this.#socket = undefined
    socket?.cut()
  }

  async close(): Promise<void> {
    await this.#socket?.close()
  }

  /** Resolves when the block with this hash has come and was not taken back. */
  async untilBlock(hash: string, timeoutMs = 30_000): Promise<void> {
    const last = () => this.messages.findLast(({ type }) => type === 'block' || type === 'reorg')
    await until(() => last()?.data.block_hash === hash, timeoutMs)
  }

  #onFrame(frame: Json): void {
    switch (frame.type) {
      case 'subscribed':
        this.#isAcknowledged = true
        this.resumptions.push(frame.resume)
        break
      case 'snapshot':
        for (const event of frame.events as Json[]) this.#record(event)
        break
      case 'heartbeat':
        break
      case 'error':
        this.#options.notices.push(JSON.stringify(frame))
        break
      default:
        this.#record(frame)
    }
  }

  #record({ seq, type, data }: Json): void {
    if (typeof seq !== 'number' || typeof type !== 'string' || !isJson(data))
      this.#options.notices.push(`a ${type} has the number ${seq}`)
    else this.messages.push({ seq, type, data })
  }
}
