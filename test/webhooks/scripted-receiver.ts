import { readFileSync } from 'node:fs'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

export type ReceivedRequest = {
  method: string
  /** With the query. */
  path: string
  /** Names in lower case. */
  headers: IncomingHttpHeaders
  /** As it came. */
  body: string
  receivedMs: number
}

/** A status, an answer in detail, or a way not to answer. */
export type Answer =
  | number
  | { status?: number; headers?: Record<string, string>; body?: string | Buffer; delayMs?: number }
  /** These bytes, and nothing more. */
  | { raw: string }
  /** Never answers. */
  | 'hang'
  /** Closes the connection, or resets it, when the request has come. */
  | 'close'
  | 'reset'
  /** 200 and the beginning of a body, then closes. */
  | 'cut'
  /** Bytes of the headers, or of the body of a 200, one by one, without an end. */
  | 'drip-headers'
  | 'drip-body'
  /** 200 and a body without an end, as fast as it is read. */
  | 'gigabytes'
  /** Bytes that are not HTTP. */
  | 'no-http'

export type Certificate = 'good' | 'expired' | 'other-host' | 'self-signed'

export type ReceiverOptions = {
  /** How it answers: the same always, or by the request and its number from 0. Default: 200. */
  answer?: Answer | ((request: ReceivedRequest, index: number) => Answer | Promise<Answer>)
  /** Speaks HTTPS with this certificate. */
  certificate?: Certificate
  host?: string
}

const fixture = (name: string) =>
  readFileSync(new URL(`./fixtures/${name}`, import.meta.url), 'utf8')

/** The authority behind the good, the expired and the other host's certificate. */
export const readTestAuthority = () => fixture('authority.pem')

export type ScriptedReceiver = Awaited<ReturnType<typeof startScriptedReceiver>>

/** A real receiver of webhooks on a free port of loopback, that records what comes. */
export async function startScriptedReceiver(options: ReceiverOptions = {}) {
  const { certificate, host = '127.0.0.1' } = options
  let answer = options.answer ?? 200
  const requests: ReceivedRequest[] = []
  const sockets = new Set<Socket>()
  let connectionCount = 0
  let sentBytes = 0

  const onRequest = async (incoming: IncomingMessage, response: ServerResponse) => {
    const request = await receive(incoming)
    const index = requests.push(request) - 1
    const chosen = typeof answer === 'function' ? await answer(request, index) : answer
    await give(chosen, incoming.socket, response)
  }
  const listener = (incoming: IncomingMessage, response: ServerResponse) => {
    // A sender that went away in the middle is not a fault of the receiver.
    onRequest(incoming, response).catch(() => incoming.socket.destroy())
  }
  const server =
    certificate === undefined
      ? createServer(listener)
      : createTlsServer(
          { key: fixture('receiver.key'), cert: fixture(`${certificate}.pem`) },
          listener,
        )
  server.on('connection', (socket: Socket) => {
    connectionCount += 1
    sockets.add(socket)
    socket.once('close', () => {
      sentBytes += socket.bytesWritten
      sockets.delete(socket)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  const { port } = server.address() as AddressInfo
  const scheme = certificate === undefined ? 'http' : 'https'
  return {
    port,
    /** Of a path that ends in `hook`. */
    url: `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}/hook`,
    requests,
    answerWith: (next: NonNullable<ReceiverOptions['answer']>) => {
      answer = next
    },
    /** Connections that are open now, and that ever were. */
    openCount: () => sockets.size,
    connectionCount: () => connectionCount,
    /** Bytes that were sent on connections that have ended. */
    sentBytes: () => sentBytes,
    /** Ends the connections that are open now, as a receiver does with idle ones. */
    endConnections: () => {
      for (const socket of sockets) socket.end()
    },
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

async function receive(incoming: IncomingMessage): Promise<ReceivedRequest> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk)
  return {
    method: incoming.method ?? '',
    path: incoming.url ?? '',
    headers: incoming.headers,
    body: Buffer.concat(chunks).toString('utf8'),
    receivedMs: Date.now(),
  }
}

async function give(answer: Answer, socket: Socket, response: ServerResponse): Promise<void> {
  if (typeof answer === 'number') {
    response.writeHead(answer).end()
    return
  }
  if (typeof answer === 'object' && 'raw' in answer) {
    socket.write(answer.raw)
    return
  }
  if (typeof answer === 'object') {
    const { status = 200, headers = {}, body = '', delayMs = 0 } = answer
    if (delayMs > 0) await wait(delayMs)
    response.writeHead(status, headers).end(body)
    return
  }
  await MISBEHAVIOURS[answer](socket, response)
}

const MISBEHAVIOURS: Record<
  Extract<Answer, string>,
  (socket: Socket, response: ServerResponse) => Promise<void> | void
> = {
  hang: () => undefined,
  close: (socket) => {
    socket.end()
  },
  reset: (socket) => {
    socket.resetAndDestroy()
  },
  cut: (socket) => {
    socket.end('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nthe first of it')
  },
  'drip-headers': async (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nx-drip: ')
    await drip(socket, () => socket.write('a'))
  },
  'drip-body': async (socket, response) => {
    response.writeHead(200)
    await drip(socket, () => response.write('a'))
  },
  gigabytes: (socket, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' })
    const chunk = Buffer.alloc(256 * 1024, 'a')
    const send = () => {
      while (!socket.destroyed && response.write(chunk));
    }
    response.on('drain', send)
    send()
  },
  'no-http': (socket) => {
    socket.end('220 mail.example.com ESMTP\r\n')
  },
}

async function drip(socket: Socket, write: () => void): Promise<void> {
  while (!socket.destroyed) {
    write()
    await wait(20)
  }
}
