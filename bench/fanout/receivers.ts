import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { nowMs, SOCKETS, wantedBy } from './workload.js'

/**
 * The clients, in a process of their own. They read frames by their lengths alone, so that they take little of
 * the machine, and one in twenty looks at how old the events are.
 */
const LOOKS_EVERY = 20
const CONNECTS_AT_ONCE = 50

type Request = { port: number; key?: string; subscribes: boolean } | { expect: number } | 'close'

let frames = 0
let expected = Number.POSITIVE_INFINITY
let sockets: Socket[] = []
let latenciesMs: number[] = []
const check = () => {
  if (frames < expected) return
  expected = Number.POSITIVE_INFINITY
  process.send?.({ frames, latenciesMs })
  frames = 0
  latenciesMs = []
}

process.on('message', async (request: Request) => {
  if (request === 'close') {
    for (const socket of sockets) socket.destroy()
    sockets = []
    process.send?.({})
  } else if ('port' in request) {
    await openAll(request)
    process.send?.({})
  } else {
    expected = request.expect
    check()
  }
})
process.on('disconnect', () => process.exit())

async function openAll({ port, key, subscribes }: Exclude<Request, 'close' | { expect: number }>) {
  const numbers = Array.from({ length: SOCKETS }, (_, number) => number)
  while (numbers.length > 0) {
    const some = numbers.splice(0, CONNECTS_AT_ONCE)
    sockets.push(...(await Promise.all(some.map((number) => open(number, port, key, subscribes)))))
  }
  frames = 0
}

async function open(number: number, port: number, key = '', subscribes: boolean): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.write(
    `GET /ws?key=${key}&socket=${number} HTTP/1.1\r\nhost: x\r\nconnection: Upgrade\r\n` +
      'upgrade: websocket\r\nsec-websocket-version: 13\r\n' +
      'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  )
  await once(socket, 'data')
  if (subscribes) {
    const filters = { ...wantedBy(number), event_types: ['trade'], snapshot_count: 0 }
    socket.write(maskFrame(JSON.stringify({ action: 'subscribe', type: 'trades', filters })))
    // The acknowledgement.
    await once(socket, 'data')
  }
  readFrames(socket, number % LOOKS_EVERY === 0)
  return socket
}

function readFrames(socket: Socket, looks: boolean): void {
  let rest = Buffer.alloc(0)
  socket.on('data', (chunk) => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let at = 0
    for (;;) {
      if (bytes.length - at < 4) break
      const isLong = bytes[at + 1] === 126
      const length = isLong ? bytes.readUInt16BE(at + 2) : (bytes[at + 1] ?? 0)
      const end = at + (isLong ? 4 : 2) + length
      if (end > bytes.length) break
      // Trades are longer than everything else.
      if (length > 500) {
        frames++
        if (looks) look(bytes.subarray(at, end))
      }
      at = end
    }
    rest = bytes.subarray(at)
    check()
  })
}

function look(frame: Buffer): void {
  const at = frame.indexOf('"at_ms":')
  latenciesMs.push(nowMs() - Number.parseFloat(frame.subarray(at + 8, at + 30).toString()))
}

/** A client's frame; the mask is zero, which changes nothing. */
function maskFrame(text: string): Buffer {
  const payload = Buffer.from(text)
  const head = Buffer.from([0x81, 0x80 | 126, payload.length >> 8, payload.length & 255, 0, 0, 0, 0])
  return Buffer.concat([head, payload])
}
