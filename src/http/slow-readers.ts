import type { Server } from 'node:http'
import type { Socket } from 'node:net'

const CHECK_MS = 20_000

/**
 * Cuts off clients that take nothing of a waiting answer between two checks: its bytes are our
 * memory. A check now and then costs less than the timer per socket that `server.timeout` would
 * restart with every read and write.
 */
export function cutSlowReaders(server: Server): void {
  const taken = new Map<Socket, number>()
  const check = () => {
    for (const [socket, bytesBefore] of taken) {
      const bytesNow = socket.bytesWritten - socket.writableLength
      if (socket.writableLength > 0 && bytesNow === bytesBefore) socket.destroy()
      else taken.set(socket, bytesNow)
    }
  }
  const timer = setInterval(check, CHECK_MS).unref()
  server.on('connection', (socket) => {
    taken.set(socket, 0)
    socket.once('close', () => taken.delete(socket))
  })
  server.on('close', () => clearInterval(timer))
}
