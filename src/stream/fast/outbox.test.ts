import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../../../test/until.js'
import { Flusher } from './flusher.js'
import { Outbox, WAITING_BYTES_MAX, WAITING_FRAMES_MAX } from './outbox.js'
import { createTextFrame, SharedFrame } from './shared-frame.js'

const server = createServer()
beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterAll(() => void server.close())

type Pair = {
  outbox: Outbox
  socket: Socket
  client: Socket
  received: Buffer[]
  overflows: number
}

async function openPair(flusher: Flusher, isDeflated = false): Promise<Pair> {
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const [socket] = (await once(server, 'connection')) as [Socket]
  socket.on('error', () => undefined)
  const received: Buffer[] = []
  client.on('data', (chunk) => received.push(chunk))
  const pair: Pair = {
    outbox: undefined as unknown as Outbox,
    socket,
    client,
    received,
    overflows: 0,
  }
  const onOverflow = () => pair.overflows++
  pair.outbox = new Outbox({ socket, isDeflated, flusher, onOverflow })
  return pair
}

const bytesOf = (pair: Pair) => Buffer.concat(pair.received)

describe('Outbox', () => {
  test('each client receives its frames in order, however slowly it reads', async () => {
    const flusher = new Flusher()
    const pairs: Pair[] = []
    for (const isDeflated of [false, false, true, true]) {
      pairs.push(await openPair(flusher, isDeflated))
    }
    const expected: Buffer[][] = pairs.map(() => [])
    const frames = [1, 50, 300, 20_000].map(
      (size, index) => new SharedFrame(`${index}`.repeat(size), index > 1 ? 'ws_market' : 'ws_onchain'),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            frame: fc.constantFrom(...frames),
            receivers: fc.uniqueArray(fc.nat(3)),
            action: fc.constantFrom('nothing', 'wait', 'pause', 'resume', 'own message'),
          }),
          { maxLength: 60 },
        ),
        async (steps) => {
          for (const { frame, receivers, action } of steps) {
            for (const index of receivers) {
              const own = action === 'own message' ? createTextFrame('o'.repeat(9_000)) : undefined
              for (const each of [frame, ...(own === undefined ? [] : [own])]) {
                pairs[index]?.outbox.add(each)
                expected[index]?.push(index > 1 ? each.deflated : each.plain)
              }
            }
            const [reader] = receivers
            if (action === 'wait') await new Promise((next) => setImmediate(next))
            if (action === 'pause') pairs[reader ?? 0]?.client.pause()
            if (action === 'resume') pairs[reader ?? 0]?.client.resume()
          }
        },
      ),
      { numRuns: 30 },
    )
    for (const [index, pair] of pairs.entries()) {
      pair.client.resume()
      const all = Buffer.concat(expected[index] ?? [])
      await until(() => pair.received.reduce((sum, { length }) => sum + length, 0) === all.length)
      expect(bytesOf(pair).equals(all)).toBe(true)
      expect(pair.outbox.waitingFrames).toBe(0)
      expect(pair.overflows).toBe(0)
      pair.client.destroy()
    }
  })

  test('a client that never reads overflows by bytes, and keeps nothing', async () => {
    const pair = await openPair(new Flusher())
    pair.client.pause()
    const frame = new SharedFrame('x'.repeat(100_000), 'ws_onchain')
    let bytes = 0
    while (pair.overflows === 0 && bytes < 10 * WAITING_BYTES_MAX) {
      pair.outbox.add(frame)
      bytes += frame.plain.length
      if (bytes % 500_000 < 100_000) await new Promise((next) => setImmediate(next))
    }
    expect(pair.overflows).toBe(1)
    expect(bytes).toBeGreaterThan(WAITING_BYTES_MAX)
    pair.outbox.add(frame)
    // What was written to the socket already.
    expect(pair.outbox.waitingBytes).toBe(pair.socket.writableLength)
    expect(pair.overflows).toBe(1)
    pair.client.destroy()
  })

  test('a client that never reads overflows by frames', async () => {
    const pair = await openPair(new Flusher())
    pair.client.pause()
    // Fills the buffers of the kernel.
    while (pair.outbox.waitingBytes < 500_000) {
      pair.outbox.add(createTextFrame('x'.repeat(100_000)))
      await new Promise((next) => setImmediate(next))
    }
    const frame = new SharedFrame('{}', 'ws_onchain')
    for (let count = 0; count <= WAITING_FRAMES_MAX; count++) pair.outbox.add(frame)
    expect(pair.overflows).toBe(1)
    pair.client.destroy()
  })

  test('counts what was written, and says when the client has taken it', async () => {
    const pair = await openPair(new Flusher())
    pair.client.pause()
    const frame = new SharedFrame('x'.repeat(60_000), 'ws_market')
    for (let count = 0; count < 100; count++) pair.outbox.add(frame)
    const drained = pair.outbox.drained()
    await until(() => pair.outbox.waitingBytes > 0)
    expect(pair.outbox.takeTransfer().marketBytes).toBeLessThanOrEqual(6_000_000)
    pair.client.resume()
    expect(await drained).toBe(true)
    await until(() => pair.outbox.waitingBytes === 0)
    await until(() => pair.received.reduce((sum, { length }) => sum + length, 0) === 100 * 60_004)
    let ended = false
    pair.outbox.end(() => {
      ended = true
    })
    expect(ended).toBe(true)
    expect(await pair.outbox.drained()).toBe(false)
    pair.client.destroy()
  })
})
