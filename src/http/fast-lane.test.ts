import { once } from 'node:events'
import { type IncomingHttpHeaders, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { brotliDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { probe, probeRoutes } from '../../test/probe-routes.js'
import { createTestApp, type TestApp } from '../../test/test-app.js'
import { retireKey, setPlan } from '../accounts/accounts.js'
import { accountRoutes } from '../accounts/routes.js'

let t: TestApp
beforeAll(async () => {
  // Above debug: the lane is closed while every request is logged.
  t = await createTestApp({ routes: [probeRoutes, accountRoutes], logLevel: 'info' })
  await t.app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(() => t.close())
beforeEach(async () => {
  t.clock.advance(3_600_000)
  Object.assign(probe, { computed: 0, fail: false, bytes: 2_000 })
  await t.ctx.keyRing.sync()
})

type Answer = { status: number | undefined; headers: IncomingHttpHeaders; body: Buffer }

async function get(
  path: string,
  key: string,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const { port } = t.app.server.address() as AddressInfo
  const sent = request({ port, path, headers: { 'x-api-key': key, ...headers } }).end()
  const [reply] = await once(sent, 'response')
  return { status: reply.statusCode, headers: reply.headers, body: await buffer(reply) }
}

const CACHED = '/v1/probe/cached?page=1'
/** What differs from one answer to the next, whoever gives it. */
const lasting = ({ 'x-request-id': _, date: __, ...headers }: IncomingHttpHeaders) => headers

test('an answer that takes the lane is the one that the framework gives, header by header', async () => {
  const first = await t.createCaller('growth')
  const second = await t.createCaller('growth')
  await get(CACHED, first.key)
  // The second caller is not known yet: the framework answers. Then the lane does.
  const framework = await get(CACHED, second.key)
  t.clock.advance(60_000 - 30_001)
  const third = await t.createCaller('growth')
  await t.ctx.keyRing.sync()
  await t.ctx.keyRing.find(third.key)
  const lane = await get(CACHED, third.key)
  expect(lane.status).toBe(200)
  expect(lane.body).toEqual(framework.body)
  expect(lasting(lane.headers)).toEqual({
    ...lasting(framework.headers),
    age: '30',
    'x-ratelimit-reset': lane.headers['x-ratelimit-reset'],
  })
  expect(lane.headers['x-request-id']).toBeTruthy()
  expect(probe.computed).toBe(1)
})

test('it is charged, counted and measured like any other', async () => {
  const { key, accountId } = await t.createCaller('free')
  const month = '2026-11-01'
  for (let count = 1; count <= 60; count++) {
    const { status, headers } = await get(CACHED, key)
    expect(status).toBe(200)
    expect(headers['x-ratelimit-remaining']).toBe(String(60 - count))
  }
  expect(t.ctx.usage.pending(accountId, month, 'api_requests')).toBe(60)
  const refused = await get(CACHED, key)
  expect(refused.status).toBe(429)
  expect(JSON.parse(refused.body.toString()).error).toMatch(/Retry after/)
  const metrics = await t.ctx.metrics.registry.metrics()
  expect(metrics).toMatch(/_count\{route="\/v1\/probe\/cached",method="GET",status="200"\} [6-9]\d/)
  expect(metrics).toMatch(/lookups_total\{result="hit"\} [5-9]\d/)
})

test('it ends with the cached answer, the key and the plan', async () => {
  const { key, keyId, accountId } = await t.createCaller('growth')
  for (let count = 0; count < 3; count++) await get(CACHED, key)
  expect(probe.computed).toBe(1)
  t.clock.advance(30_000)
  await get(CACHED, key)
  expect(probe.computed).toBe(2)

  await setPlan(t.ctx.sql, accountId, 'starter')
  await t.ctx.keyRing.sync()
  expect((await get(CACHED, key)).headers['x-ratelimit-limit']).toBe('1000')
  await retireKey(t.ctx.sql, keyId, t.clock.now())
  await t.ctx.keyRing.sync()
  expect((await get(CACHED, key)).status).toBe(403)
})

test('what is special about a request is seen by the framework', async () => {
  const { key } = await t.createCaller('enterprise')
  const { headers } = await get(CACHED, key)
  await get(CACHED, key)
  expect((await get(CACHED, key, { 'if-none-match': String(headers.etag) })).status).toBe(304)
  const browser = await get(CACHED, key, { origin: 'https://example.org' })
  expect(browser.headers['access-control-allow-origin']).toBe('*')
  expect((await get(CACHED, key, { authorization: `Bearer ${key}` })).status).toBe(401)
  expect((await get(`${CACHED}&key=${key}`, key)).status).toBe(401)
  expect((await get('/v1/probe/cached?page=x', key)).status).toBe(400)
  expect((await get(CACHED, '')).status).toBe(401)
  expect((await get(CACHED, `x${key}`)).status).toBe(401)
})

test('every encoding has its own bytes', async () => {
  const { key } = await t.createCaller('enterprise')
  const plain = await get(CACHED, key)
  for (let count = 0; count < 3; count++) {
    const packed = await get(CACHED, key, { 'accept-encoding': 'br' })
    expect(packed.headers['content-encoding']).toBe('br')
    expect(packed.headers.etag).not.toBe(plain.headers.etag)
    expect(brotliDecompressSync(packed.body)).toEqual(plain.body)
  }
})

test('it gives the answer as it is served again, and never past a boundary', async () => {
  const { key } = await t.createCaller('enterprise')
  const boundaryMs = t.clock.now() - (t.clock.now() % 300_000) + 300_000
  const windowAt = async (atMs: number) => {
    t.clock.set(atMs)
    await t.ctx.keyRing.sync()
    const { body, headers } = await get('/v1/probe/window?end=0', key)
    const { number, cached } = JSON.parse(body.toString())
    return [number, cached, headers['cache-control'], headers.age]
  }
  expect(await windowAt(boundaryMs - 5_000)).toEqual([1, false, 'private, max-age=5', '0'])
  expect(await windowAt(boundaryMs - 4_999)).toEqual([1, true, 'private, max-age=5', '1'])
  expect(await windowAt(boundaryMs - 1)).toEqual([1, true, 'private, max-age=5', '5'])
  expect(await windowAt(boundaryMs)).toEqual([2, false, 'private, max-age=300', '0'])
  expect(await windowAt(boundaryMs + 1)).toEqual([2, true, 'private, max-age=300', '1'])
})
