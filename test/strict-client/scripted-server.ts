import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { deflateRawSync } from 'node:zlib'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Json } from './shape.js'

export type ScriptedServer = Awaited<ReturnType<typeof openScriptedServer>>

/** A server that says what a test lets it say. */
export async function openScriptedServer(onMessage: (message: Json, peer: Peer) => void) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await once(server, 'listening')
  const addresses: string[] = []
  server.on('connection', (socket, request) => {
    addresses.push(request.url ?? '')
    const peer = new Peer(socket)
    socket.on('message', (data) => onMessage(JSON.parse(String(data)), peer))
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `ws://127.0.0.1:${port}/ws?key=k`,
    /** Path and query of every connection. */
    addresses,
    /** Ends all connections; `stop` takes no new ones either. */
    drop: () => {
      for (const socket of server.clients) socket.terminate()
    },
    stop: async () => {
      for (const socket of server.clients) socket.terminate()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export class Peer {
  readonly #socket: WebSocket

  constructor(socket: WebSocket) {
    this.#socket = socket
  }

  send(...messages: object[]): void {
    for (const message of messages) this.#socket.send(JSON.stringify(message))
  }

  sendDeflated(message: object): void {
    this.#socket.send(deflateRawSync(JSON.stringify(message)))
  }
}
