import { type AddressInfo, connect } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** Sends bytes to an app that listens, and gives what came back when the app has closed the connection. */
export function sendRaw({ server }: FastifyInstance, bytes: string | Buffer): Promise<string> {
  const { port } = server.address() as AddressInfo
  return new Promise((resolve, reject) => {
    const received: Buffer[] = []
    const socket = connect(port, '127.0.0.1')
    socket.on('data', (chunk) => received.push(chunk))
    socket.on('close', () => resolve(Buffer.concat(received).toString('latin1')))
    socket.on('error', reject)
    socket.write(bytes)
  })
}
