import { once } from 'node:events'
import { type AddressInfo, connect as connectTcp, type Socket } from 'node:net'
import { deflateRawSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { listenSockets, SocketClient } from '../../test/socket-client.js'
import { createTestApp, type TestApp } from '../../test/test-app.js'
import { until } from '../../test/until.js'

const MIB = 1024 * 1024
const EDGES = [-1, 0, 2 ** 31 - 1, 2 ** 31, Number.MAX_SAFE_INTEGER, 2n ** 63n, '1e30', '"NaN"']

let t: TestApp
let url: string
let key: string
/** Watches during all tests, and must notice nothing. */
let witness: SocketClient
beforeAll(async () => {
  t = await createTestApp()
  url = await listenSockets(t.app)
  key = (await t.createCaller('enterprise')).key
  witness = await SocketClient.open(`${url}/ws?key=${key}`)
  witness.send({ action: 'subscribe', type: 'blocks' })
  await witness.next(({ type }) => type === 'subscribed')
})
afterAll(async () => {
  expect(witness.close).toBeUndefined()
  witness.send({ action: 'ping' })
  expect(await witness.next(({ type }) => type === 'pong')).toMatchObject({ type: 'pong' })
  expect(witness.messages.filter(({ type }) => type === 'error')).toEqual([])
  witness.socket.terminate()
  await t.close()
})

async function connect(path = '/ws'): Promise<SocketClient> {
  const client = await SocketClient.open(`${url}${path}?key=${key}`)
  onTestFinished(() => client.socket.terminate())
  return client
}

/** A client that writes bytes of its own. */
async function connectRaw(): Promise<Socket> {
  const { port } = t.app.server.address() as AddressInfo
  const socket = connectTcp(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => undefined)
  socket.write(
    `GET /ws?key=${key} HTTP/1.1\r\nhost: x\r\nconnection: Upgrade\r\nupgrade: websocket\r\n` +
      'sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  )
  await once(socket, 'data')
  return socket
}

/** A client's frame; the mask is zero, which changes nothing. */
function clientFrame(firstByte: number, payload: Buffer): Buffer {
  const { length } = payload
  const head = Buffer.alloc(length < 126 ? 6 : 8)
  head[0] = firstByte
  head[1] = 0x80 | (length < 126 ? length : 126)
  if (length >= 126) head.writeUInt16BE(length, 2)
  return Buffer.concat([head, payload])
}

/** The code of the frame that closes, which is the last one that is sent. */
async function closeCodeOf(socket: Socket): Promise<number> {
  const received: Buffer[] = []
  socket.on('data', (chunk) => received.push(chunk))
  await until(() => Buffer.concat(received).includes(0x88))
  const bytes = Buffer.concat(received)
  return bytes.readUInt16BE(bytes.lastIndexOf(0x88) + 2)
}

describe.each(['/ws', '/ws/orderbook'])('%s survives', (path) => {
  test.each([
    ['text that is not JSON', 'hello'],
    ['JSON that is no object', '[1,2,3]'],
    ['null', 'null'],
    ['no action', '{}'],
    ['an unknown action', '{"action":"dance"}'],
    ['an empty message', ''],
    ['deep nesting', `{"action":"subscribe","filters":${'['.repeat(50_000)}${']'.repeat(50_000)}}`],
    ['a prototype', '{"action":"subscribe","__proto__":{"type":"x"},"type":"nothing"}'],
    ['an unknown type', '{"action":"subscribe","type":"nothing"}'],
    ['filters of a wrong type', '{"action":"subscribe","type":"trades","filters":"all","markets":7}'],
    ['wrong types in filters', '{"action":"subscribe","filters":{"wallets":[1]},"markets":[{}]}'],
    ['a size that is no number', '{"action":"subscribe","filters":{"min_size":"big"},"markets":0}'],
  ])('%s: an error, and the connection goes on', async (_what, text) => {
    const client = await connect(path)
    client.send(text)
    const error = await client.next()
    expect(error.code ?? error.error).toEqual(expect.any(String))
    client.send({ action: 'ping' })
    expect(await client.next()).toMatchObject({ type: 'pong' })
  })

  test('numbers at the edges of what a field can be: it is taken, or named by the error', async () => {
    const client = await connect(path)
    for (const field of ['min_size', 'max_size', 'since', 'since_seq', 'snapshot_count']) {
      for (const edge of EDGES) {
        client.send(`{"action":"subscribe","type":"trades","filters":{"${field}":${edge}}}`)
        const { type, message, error } = await client.next()
        if (path === '/ws' && type === 'error') expect(`${message ?? error}`).toContain(field)
        client.send({ action: 'unsubscribe' })
        if (path === '/ws') await client.next(({ type }) => type === 'unsubscribed')
        else await client.next()
      }
    }
    client.send({ action: 'ping' })
    expect(await client.next(({ type }) => type === 'pong')).toMatchObject({ type: 'pong' })
  })

  test('100,000 filter items: an error', async () => {
    const client = await connect(path)
    const items = Array.from({ length: 100_000 }, (_, index) => `x${index}`)
    const filters = { wallets: items }
    client.send({ action: 'subscribe', type: 'trades', filters, markets: items })
    const error = await client.next()
    expect(error.code ?? error.error).toEqual(expect.any(String))
  })

  test('binary frames: an error, in the order of the messages', async () => {
    const client = await connect(path)
    client.socket.send(Buffer.from('{"action":"ping"}'))
    client.send({ action: 'ping' })
    expect(await client.next()).toMatchObject({ code: 'invalid_message' })
    expect(await client.next()).toMatchObject({ type: 'pong' })
  })

  test('1009: a huge frame', async () => {
    const client = await connect(path)
    client.send(`"${'x'.repeat(3 * MIB)}"`)
    expect((await client.closed()).code).toBe(1009)
  })

  test('too many messages: an error for each, in the order of the messages', async () => {
    const client = await connect(path)
    for (let count = 0; count < 31; count++) {
      for (let each = 0; each < 10; each++) client.send({ action: 'ping' })
      for (let each = 0; each < 10; each++) await client.next()
    }
    const refused = client.messages.map(({ code }) => code === 'rate_limited')
    expect(refused).toEqual(Array.from({ length: 310 }, (_, index) => index >= 300))
  })

  test('1008: a flood of messages, after an error', async () => {
    const client = await connect(path)
    for (let count = 0; count < 2_000; count++) client.send({ action: 'ping' })
    expect((await client.closed()).code).toBe(1008)
    expect(client.messages.at(-1)).toMatchObject({ code: 'rate_limited' })
    expect(client.messages.length).toBeLessThan(1_000)
  })
})

describe('frames that are none', () => {
  test.each([
    ['1007: invalid UTF-8', clientFrame(0x81, Buffer.from([0x22, 0xff, 0xfe, 0x22])), 1007],
    ['1002: a compressed frame that was not agreed on', clientFrame(0xc1, deflateRawSync('{}')), 1002],
    ['1002: an unknown opcode', clientFrame(0x83, Buffer.from('x')), 1002],
    ['1002: a frame without a mask', Buffer.from([0x81, 0x02, 0x7b, 0x7d]), 1002],
    ['1009: a length of 2^40', Buffer.from([0x81, 0xff, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]), 1009],
  ])('%s', async (_what, bytes, code) => {
    const socket = await connectRaw()
    socket.write(bytes)
    expect(await closeCodeOf(socket)).toBe(code)
  })

  test('1008: a message in thousands of pieces', async () => {
    const socket = await connectRaw()
    socket.write(clientFrame(0x01, Buffer.from('"')))
    for (let count = 0; count < 5_000; count++) socket.write(clientFrame(0x00, Buffer.from('x')))
    expect(await closeCodeOf(socket)).toBe(1008)
  })

  test('bytes that end in the middle of a frame', async () => {
    const socket = await connectRaw()
    socket.write(clientFrame(0x81, Buffer.alloc(200)).subarray(0, 100))
    socket.end()
    await once(socket, 'close')
  })
})

test('a bomb in a binary frame is not inflated', async () => {
  const client = await connect()
  client.socket.send(deflateRawSync(Buffer.alloc(50 * MIB)))
  expect(await client.next()).toMatchObject({ code: 'invalid_message' })
})

test('clients that send requests and never read keep little memory', async () => {
  const clients = await Promise.all(Array.from({ length: 20 }, () => connectRaw()))
  const ping = clientFrame(0x89, Buffer.alloc(100))
  const action = clientFrame(0x81, Buffer.from('{"action":"ping"}'))
  const before = process.memoryUsage().rss
  for (const socket of clients) {
    socket.pause()
    for (let count = 0; count < 200; count++) socket.write(Buffer.concat([ping, ping, ping, action]))
  }
  witness.send({ action: 'ping' })
  await witness.next(({ type }) => type === 'pong')
  expect(process.memoryUsage().rss - before).toBeLessThan(200 * MIB)
})

test('many connects at once, of clients that vanish at any moment', async () => {
  const { port } = t.app.server.address() as AddressInfo
  const sockets = Array.from({ length: 400 }, (_, index) => {
    const socket = connectTcp(port, '127.0.0.1')
    socket.on('error', () => undefined)
    socket.write(
      `GET /ws?key=${key} HTTP/1.1\r\nhost: x\r\nconnection: Upgrade\r\nupgrade: websocket\r\n` +
        'sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    )
    if (index % 3 === 0) setTimeout(() => socket.destroy(), index / 4)
    return socket
  })
  const status = async () => (await t.app.inject({ url: '/v1/status', headers: { 'x-api-key': key } })).json()
  await expect.poll(async () => (await status()).ws_subscribers, { timeout: 60_000 }).toBeGreaterThan(200)
  for (const socket of sockets) socket.destroy()
  await expect.poll(async () => (await status()).ws_subscribers, { timeout: 60_000 }).toBeLessThan(50)
})
