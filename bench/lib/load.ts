import { once } from 'node:events'
import { connect } from 'node:net'

export type Load = {
  port: number
  connections: number
  seconds: number
  /** Whole requests, sent round-robin. */
  requests: Buffer[]
  /**
   * A client that sleeps must be woken, and the kernel charges that to the server; a faster server,
   * which keeps the client busy, is spared it. Where nothing else needs the core, the client stays awake.
   */
  staysAwake: boolean
}

const HEAD_END = Buffer.from('\r\n\r\n')

/**
 * Requests per second over keep-alive connections, each with one request under way. Written on bare
 * sockets: a full HTTP client costs more than the server it measures. Any answer but 200 fails.
 */
export async function measureLoad(load: Load): Promise<number> {
  const { port, connections, seconds, requests, staysAwake } = load
  let answered = 0
  let next = 0
  let isOver = false
  const startedAt = performance.now()
  const timer = setTimeout(() => {
    isOver = true
  }, seconds * 1000)

  const stayAwake = () => {
    if (!isOver) setImmediate(stayAwake)
  }
  if (staysAwake) stayAwake()

  const drive = async (): Promise<void> => {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true })
    await once(socket, 'connect')
    const send = () => socket.write(requests[next++ % requests.length] ?? '')
    let received: Buffer = Buffer.alloc(0)
    socket.on('data', (chunk: Buffer) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
      const length = answerLength(received)
      if (length === undefined || received.length < length) return
      if (received.length > length) throw new Error('more bytes than one answer')
      received = Buffer.alloc(0)
      answered++
      if (isOver) socket.end()
      else send()
    })
    send()
    await once(socket, 'close')
  }
  await Promise.all(Array.from({ length: connections }, drive))
  clearTimeout(timer)
  return answered / ((performance.now() - startedAt) / 1000)
}

function answerLength(bytes: Buffer): number | undefined {
  const headEnd = bytes.indexOf(HEAD_END)
  if (headEnd === -1) return undefined
  const head = bytes.toString('latin1', 0, headEnd)
  if (!head.startsWith('HTTP/1.1 200')) throw new Error(`unexpected answer:\n${bytes.toString()}`)
  const length = /content-length: (\d+)/i.exec(head)?.[1]
  if (length === undefined) throw new Error('an answer without a length')
  return headEnd + HEAD_END.length + Number(length)
}

export const buildRequest = (path: string, headers: Record<string, string> = {}): Buffer => {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n${lines.join('')}\r\n`)
}
