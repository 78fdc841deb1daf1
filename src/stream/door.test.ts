import { once } from 'node:events'
import { request } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { listenSockets, SocketClient } from '../../test/socket-client.js'
import { createTestApp, type TestApp } from '../../test/test-app.js'
import { until } from '../../test/until.js'
import { untilLocked } from '../../test/until-locked.js'
import { createKey, retireKey } from '../accounts/accounts.js'
import type { PlanId } from '../accounts/plans.js'
import { updatePlan } from '../accounts/queries.js'
import { ADMITTED } from '../http/connection-shares.js'
import type { Connection, Protocol } from './connection.js'
import { SharedFrame } from './fast/shared-frame.js'

let t: TestApp
let url: string
/** Every connection that was opened, the newest last. */
const connections: Connection[] = []
const ended: string[] = []
beforeAll(async () => {
  t = await createTestApp({ createProtocol: createEcho })
  url = await listenSockets(t.app)
})
afterAll(() => t.close())

/** Answers each message with itself; a message with `ms` later. */
function createEcho(connection: Connection): Protocol {
  connections.push(connection)
  return {
    onMessage: async (text) => {
      const { ms = 0 } = JSON.parse(text) as { ms?: number }
      if (ms > 0) await new Promise((next) => setTimeout(next, ms))
      connection.send(text)
    },
    onClose: () => void ended.push(connection.id),
  }
}

async function connect(plan: PlanId, path = '/ws', query = '') {
  const caller = await t.createCaller(plan)
  return { ...caller, ...(await connectWith(caller.key, path, query)) }
}

async function connectWith(key: string, path = '/ws', query = '') {
  const before = connections.length
  const client = await SocketClient.open(`${url}${path}?key=${key}${query}`)
  onTestFinished(() => client.socket.terminate())
  await until(() => connections.length > before || client.messages.length > 0)
  const connection = connections.at(-1)
  if (connection === undefined) throw new Error('there is a connection')
  return { client, connection }
}

test('an admitted WebSocket keeps its connection at the connection limit, a refused one does not', async () => {
  const admitted: unknown[] = []
  const watch = (socket: Socket) => socket.on(ADMITTED, () => admitted.push(socket.remotePort))
  t.app.server.on('connection', watch)
  onTestFinished(() => void t.app.server.off('connection', watch))
  const refused = await SocketClient.open(`${url}/ws?key=ax_live_${'0'.repeat(32)}`)
  await until(() => refused.messages.length > 0)
  expect(admitted).toEqual([])
  await connect('growth')
  expect(admitted).toHaveLength(1)
})

/** What a client received, but for the heartbeats that time moved by another test may cause. */
const listOf = ({ messages }: SocketClient) => messages.filter(({ type }) => type !== 'heartbeat')

/** Time passes, and the client sends something in time. */
async function stay(client: SocketClient, minutes: number): Promise<void> {
  for (let left = minutes; left > 0; left -= 4) {
    t.clock.advance(Math.min(left, 4) * 60_000)
    client.send({ left })
    await client.next((message) => message.left === left)
  }
}

const get = async (path: string, headers: Record<string, string>) => {
  const { port } = t.app.server.address() as AddressInfo
  const sent = request({ host: '127.0.0.1', port, path, headers }).end()
  const [reply] = (await Promise.race([once(sent, 'response'), once(sent, 'upgrade')])) as [
    { statusCode: number; headers: Record<string, string>; socket: { destroy(): void } },
  ]
  reply.socket.destroy()
  return reply
}
const UPGRADE = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
}

describe('the upgrade', () => {
  test.each(['/ws', '/ws/', '/ws/orderbook', '/ws/orderbook/'])('%s with a key', async (path) => {
    const { client } = await connect('growth', path)
    client.send({ hello: 1 })
    expect(await client.next()).toEqual({ hello: 1 })
    client.socket.close()
    expect((await client.closed()).code).toBe(1005)
  })

  test.each([
    ['x-api-key', (key: string) => ({ 'x-api-key': key })],
    ['authorization', (key: string) => ({ authorization: `Bearer ${key}` })],
  ])('takes the key of the header %s', async (_name, headersOf) => {
    const { key } = await t.createCaller('starter')
    const client = await SocketClient.open(`${url}/ws`, { headers: headersOf(key) })
    client.send({})
    expect(await client.next()).toEqual({})
    client.socket.terminate()
  })

  test('404 at other paths, as a plain answer', async () => {
    expect((await get('/v1/status', UPGRADE)).statusCode).toBe(404)
    expect((await get('/ws/other', UPGRADE)).statusCode).toBe(404)
  })

  test('400 for a handshake that is none', async () => {
    expect((await get('/ws', { ...UPGRADE, 'sec-websocket-key': 'short' })).statusCode).toBe(400)
  })

  test('a request that offers another protocol is answered as if it did not', async () => {
    const headers = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c' }
    expect((await get('/healthz', headers)).statusCode).toBe(200)
  })
})

describe('refusals', () => {
  test.each([
    ['no key', ''],
    ['a malformed key', '?key=abc'],
    ['an unknown key', `?key=ax_live_${'0'.repeat(48)}`],
    ['two keys', `?key=ax_live_${'0'.repeat(48)}&key=b`],
  ])('4401: %s', async (_why, query) => {
    const client = await SocketClient.open(`${url}/ws${query}`)
    expect(await client.next()).toEqual({
      type: 'error',
      code: 'unauthorized',
      message: expect.any(String),
    })
    expect((await client.closed()).code).toBe(4401)
  })

  test('errors of the orderbook socket name their code in `error` too', async () => {
    const client = await SocketClient.open(`${url}/ws/orderbook`)
    expect(await client.next()).toMatchObject({ code: 'unauthorized', error: 'unauthorized' })
    expect((await client.closed()).code).toBe(4401)
  })

  test.each([
    ['/ws', 'compress=gzip', 'invalid_compress_option'],
    ['/ws', 'by_subscription=yes', 'invalid_by_subscription_option'],
    ['/ws/orderbook', 'integrity=2', 'invalid_integrity_option'],
  ])('1008: %s?%s', async (path, query, code) => {
    const { key } = await t.createCaller('free')
    const client = await SocketClient.open(`${url}${path}?key=${key}&${query}`)
    expect(await client.next()).toMatchObject({ type: 'error', code })
    expect((await client.closed()).code).toBe(1008)
  })

  test('an address that is refused again and again gets a bare 429, its good keys do not', async () => {
    const { key } = await t.createCaller('starter')
    const statuses = []
    for (let count = 0; count < 25; count++) statuses.push((await get('/ws', UPGRADE)).statusCode)
    expect(statuses.at(0)).toBe(101)
    expect(statuses.at(-1)).toBe(429)
    const { client } = await connectWith(key)
    client.send({})
    expect(await client.next()).toEqual({})
    t.clock.advance(61_000)
    expect((await get('/ws', UPGRADE)).statusCode).toBe(101)
  })
})

describe('limits of the plan', () => {
  test('4429: one connection too many; its end makes room', async () => {
    const { key, client } = await connect('free')
    const second = await SocketClient.open(`${url}/ws?key=${key}`)
    expect(await second.next()).toMatchObject({ code: 'connection_limit' })
    expect((await second.closed()).code).toBe(4429)
    // The sockets are counted apart.
    const { client: books } = await connectWith(key, '/ws/orderbook')
    books.send({})
    expect(await books.next()).toEqual({})

    client.socket.close()
    await client.closed()
    const { client: third } = await connectWith(key)
    third.send({})
    expect(await third.next()).toEqual({})
  })

  test('a client that closes may connect again before its socket has ended', async () => {
    const { key, client } = await connect('free')
    client.socket.close()
    client.socket.pause()
    const { client: second } = await connectWith(key)
    second.send({})
    expect(await second.next()).toEqual({})
    client.socket.resume()
    await client.closed()
  })

  test('many at once: as many as the plan allows', async () => {
    const { key } = await t.createCaller('starter')
    const urls = Array.from({ length: 14 }, () => `${url}/ws?key=${key}`)
    const clients = await Promise.all(urls.map((each) => SocketClient.open(each)))
    for (const each of clients) each.send({})
    await Promise.all(clients.map((client) => client.next()))
    expect(clients.filter(({ messages: [first] }) => first?.code === undefined)).toHaveLength(10)
    for (const each of clients) each.socket.terminate()
  })

  test('firehoses are counted for the account, and released', async () => {
    const { key } = await t.createCaller('free')
    const [one, two] = [await connectWith(key), await connectWith(key, '/ws/orderbook')]
    expect(await one.connection.takeFirehose()).toBe(true)
    expect(await one.connection.takeFirehose()).toBe(true)
    expect(await two.connection.takeFirehose()).toBe(false)
    one.connection.releaseFirehose()
    expect(await two.connection.takeFirehose()).toBe(true)
    expect(await one.connection.takeFirehose()).toBe(false)
    two.client.socket.close()
    await two.client.closed()
    expect(await one.connection.takeFirehose()).toBe(true)
  })

  test('4429: the hour of the free plan, over several connections, until midnight', async () => {
    t.clock.set(Date.UTC(2026, 10, 20, 12))
    const { key, client } = await connect('free')
    await stay(client, 50)
    client.socket.close()
    await client.closed()

    const { client: second } = await connectWith(key)
    await stay(second, 9)
    await t.ctx.socketSessions.beat()
    expect(second.close).toBeUndefined()
    t.clock.advance(61_000)
    const error = await second.next((message) => message.type === 'error')
    expect(error).toMatchObject({ code: 'session_limit' })
    expect((await second.closed()).code).toBe(4429)

    const third = await SocketClient.open(`${url}/ws?key=${key}`)
    expect(await third.next()).toMatchObject({ code: 'session_limit' })
    expect((await third.closed()).code).toBe(4429)
    // That of the other socket is apart.
    const { client: books } = await connectWith(key, '/ws/orderbook')
    books.send({})
    expect(await books.next()).toEqual({})

    t.clock.set(Date.UTC(2026, 10, 21))
    const { client: next } = await connectWith(key)
    next.send({})
    expect(await next.next()).toEqual({})
  })

  test('4403: the key expires, without a change in the database', async () => {
    const { accountId } = await t.createCaller('growth')
    const nowMs = t.clock.now()
    const of = { plans: t.ctx.plans, accountId, name: 'short', nowMs }
    const { secret } = await createKey(t.ctx.sql, { ...of, expiresAtMs: nowMs + 60_000 })
    const { client } = await connectWith(secret)
    t.clock.advance(60_001)
    await t.ctx.keyRing.sync()
    expect(await client.next((each) => each.type === 'error')).toMatchObject({ code: 'forbidden' })
    expect((await client.closed()).code).toBe(4403)
  })

  test('4403: the key is revoked; 1012: the plan changes', async () => {
    const { client, keyId } = await connect('growth')
    const other = await connect('growth')
    await retireKey(t.ctx.sql, keyId, t.clock.now())
    await updatePlan(t.ctx.sql, other.accountId, 'starter')
    await t.ctx.keyRing.sync()
    expect(await client.next((each) => each.type === 'error')).toMatchObject({ code: 'forbidden' })
    expect((await client.closed()).code).toBe(4403)
    expect((await other.client.closed()).code).toBe(1012)
  })

  test('4403: the key is revoked, and the other connections checked, while this one is being admitted', async () => {
    const watched = await connect('growth')
    const { key, keyId, accountId } = await t.createCaller('growth')
    let client: SocketClient | undefined
    await t.ctx.sql.begin(async (tx) => {
      await tx`select from accounts where id = ${accountId} for update`
      client = await SocketClient.open(`${url}/ws?key=${key}`)
      await untilLocked(t.ctx.sql, 1)
      await retireKey(t.ctx.sql, keyId, t.clock.now())
      await updatePlan(t.ctx.sql, watched.accountId, 'starter')
      await t.ctx.keyRing.sync()
      await watched.client.closed()
    })
    expect((await client?.closed())?.code).toBe(4403)
  })
})

describe('messages', () => {
  test('are handled one at a time, in order', async () => {
    const { client } = await connect('growth')
    for (const [n, ms] of [30, 0, 10, 0].entries()) client.send({ n, ms })
    const order = []
    for (let count = 0; count < 4; count++) order.push((await client.next()).n)
    expect(order).toEqual([0, 1, 2, 3])
  })

  test('frames and messages leave in the order in which they were given', async () => {
    const { client, connection } = await connect('growth')
    for (let n = 0; n < 100; n++) {
      if (n % 3 === 0) connection.send({ n })
      else connection.push(new SharedFrame(`{"n":${n}}`, 'ws_onchain'))
    }
    connection.close(4999, 'enough')
    connection.send({ n: 100 })
    expect((await client.closed()).code).toBe(4999)
    expect(listOf(client).map(({ n }) => n)).toEqual(Array.from({ length: 100 }, (_, n) => n))
    expect(ended).toContain(connection.id)
  })

  test('with compress=zlib live events come as raw deflate, all else as text', async () => {
    const plain = await connect('growth')
    const { client, connection } = await connectWith(plain.key, '/ws', '&compress=zlib')
    const frame = new SharedFrame(`{"type":"trade","text":"${'ä'.repeat(300)}"}`, 'ws_onchain')
    for (const each of [connection, plain.connection]) {
      each.push(frame)
      each.send({ type: 'subscribed' })
    }
    await until(() => [client, plain.client].every((each) => listOf(each).length === 2))
    const live = ({ messages }: SocketClient) => messages.findIndex(({ type }) => type === 'trade')
    expect(client.binary.filter((isBinary) => isBinary)).toHaveLength(1)
    expect(client.binary[live(client)]).toBe(true)
    expect(plain.client.binary).not.toContain(true)
    expect(listOf(client)).toEqual(listOf(plain.client))
  })

  test('the transfer of live messages is metered, that of the rest is not', async () => {
    const { client, connection, accountId } = await connect('growth')
    const month = '2026-11-01'
    const pending = () => [
      t.ctx.usage.pending(accountId, month, 'ws_onchain'),
      t.ctx.usage.pending(accountId, month, 'ws_market'),
    ]
    connection.push(new SharedFrame('{"a":"äöü"}', 'ws_onchain'))
    connection.push(new SharedFrame('{}', 'ws_market'))
    connection.send({ type: 'subscribed' })
    connection.send({ type: 'snapshot' }, 'ws_market')
    await until(() => listOf(client).length === 4)
    await until(() => pending()[0] === Buffer.byteLength('{"a":"äöü"}'))
    expect(pending()[1]).toBe(2 + '{"type":"snapshot"}'.length)
    connection.push(new SharedFrame('{"last":1}', 'ws_onchain'))
    connection.close(4999, '')
    await client.closed()
    await until(() => pending()[0] === Buffer.byteLength('{"a":"äöü"}') + 10)
  })
})

describe('liveness', () => {
  test('a heartbeat and a Ping every 30 s on the event socket, a Ping on the other', async () => {
    const { client, key } = await connect('growth')
    const { client: books } = await connectWith(key, '/ws/orderbook')
    const fromMs = t.clock.now()
    const heartbeats = () => client.messages.filter(({ ts }) => Number(ts) > fromMs)
    for (let count = 1; count <= 3; count++) {
      t.clock.advance(30_000)
      await until(() => heartbeats().length === count && books.pings >= count)
    }
    expect(heartbeats()).toEqual(
      [2, 1, 0].map((before) => ({ type: 'heartbeat', ts: t.clock.now() - before * 30_000 })),
    )
    expect(client.pings).toBe(client.messages.length)
    expect(books.messages).toEqual([])
  })

  test('a Ping of the client is answered', async () => {
    const { client } = await connect('growth')
    const pongs: string[] = []
    client.socket.on('pong', (payload) => pongs.push(payload.toString()))
    client.socket.ping('one')
    await until(() => pongs.length === 1)
    for (let n = 0; n < 1_000; n++) client.socket.ping(`${n}`)
    await until(() => pongs.at(-1) === '999')
  })

  test('4408: five minutes without a frame of the client', async () => {
    const quiet = await connect('growth')
    const { client: alive } = await connectWith(quiet.key)
    quiet.client.socket.pause()
    await stay(alive, 6)
    await until(() => ended.includes(quiet.connection.id))
    quiet.client.socket.resume()
    expect((await quiet.client.closed()).code).toBe(4408)
    expect(alive.close).toBeUndefined()
  })

  test.each([
    ['forward', 3_600_000],
    ['back', -3_600_000],
  ])('a clock that jumps an hour %s closes no connection', async (_direction, jumpMs) => {
    const { client } = await connect('growth')
    for (const stepMs of [jumpMs, -jumpMs]) {
      const before = client.messages.length
      t.clock.advance(stepMs)
      await until(() => {
        t.clock.advance(100)
        return client.messages.length > before || client.close !== undefined
      })
    }
    expect(client.close).toBeUndefined()
  })

  test('a client that vanished without a word does not keep the account out', async () => {
    const { client: gone, key } = await connect('free')
    gone.socket.pause()
    t.clock.advance(20_000)
    const early = await SocketClient.open(`${url}/ws?key=${key}`)
    expect(await early.next()).toMatchObject({ code: 'connection_limit' })
    t.clock.advance(20_000)
    const { client } = await connectWith(key)
    client.send({})
    expect(await client.next()).toEqual({})
    gone.socket.resume()
    expect((await gone.closed()).code).toBe(4408)
  })

  test('1013: a client that does not read, while others notice nothing', async () => {
    const slow = await connect('growth')
    const { client: other, connection } = await connectWith(slow.key)
    slow.client.socket.pause()
    const text = JSON.stringify({ text: 'x'.repeat(200_000) })
    for (let count = 0; count < 100; count++) {
      const frame = new SharedFrame(text, 'ws_onchain')
      slow.connection.push(frame)
      connection.push(frame)
      await new Promise((next) => setImmediate(next))
      await connection.drained()
    }
    await until(() => listOf(other).length === 100)
    expect(ended).toContain(slow.connection.id)
    expect(await slow.connection.drained()).toBe(false)
    slow.client.socket.resume()
    expect((await slow.client.closed()).code).toBe(1013)
  })
})

describe('the status', () => {
  test('shows connections and firehoses, and the metrics do', async () => {
    const { connection, key } = await connect('enterprise')
    await connection.takeFirehose()
    const reply = await t.app.inject({ url: '/v1/status', headers: { 'x-api-key': key } })
    expect(reply.json()).toMatchObject({
      ws_subscribers: expect.any(Number),
      firehose_connections: 1,
    })
    expect(reply.json().ws_subscribers).toBeGreaterThan(0)
    const metrics = await t.ctx.metrics.metrics()
    expect(metrics).toMatch(/auspex_ws_connections{socket="events"} [1-9]/)
    expect(metrics).toMatch(/auspex_ws_closed_total{code="4408"} [1-9]/)
    expect(metrics).toMatch(/auspex_ws_refused_total{reason="unauthorized"} [1-9]/)
    expect(metrics).toMatch(/auspex_ws_sent_bytes_total{meter="ws_onchain"} \d/)
  })
})

test('1012: the service stops, and everything before it arrives', async () => {
  const own = await createTestApp({ createProtocol: createEcho })
  const address = await listenSockets(own.app)
  const { key } = await own.createCaller('growth')
  const before = connections.length
  const client = await SocketClient.open(`${address}/ws?key=${key}`)
  const stuck = await SocketClient.open(`${address}/ws?key=${key}`)
  await until(() => connections.length === before + 2)
  stuck.socket.pause()
  for (const connection of connections.slice(before)) {
    for (let n = 0; n < 50; n++) connection.push(new SharedFrame(`{"n":${n}}`, 'ws_onchain'))
  }
  const startedAt = performance.now()
  await own.app.close()
  expect(performance.now() - startedAt).toBeLessThan(3_000)
  expect((await client.closed()).code).toBe(1012)
  expect(client.messages).toHaveLength(50)
  const [row] = await own.ctx.sql<{ count: number }[]>`
    select count(*)::int as count from socket_holders`
  expect(row?.count).toBe(0)
  stuck.socket.terminate()
  await own.close()
})

describe('a door that sends its clients away', () => {
  test('closes them one group after the other, gives their slots back first, and takes no new ones', async () => {
    const other = await createTestApp()
    onTestFinished(() => other.close())
    const address = await listenSockets(other.app)
    const { key } = await other.createCaller('enterprise')
    const { key: freeKey } = await other.createCaller('free')
    const open = (secret: string) => SocketClient.open(`${address}/ws?key=${secret}`)
    const clients = await Promise.all([open(freeKey), ...Array.from({ length: 40 }, () => open(key))])
    const countSlots = async () => {
      const [row] = await other.ctx.sql`select coalesce(sum(count), 0)::integer as slots from socket_counts`
      return row?.slots
    }
    await expect.poll(countSlots).toBe(clients.length)

    const closedMs: number[] = []
    for (const { socket } of clients) socket.once('close', () => closedMs.push(performance.now()))
    const dismissing = other.app.dismissSockets(800, new AbortController().signal)
    await until(() => closedMs.length > 0)
    expect(await countSlots()).toBe(0)
    expect(closedMs.length).toBeLessThan(clients.length)
    const refused = new SocketClient(`${address}/ws?key=${key}`)
    const [, reply] = await once(refused.socket, 'unexpected-response')
    expect([reply.statusCode, reply.headers['retry-after']]).toEqual([503, '1'])
    await dismissing
    await until(() => closedMs.length === clients.length)
    expect((closedMs.at(-1) ?? 0) - (closedMs[0] ?? 0)).toBeGreaterThan(300)
    expect(new Set(clients.map(({ close }) => close?.code))).toEqual(new Set([1012]))
  })
})
