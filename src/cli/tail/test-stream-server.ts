import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'

type Subscribe = { action: string; type: string; filters: Record<string, unknown> }

/** Takes one client after the other; the test says what it sends. */
export class TestStreamServer {
  readonly #server: WebSocketServer
  readonly #clients: WebSocket[] = []
  /** Every `subscribe` that came, oldest first. */
  readonly subscribes: Subscribe[] = []
  /** The keys of all connections. */
  readonly keys: (string | null)[] = []

  static async listen(onSubscribe: (client: WebSocket, nth: number) => void) {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
    await once(server, 'listening')
    return new TestStreamServer(server, onSubscribe)
  }

  private constructor(server: WebSocketServer, onSubscribe: (client: WebSocket, nth: number) => void) {
    this.#server = server
    server.on('connection', (client, { url = '' }) => {
      this.#clients.push(client)
      this.keys.push(new URL(url, 'ws://host').searchParams.get('key'))
      client.on('message', (data) => {
        this.subscribes.push(JSON.parse(data.toString()))
        onSubscribe(client, this.subscribes.length)
      })
    })
  }

  get url(): URL {
    return new URL(`ws://127.0.0.1:${(this.#server.address() as AddressInfo).port}/ws`)
  }

  async close(): Promise<void> {
    for (const client of this.#clients) client.terminate()
    this.#server.close()
    await once(this.#server, 'close')
  }
}

/** Events come inside of a message that names the first subscription, as the client asks for. */
export const send = (client: WebSocket, ...messages: object[]): void => {
  for (const message of messages) {
    const named =
      'seq' in message
        ? { type: 'subscription_event', subscription: 1, event: message }
        : 'events' in message
          ? { ...message, subscription: 1 }
          : message
    client.send(JSON.stringify(named))
  }
}

export const acknowledge = (more: object = {}) => ({
  type: 'subscribed',
  subscriber_id: 's',
  subscription_id: 's:1',
  subscription_type: 'trades',
  warnings: [],
  ...more,
})

export const makeTrade = (seq: number, data: object = {}) => ({
  type: 'trade',
  timestamp: 1_794_823_203_412,
  seq,
  data: { event_type: 'trade', side: 'BUY', size: 1250, price: 0.55, ...data },
})
