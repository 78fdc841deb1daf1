import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'

/** A client that does not close its end would keep the connection. */
const END_MS_MAX = 1_000

export type HttpRefusal = { status: number; message: string; retryAfterSeconds?: number }

/** Answers a request for a WebSocket as a plain request, and closes. */
export function refuseHttp(socket: Socket, refusal: HttpRefusal): void {
  const { status, message, retryAfterSeconds } = refusal
  const body = JSON.stringify({ error: message })
  const retryAfter = retryAfterSeconds === undefined ? '' : `retry-after: ${retryAfterSeconds}\r\n`
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n` +
      'content-type: application/json; charset=utf-8\r\n' +
      `content-length: ${Buffer.byteLength(body)}\r\n${retryAfter}connection: close\r\n\r\n${body}`,
  )
  socket.setTimeout(END_MS_MAX, () => socket.destroy())
}
