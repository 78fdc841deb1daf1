import { once } from 'node:events'
import { connect } from 'node:net'

/** How long an answer took, to its first byte and to its last. */
export type Download = { status: number; firstMs: number; totalMs: number; bytes: number }

/** Asks on a connection of its own and throws the bytes away as they come. Any answer but 200 fails. */
export async function download(...asked: Parameters<typeof ask>): Promise<Download> {
  const answer = await ask(...asked)
  if (answer.status !== 200) throw new Error(`unexpected answer: ${answer.status}`)
  return answer
}

/** The same for answers of any status. */
export async function ask(
  port: number,
  path: string,
  headers: Record<string, string> = {},
): Promise<Download> {
  const lines = Object.entries({ host: 'localhost', connection: 'close', ...headers })
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  const socket = connect({ host: '127.0.0.1', port, noDelay: true })
  await once(socket, 'connect')
  const startMs = performance.now()
  let status = 0
  let firstMs = 0
  let bytes = 0
  socket.on('data', (chunk: Buffer) => {
    if (bytes === 0) {
      firstMs = performance.now() - startMs
      status = Number(chunk.toString('latin1', 'HTTP/1.1 '.length, 'HTTP/1.1 200'.length))
    }
    bytes += chunk.length
  })
  socket.write(`GET ${path} HTTP/1.1\r\n${head}\r\n`)
  await once(socket, 'close')
  return { status, firstMs, totalMs: performance.now() - startMs, bytes }
}
