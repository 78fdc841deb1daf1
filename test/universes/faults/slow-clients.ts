import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { WebSocket } from 'ws'

/** A service, and the key of the account that the clients are of. */
export type ClientTarget = { url: string; key: string }

/** A client that behaves badly until it is closed. */
export type SlowClient = {
  /** Whether the service has cut it off. */
  readonly isCutOff: boolean
  close(): void
}

/** A client that takes a firehose of trades and reads nothing of it. */
export async function openUnreadSocket({ url, key }: ClientTarget): Promise<SlowClient> {
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/ws?key=${key}`)
  let isCutOff = false
  socket.on('error', () => undefined)
  socket.on('close', () => {
    isCutOff = true
  })
  await once(socket, 'open')
  socket.send(JSON.stringify({ action: 'subscribe', type: 'trades' }))
  socket.pause()
  return {
    get isCutOff() {
      return isCutOff
    },
    close: () => socket.terminate(),
  }
}

/** A client that announces a body, sends half of it and then nothing. */
export async function hangInBody({ url, key }: ClientTarget, path: string): Promise<SlowClient> {
  const socket = await open(url)
  const body = JSON.stringify({ name: 'x'.repeat(1_000) })
  const head = headOf({ url, key }, `POST ${path}`, [
    'content-type: application/json',
    `content-length: ${body.length}`,
  ])
  socket.write(head + body.slice(0, body.length / 2))
  return toClient(socket)
}

/** A client that asks again and again on one connection, and reads no answer. */
export async function hangInAnswer(
  target: ClientTarget,
  path: string,
  requests: number,
): Promise<SlowClient> {
  const socket = await open(target.url)
  socket.pause()
  socket.write(headOf(target, `GET ${path}`, []).repeat(requests))
  return toClient(socket)
}

/** A client that asks and is gone before the answer. */
export async function vanish(target: ClientTarget, path: string): Promise<void> {
  const socket = await open(target.url)
  await new Promise((sent) => socket.write(headOf(target, `GET ${path}`, []), sent))
  socket.destroy()
}

async function open(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  return socket
}

function headOf({ url, key }: ClientTarget, request: string, headers: readonly string[]): string {
  const lines = [`${request} HTTP/1.1`, `host: ${new URL(url).host}`, `x-api-key: ${key}`, ...headers]
  return `${lines.join('\r\n')}\r\n\r\n`
}

/** A paused socket hears of its end only when it is read, which the service notices as well as any other end. */
function toClient(socket: Socket): SlowClient {
  return {
    get isCutOff() {
      return socket.closed || socket.readableEnded || socket.errored !== null
    },
    close: () => socket.destroy(),
  }
}
