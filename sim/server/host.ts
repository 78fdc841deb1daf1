import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { Dispatcher } from './dispatcher.js'
import type { HostName } from './fault-order.js'
import type { Faults, HostFaults } from './faults.js'
import type { HostParts } from './handlers.js'

export type Host = Port & { name: HostName }

/** Serves the parts on a free loopback port, with the faults that are switched on for that name. */
export async function openHost(name: HostName, faults: Faults, parts: HostParts): Promise<Host> {
  return { name, ...(await openPort(faults.of(name), parts)) }
}

const KEEP_ALIVE_MS = 60_000

export type Port = {
  /** http://127.0.0.1:port */
  url: string
  wsUrl: string
  /** Ends every connection at once. */
  close(): Promise<void>
}

/** HTTP and WebSocket on one free port of the loopback interface. */
export async function openPort(faults: HostFaults, parts: HostParts): Promise<Port> {
  const dispatcher = new Dispatcher(faults, parts)
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS })
  const connections = new Set<Socket>()

  server.on('connection', (connection) => {
    connections.add(connection)
    connection.on('close', () => connections.delete(connection))
    if (faults.hits('drop')) connection.destroy()
  })
  server.on('request', (incoming, response) => dispatcher.onRequest(incoming, response))
  server.on('upgrade', (incoming, socket, head) => dispatcher.onUpgrade(incoming, socket as Socket, head))

  const stopListening = faults.onSet((mode) => {
    if (mode === 'half-open') dispatcher.freeze()
    if (mode !== 'drop') return
    for (const connection of connections) if (faults.hits('drop')) connection.destroy()
  })

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    wsUrl: `ws://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        stopListening()
        server.close(() => resolve())
        for (const connection of connections) connection.destroy()
      }),
  }
}
