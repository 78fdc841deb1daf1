import { brotliDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ManualClock } from '../../test/manual-clock.js'
import { probe, probeRoutes } from '../../test/probe-routes.js'
import { createTestApp, type TestApp } from '../../test/test-app.js'
import { createMetrics } from '../metrics.js'
import { ResponseCache } from './response-cache.js'

let t: TestApp
let key: string
beforeAll(async () => {
  t = await createTestApp({ routes: [probeRoutes] })
  key = (await t.createCaller('enterprise')).key
})
afterAll(() => t.close())
beforeEach(() => {
  t.clock.advance(3_600_000)
  Object.assign(probe, { computed: 0, fail: false, bytes: 10 })
})

const get = (query = '', headers: Record<string, string> = {}) =>
  t.app.inject({ url: `/v1/probe/cached${query}`, headers: { 'x-api-key': key, ...headers } })

describe('a cached route', () => {
  test('computes once for a hundred requests at the same time', async () => {
    const replies = await Promise.all(Array.from({ length: 100 }, () => get()))
    expect(probe.computed).toBe(1)
    expect(new Set(replies.map((reply) => reply.body)).size).toBe(1)
  })

  test('serves the stored answer until its time is over, and says how old it is', async () => {
    const first = await get()
    expect(first.headers).toMatchObject({ 'cache-control': 'private, max-age=30', age: '0' })
    t.clock.advance(29_999)
    const second = await get()
    expect(second.json()).toEqual(first.json())
    expect(second.headers).toMatchObject({ age: '29', etag: first.headers.etag })
    t.clock.advance(1)
    expect((await get()).json().number).toBe(2)
  })

  test('tells answers apart by the parameters of its schema alone', async () => {
    const bodies = await Promise.all(
      ['?page=1', '?page=2', '?page=1&x=1', '?y=2&page=1'].map((q) => get(q)),
    )
    expect(bodies.map((reply) => reply.json().page)).toEqual([1, 2, 1, 1])
    expect(probe.computed).toBe(2)
  })

  test('304: the client has these bytes already', async () => {
    const { headers } = await get()
    const etag = String(headers.etag)
    expect(etag).toMatch(/^"[\w-]+"$/)
    for (const tags of [etag, `"other", ${etag}`, `W/${etag}`, '*']) {
      const reply = await get('', { 'if-none-match': tags })
      expect(reply.statusCode).toBe(304)
      expect(reply.body).toBe('')
      expect(reply.headers).toMatchObject({ etag, 'cache-control': 'private, max-age=30' })
    }
    expect((await get('', { 'if-none-match': '"other"' })).statusCode).toBe(200)
  })

  test('keeps the compressed bytes, with a tag of their own', async () => {
    probe.bytes = 20_000
    const plain = await get()
    const packed = await get('', { 'accept-encoding': 'gzip, br' })
    expect(packed.headers['content-encoding']).toBe('br')
    expect(packed.headers.etag).not.toBe(plain.headers.etag)
    expect(brotliDecompressSync(packed.rawPayload).toString()).toBe(plain.body)
    expect(packed.headers.vary).toMatch(/accept-encoding/)
    expect(probe.computed).toBe(1)
  })

  test('never keeps a failure', async () => {
    probe.fail = true
    const failed = await Promise.all([get(), get()])
    expect(failed.map((reply) => reply.statusCode)).toEqual([503, 503])
    expect(failed[0]?.headers).toMatchObject({ 'cache-control': 'no-store', 'retry-after': '1' })
    expect(probe.computed).toBe(1)
    probe.fail = false
    expect((await get()).statusCode).toBe(200)
  })

  test('is charged and refused like any other', async () => {
    expect((await t.app.inject('/v1/probe/cached')).statusCode).toBe(401)
    expect((await get('?page=x')).statusCode).toBe(400)
  })
})

test('the cache never holds more than it may', async () => {
  const cache = new ResponseCache(new ManualClock(), createMetrics(), 100_000)
  for (let index = 0; index < 200; index++) {
    const answer = await cache.get(`key ${index}`, 60_000, async () => ({
      text: 'x'.repeat(5_000),
      head: undefined,
    }))
    await cache.encode(`key ${index}`, answer, 'gzip')
    expect(cache.bytes).toBeLessThanOrEqual(100_000)
  }
  expect(cache.bytes).toBeGreaterThan(50_000)
  const whole = await cache.get('too large', 60_000, async () => ({
    text: 'x'.repeat(200_000),
    head: undefined,
  }))
  expect(whole.bodies.identity).toHaveLength(200_000)
  expect(cache.bytes).toBeLessThanOrEqual(100_000)
})
