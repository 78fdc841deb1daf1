import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'

export type Refusal = { status: number; headers?: Record<string, string> }

/** A WebSocket server whose peers do only what the test makes them do. Gone with the test. */
export async function openPeerServer(
  refuse: (attempt: number) => Refusal | 'ignore' | undefined = () => undefined,
) {
  const peers: WebSocket[] = []
  const attempts: IncomingMessage[] = []
  const connections = new Set<Socket>()
  const sockets = new WebSocketServer({ noServer: true })
  let greet: (peer: WebSocket) => void = () => undefined
  const http = createServer()
  http.on('connection', (connection) => connections.add(connection))
  http.on('upgrade', (request, connection, head) => {
    attempts.push(request)
    const refusal = refuse(attempts.length)
    if (refusal === 'ignore') {
      connection.on('end', () => connection.end()).resume()
      return
    }
    if (refusal === undefined) {
      sockets.handleUpgrade(request, connection, head, (peer) => {
        peer.on('error', () => undefined)
        peers.push(peer)
        greet(peer)
      })
      return
    }
    const headers = Object.entries(refusal.headers ?? {}).map(([name, value]) => `${name}: ${value}`)
    connection.end([`HTTP/1.1 ${refusal.status} No`, ...headers, '', ''].join('\r\n'))
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const connection of connections) connection.destroy()
    http.close()
  })
  const { port } = http.address() as AddressInfo
  return {
    url: `ws://127.0.0.1:${port}`,
    peers,
    attempts,
    connections,
    /** Called for each peer that comes, before anything of it is read. */
    onPeer: (listener: typeof greet) => {
      greet = listener
    },
  }
}
