import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { Envelope } from './payload-shapes.js'

/** A request that a receiver has had, and how it answered. */
export type ReceivedRequest = {
  method: string
  /** With the query. Tests give each webhook a path of its own. */
  path: string
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>
  /** As it came. */
  body: string
  /** What is no JSON shows as one without an id. */
  envelope: Envelope
  /** The status that was sent; `undefined`: none, or not yet. */
  answered: number | undefined
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

/** The same always, or by the request and its number from 0. */
type Answers = Answer | ((request: ReceivedRequest, index: number) => Answer | Promise<Answer>)

export type ReceiverOptions = {
  /** Default: 200. */
  answer?: Answers
  /** Speaks HTTPS with this certificate. */
  certificate?: Certificate
  host?: string
}

const fixture = (name: string) => readFileSync(new URL(`./fixtures/${name}`, import.meta.url), 'utf8')

/** The authority behind the good, the expired and the other host's certificate. */
export const readTestAuthority = () => fixture('authority.pem')

/** Longer than any test: a receiver does not close a connection that is about to be used again. */
const KEEP_ALIVE_MS = 60_000

export type Receiver = Awaited<ReturnType<typeof openReceiver>>

/** A real receiver of webhooks on a free port of loopback, that keeps every request. */
export async function openReceiver(options: ReceiverOptions = {}) {
  const { answer = 200, certificate, host = '127.0.0.1' } = options
  const requests: ReceivedRequest[] = []
  const sockets = new Set<Socket>()
  let connectionCount = 0
  let sentBytes = 0
  const inFlight = new Map<string, { now: number; most: number }>()

  const countInFlight = (path: string, response: ServerResponse) => {
    const count = inFlight.get(path) ?? { now: 0, most: 0 }
    inFlight.set(path, count)
    count.most = Math.max(count.most, ++count.now)
    response.once('close', () => count.now--)
  }
  const onRequest = async (incoming: IncomingMessage, response: ServerResponse) => {
    const request = await receive(incoming)
    const index = requests.push(request) - 1
    countInFlight(request.path, response)
    const chosen = typeof answer === 'function' ? await answer(request, index) : answer
    request.answered = statusOf(chosen)
    await give(chosen, incoming.socket, response)
  }
  const listener = (incoming: IncomingMessage, response: ServerResponse) => {
    // A sender that went away in the middle is not a fault of the receiver.
    onRequest(incoming, response).catch(() => incoming.socket.destroy())
  }
  const server =
    certificate === undefined
      ? createServer(listener)
      : createTlsServer({ key: fixture('receiver.key'), cert: fixture(`${certificate}.pem`) }, listener)
  server.keepAliveTimeout = KEEP_ALIVE_MS
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
    /** Without a path. */
    url: `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`,
    requests,
    /** The requests under a path. */
    at: (path: string) => requests.filter((request) => request.path === path),
    /** The most requests that a path has had at the same time. */
    mostInFlight: (path: string) => inFlight.get(path)?.most ?? 0,
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
  const body = Buffer.concat(chunks).toString('utf8')
  return {
    method: incoming.method ?? '',
    path: incoming.url ?? '',
    headers: incoming.headers as Record<string, string>,
    body,
    envelope: parse(body),
    answered: undefined,
  }
}

function parse(body: string): Envelope {
  try {
    return JSON.parse(body) as Envelope
  } catch {
    return { id: '', type: '', created_at: '', data: {} }
  }
}

function statusOf(answer: Answer): number | undefined {
  if (typeof answer === 'number') return answer
  return typeof answer === 'object' && 'status' in answer ? answer.status : undefined
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
