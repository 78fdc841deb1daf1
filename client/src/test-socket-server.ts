import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { AuspexClient, type ClientOptions } from './auspex-client.js'
import type { SocketMessage } from './reliable-socket.js'

type Received = SocketMessage & { readonly filters?: Readonly<Record<string, unknown>> }

/** One connection of the client under test. */
export type TestConnection = {
  /** Counts connections from 1. */
  nth: number
  send(...messages: object[]): void
  /** Acknowledges the next subscribe, and returns its number. */
  acknowledge(more?: object): number
  event(subscription: number, ...events: object[]): void
  close(code: number, reason?: string): void
  cut(): void
}

/** Takes connections of a client, and lets the test answer its messages. `pong`s are sent by themselves. */
export async function listenSocket(onMessage: (connection: TestConnection, message: Received) => void) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await once(server, 'listening')
  const sockets: WebSocket[] = []
  const urls: URL[] = []
  const received: Received[] = []
  server.on('connection', (socket, { url = '' }) => {
    urls.push(new URL(url, 'ws://host'))
    const connection = createConnection(socket, sockets.push(socket))
    socket.on('message', (data) => {
      const message: Received = JSON.parse(String(data))
      received.push(message)
      if (message.action !== 'ping') onMessage(connection, message)
    })
  })
  const close = async () => {
    for (const socket of sockets) socket.terminate()
    server.close()
    await once(server, 'close')
  }
  onTestFinished(() => (server.address() === null ? undefined : close()))
  const { port } = server.address() as AddressInfo
  return { baseUrl: `http://127.0.0.1:${port}`, urls, received, sockets, close }
}

function createConnection(socket: WebSocket, nth: number): TestConnection {
  let count = 0
  const send = (...messages: object[]) => {
    for (const message of messages) socket.send(JSON.stringify(message))
  }
  return {
    nth,
    send,
    acknowledge: (more = {}) => {
      count += 1
      send({ type: 'subscribed', subscriber_id: 's', subscription_id: `s:${count}`, warnings: [], ...more })
      return count
    },
    event: (subscription, ...events) =>
      send(...events.map((event) => ({ type: 'subscription_event', subscription, event }))),
    close: (code, reason) => socket.close(code, reason),
    cut: () => socket.terminate(),
  }
}

/** A client of the server. Its waits take no time, and are recorded. */
export function connectClient(baseUrl: string, options: Partial<ClientOptions> = {}) {
  const waits: number[] = []
  const sleep = async (ms: number) => void waits.push(ms)
  const client = new AuspexClient({ baseUrl, apiKey: 'k', sleep, ...options })
  onTestFinished(() => client.close())
  return { client, waits }
}

/** The next items of a stream. */
export async function take<Item>(stream: AsyncIterator<Item>, count: number): Promise<Item[]> {
  const items: Item[] = []
  while (items.length < count) {
    const { done, value } = await stream.next()
    if (done) break
    items.push(value)
  }
  return items
}
