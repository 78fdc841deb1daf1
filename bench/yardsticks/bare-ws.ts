import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'
import { serveBench } from '../fanout/serve.js'
import { createReceivers, makeTrade, nowMs, publishAt } from '../fanout/workload.js'

/** Plain `ws`: one send for each receiver, of a message that is bytes already. */
const sockets: WebSocket[] = []
const receiversOf = createReceivers()
const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false })
server.on('connection', (socket, request) => {
  sockets[Number(new URL(request.url ?? '', 'http://x').searchParams.get('socket'))] = socket
  // Clients subscribe by a message, which is acknowledged.
  socket.on('message', () => socket.send('{"type":"subscribed"}'))
})
await once(server, 'listening')

/** As long as the time that is written over it. */
const SOME_MS = 1_000_000_000_000.111

serveBench({
  port: (server.address() as AddressInfo).port,
  publish: async (count, perSecond, begin) => {
    const messages = Array.from({ length: count }, (_, index) => {
      const trade = makeTrade(index, SOME_MS)
      const { type, timestampMs: timestamp, data } = trade
      const text = JSON.stringify({ type, timestamp, seq: 1.7e15 + index, data })
      const bytes = Buffer.from(text)
      return { bytes, atMs: bytes.indexOf(`${SOME_MS}`), receivers: receiversOf(trade) }
    })
    begin()
    await publishAt(perSecond, count, (index) => {
      const { bytes = Buffer.alloc(0), atMs = 0, receivers = [] } = messages[index] ?? {}
      bytes.write(nowMs().toFixed(3), atMs)
      for (const socket of receivers) sockets[socket]?.send(bytes, { binary: false })
    })
  },
})
