import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { probeRoutes } from '../../test/probe-routes.js'
import { sendRaw } from '../../test/raw-request.js'
import { createTestApp, type TestApp } from '../../test/test-app.js'
import { until } from '../../test/until.js'
import { accountRoutes } from '../account-api/routes.js'
import { createClientFaultHandler } from './errors.js'

let t: TestApp
beforeAll(async () => {
  t = await createTestApp({ routes: (ctx) => [probeRoutes, accountRoutes(ctx, ctx)] })
  await t.app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(() => t.close())
beforeEach(() => {
  t.clock.advance(60_000)
  t.logged.length = 0
})

const open = () => {
  const { port } = t.app.server.address() as AddressInfo
  return connect(port, '127.0.0.1').on('error', () => undefined)
}
const logged = (level: string) =>
  t.logged.map((line) => JSON.parse(line)).filter((line) => line.level === level)

const upload =
  'POST /v1/keys HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n' +
  'content-length: 1000\r\n\r\n{"name":'

describe('a client that leaves during its upload', () => {
  test.each([
    ['resets', (socket: Socket) => socket.resetAndDestroy()],
    ['closes', (socket: Socket) => socket.destroy()],
  ])('that %s the connection is to blame, and no part of the service', async (_how, leave) => {
    const socket = open()
    socket.write(upload)
    const [request] = (await once(t.app.server, 'request')) as [IncomingMessage]
    leave(socket)
    await until(() => request.destroyed)
    await setImmediate()
    expect(t.logged.filter((line) => !/"level":"(debug|info)"/.test(line))).toEqual([])
    expect(t.logged.join('')).not.toMatch(/database/i)
  })
})

describe('bytes that are not a request', () => {
  test('400: after the answers to the requests before them', async () => {
    const { key } = await t.createCaller('free')
    const valid = `GET /v1/probe/list?q=x HTTP/1.1\r\nhost: x\r\nx-api-key: ${key}\r\n\r\n`
    const ask = async (last: string) =>
      (await sendRaw(t.app, `${valid}${valid}${last}`)).match(/HTTP\/1.1 \d+/g)
    const before = ['HTTP/1.1 200', 'HTTP/1.1 200']
    expect(await ask('garbage\r\n\r\n')).toEqual([...before, 'HTTP/1.1 400'])
    expect(await ask('GRAB / HTTP/1.1\r\nhost: x\r\n\r\n')).toEqual([...before, 'HTTP/1.1 405'])
  })

  test('400: in the body of a request, in place of its answer', async () => {
    const chunked =
      'POST /v1/keys HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n' +
      'transfer-encoding: chunked\r\n\r\n1\r\n{\r\nnot a size\r\n'
    const answers = await sendRaw(t.app, chunked)
    expect(answers.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 400'])
  })

  test('408: a request that is never complete, whose client keeps its end of the connection open', async () => {
    const times = { headersTimeout: 50, requestTimeout: 50, connectionsCheckingInterval: 20 }
    const server = createServer(times, (request) => request.resume()).listen(0, '127.0.0.1')
    server.on(
      'clientError',
      createClientFaultHandler(() => 'id', t.ctx.floodLog),
    )
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    client.write(upload)
    const [connection] = (await once(server, 'connection')) as [Socket]
    const [answer] = await once(client, 'data')
    expect(answer.toString()).toMatch(/^HTTP\/1.1 408 /)
    await until(() => connection.destroyed)
    client.destroy()
    server.close()
  })

  test('a hundred of them are one line and one count', async () => {
    t.ctx.floodLog.flush()
    t.ctx.floodLog.flush()
    t.logged.length = 0
    for (let count = 0; count < 100; count++) await sendRaw(t.app, 'garbage\r\n\r\n')
    t.ctx.floodLog.flush()
    expect(logged('info')).toEqual([
      expect.objectContaining({ msg: 'request not understood', ip: expect.any(String) }),
      expect.objectContaining({ msg: 'request not understood', repeated: 99 }),
    ])
  })
})

test('refused requests of one kind are one line and one count, each account for itself', async () => {
  const { key, accountId } = await t.createCaller('free')
  t.ctx.floodLog.flush()
  t.ctx.floodLog.flush()
  t.logged.length = 0
  const ask = (headers = {}) => t.app.inject({ url: '/v1/probe/list', headers })
  for (let count = 0; count < 20; count++) await ask()
  for (let count = 0; count < 20; count++) await ask({ 'x-api-key': key })
  t.ctx.floodLog.flush()
  expect(logged('info')).toEqual([
    expect.objectContaining({ msg: 'request', status: 401 }),
    expect.objectContaining({ msg: 'request', status: 400, account: accountId }),
    expect.objectContaining({ repeated: 19, kind: '401 /v1/probe/list without account' }),
    expect.objectContaining({ repeated: 19, kind: `400 /v1/probe/list of account ${accountId}` }),
  ])
})
