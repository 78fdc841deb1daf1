import { once } from 'node:events'
import { connect } from 'node:net'

/** How long an answer took, to its first byte and to its last. */
export type Download = { firstMs: number; totalMs: number; bytes: number }

/** Asks on a connection of its own and throws the bytes away as they come. Any answer but 200 fails. */
export async function download(
  port: number,
  path: string,
  headers: Record<string, string> = {},
): Promise<Download> {
  const lines = Object.entries({ host: 'localhost', connection: 'close', ...headers })
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  const socket = connect({ host: '127.0.0.1', port, noDelay: true })
  await once(socket, 'connect')
  const startMs = performance.now()
  let firstMs = 0
  let bytes = 0
  socket.on('data', (chunk: Buffer) => {
    if (bytes === 0) {
      firstMs = performance.now() - startMs
      const line = chunk.toString('latin1', 0, 12)
      if (line !== 'HTTP/1.1 200') socket.destroy(new Error(`unexpected answer: ${chunk}`))
    }
    bytes += chunk.length
  })
  socket.write(`GET ${path} HTTP/1.1\r\n${head}\r\n`)
  await once(socket, 'close')
  return { firstMs, totalMs: performance.now() - startMs, bytes }
}
