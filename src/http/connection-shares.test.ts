import { once } from 'node:events'
import type { RequestListener, Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { Registry } from 'prom-client'
import { afterEach, expect, test } from 'vitest'
import { probeRoutes } from '../../test/probe-routes.js'
import { createTestApp } from '../../test/test-app.js'
import { until } from '../../test/until.js'
import { ADMITTED, ConnectionShares } from './connection-shares.js'
import { createHttpServer } from './server.js'

const CONNECTIONS_MAX = 6
const [CROWD, OTHER, THIRD] = ['127.0.0.2', '127.0.0.3', '127.0.0.4']

let closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.reverse()) await close()
  closers = []
})

/** `/as/7` proves a key of account 7, `/hang` is not answered, all else is answered without a key. */
const answer: RequestListener = (request, response) => {
  const [, path, account] = request.url?.split('/') ?? []
  if (path === 'as') request.socket.emit(ADMITTED, Number(account))
  if (path !== 'hang') response.end('ok')
}

async function open(options: { trustedProxies?: string[]; protectedPerAccountMax?: number } = {}) {
  const metrics = new Registry()
  const shares = new ConnectionShares({
    trustedProxies: [],
    connectionsMax: CONNECTIONS_MAX,
    metrics,
    ...options,
  })
  const server = createHttpServer(answer, shares)
  server.listen(0, '0.0.0.0')
  await once(server, 'listening')
  closers.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const countOf = async (name: string) =>
    Number(new RegExp(`^${name} (\\d+)`, 'm').exec(await metrics.metrics())?.[1])
  return { ...clientsOf(server), countOf }
}

function clientsOf(server: Server) {
  const { port } = server.address() as AddressInfo
  /** Opens a connection and sends a request for a path, if any. Resolves when the server has both. */
  const dial = async (localAddress: string, path?: string): Promise<Socket> => {
    const accepted = once(server, 'connection')
    const socket = connect({ port, host: '127.0.0.1', localAddress })
    socket.on('error', () => undefined)
    closers.push(() => socket.destroy())
    await accepted
    if (path !== undefined) {
      const requested = once(server, 'request')
      socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`)
      await requested
      if (path !== '/hang') await once(socket, 'data')
    }
    return socket
  }
  const dialMany = async (count: number, localAddress: string, path?: string) => {
    const sockets: Socket[] = []
    for (let n = 0; n < count; n++) sockets.push(await dial(localAddress, path))
    return sockets
  }
  return { dial, dialMany }
}

const untilClosed = async (...sockets: Socket[]) => {
  for (const socket of sockets) {
    socket.resume()
    await until(() => socket.closed)
  }
}

/** Each still gets an answer. */
async function expectOpen(...sockets: Socket[]): Promise<void> {
  for (const socket of sockets) {
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
    expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1.1 200 /)
  }
}

test('one address may have all connections, and loses one to each newcomer until it has no more than they', async () => {
  const { dial, dialMany, countOf } = await open()
  const crowd = await dialMany(CONNECTIONS_MAX, CROWD)
  expect(await countOf('auspex_http_connections')).toBe(CONNECTIONS_MAX)
  const others = [await dial(OTHER), await dial(THIRD), await dial(OTHER)]
  await untilClosed(...crowd.slice(0, 3))
  const last = await dial(THIRD)
  await untilClosed(...crowd.slice(3, 4))
  await expectOpen(...others, last, ...crowd.slice(4))
  expect(await countOf('auspex_http_connections')).toBe(CONNECTIONS_MAX)
  expect(await countOf('auspex_http_connections_dropped_total')).toBe(4)
})

test('a newcomer of the address that has the most replaces a connection of its own', async () => {
  const { dial, dialMany } = await open()
  const other = await dial(OTHER)
  const crowd = await dialMany(CONNECTIONS_MAX - 1, CROWD)
  const newcomer = await dial(CROWD)
  await untilClosed(...crowd.slice(0, 1))
  await expectOpen(other, newcomer, ...crowd.slice(1))
})

test('those that had no answer yet are closed first, then idle ones, then those with a request', async () => {
  const { dial, dialMany } = await open()
  const [busy, second] = await dialMany(2, CROWD, '/hang')
  const idle = await dial(CROWD, '/')
  const fresh = await dialMany(CONNECTIONS_MAX - 3, CROWD)
  await dialMany(2, OTHER)
  await dial(THIRD)
  await untilClosed(...fresh)
  expect([busy, second, idle].map((socket) => socket?.destroyed)).toEqual([false, false, false])
  await dial(THIRD)
  await untilClosed(idle)
  expect([busy, second].map((socket) => socket?.destroyed)).toEqual([false, false])
})

test('an address that has a request on each of its connections gives one for others, and none for itself', async () => {
  const { dial, dialMany } = await open()
  const busy = await dialMany(CONNECTIONS_MAX, CROWD, '/hang')
  await untilClosed(await dial(CROWD))
  expect(busy.every((socket) => !socket.destroyed)).toBe(true)
  const other = await dial(OTHER)
  await untilClosed(...busy.slice(0, 1))
  await expectOpen(other)
})

test('a connection that has proved a key is not closed, and without others the newcomer is', async () => {
  const { dial, dialMany } = await open()
  const proved = await dialMany(CONNECTIONS_MAX - 1, CROWD, '/as/1')
  const stranger = await dial(OTHER)
  const next = await dial(THIRD)
  await untilClosed(stranger)
  next.destroy()
  await untilClosed(next)
  const last = await dial(CROWD, '/as/1')
  const refused = await dial(THIRD)
  await untilClosed(refused)
  await expectOpen(...proved, last)
})

test('an account keeps a bounded number of connections, and gets it back when they close', async () => {
  const { dial, dialMany } = await open({ protectedPerAccountMax: 2 })
  const kept = await dial(CROWD, '/as/1')
  const closed = await dial(CROWD, '/as/1')
  const over = await dialMany(CONNECTIONS_MAX - 2, CROWD, '/as/1')
  await dial(OTHER)
  await untilClosed(...over.slice(0, 1))
  closed.destroy()
  await untilClosed(closed)
  const again = await dial(THIRD, '/as/1')
  await dialMany(3, OTHER)
  await expectOpen(kept, again)
})

test('connections of a trusted proxy are not closed for others', async () => {
  const { dial, dialMany } = await open({ trustedProxies: [CROWD] })
  const proxied = await dialMany(CONNECTIONS_MAX - 1, CROWD)
  const direct = await dial(OTHER)
  const newcomer = await dial(THIRD)
  await untilClosed(direct)
  const more = await dial(CROWD)
  await untilClosed(newcomer)
  await expectOpen(...proxied, more)
})

test('a request with a valid key proves it, one with another key does not', async () => {
  const t = await createTestApp({ routes: () => [probeRoutes] })
  closers.push(() => t.close())
  const { key, accountId } = await t.createCaller('enterprise')
  const url = await t.app.listen({ host: '127.0.0.1', port: 0 })
  const admitted: unknown[] = []
  t.app.server.on('connection', (socket) => socket.on(ADMITTED, (id: unknown) => admitted.push(id)))
  const ask = (secret: string) => fetch(`${url}/v1/probe/list?q=x`, { headers: { 'x-api-key': secret } })
  expect((await ask(`ax_live_${'0'.repeat(32)}`)).status).toBeGreaterThanOrEqual(401)
  expect(admitted).toEqual([])
  expect((await ask(key)).status).toBe(200)
  expect(admitted).toEqual([accountId])
})
