import { once } from 'node:events'
import { WebSocket } from 'ws'

export type TestSocket = {
  /** Every frame so far, as text. */
  frames: string[]
  send(frame: unknown): void
  /** Waits until there are that many frames. */
  until(count: number): Promise<void>
  /** The code with which the host closes the socket. */
  closed: Promise<number>
  close(): Promise<void>
}

/** A client that keeps every frame. Objects go out as JSON. */
export async function dial(
  url: string,
  headers: { readonly [name: string]: string } = {},
): Promise<TestSocket> {
  const socket = new WebSocket(url, { headers })
  const frames: string[] = []
  socket.on('message', (data) => {
    frames.push(data.toString())
    socket.emit('kept')
  })
  const closed = new Promise<number>((resolve) => socket.on('close', resolve))
  await once(socket, 'open')
  return {
    frames,
    closed,
    send: (frame) => socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame)),
    async until(count) {
      while (frames.length < count) await once(socket, 'kept')
    },
    async close() {
      socket.close()
      await closed
    },
  }
}
