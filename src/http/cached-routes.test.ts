import { brotliDecompressSync } from 'node:zlib'
import { Type } from 'typebox'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { probe, probeRoutes } from '../../test/probe-routes.js'
import { createTestApp, type TestApp } from '../../test/test-app.js'
import { until } from '../../test/until.js'
import { STANDARD } from '../accounts/access.js'
import { AccountRefusal } from '../core/errors.js'

let t: TestApp
let key: string
beforeAll(async () => {
  t = await createTestApp({ routes: [probeRoutes] })
  key = (await t.createCaller('enterprise')).key
})
afterAll(() => t.close())
beforeEach(() => {
  t.clock.advance(3_600_000)
  Object.assign(probe, { computed: 0, fail: false, bytes: 10, holds: false, held: [] })
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
    expect(second.headers).toMatchObject({ age: '30', etag: first.headers.etag })
    t.clock.advance(1)
    expect((await get()).json().number).toBe(2)
  })

  test('distinguishes answers by the parameters of its schema alone', async () => {
    const bodies = await Promise.all(['?page=1', '?page=2', '?page=1&x=1', '?y=2&page=1'].map((q) => get(q)))
    expect(bodies.map((reply) => reply.json().page)).toEqual([1, 2, 1, 1])
    expect(probe.computed).toBe(2)
  })

  test('charges, counts and measures requests that the cache answers like any other', async () => {
    const caller = await t.createCaller('free')
    const ask = () => get('', { 'x-api-key': caller.key })
    for (let count = 1; count <= 60; count++) {
      const { statusCode, headers } = await ask()
      expect(statusCode).toBe(200)
      expect(headers['x-ratelimit-remaining']).toBe(String(60 - count))
    }
    expect(t.ctx.usage.pending(caller.accountId, '2026-11-01', 'api_requests')).toBe(60)
    const refused = await ask()
    expect(refused.statusCode).toBe(429)
    expect(refused.json().error).toMatch(/Retry after/)
    const metrics = await t.ctx.metrics.metrics()
    expect(metrics).toMatch(/_count\{route="\/v1\/probe\/cached",method="GET",status="200"\} \d{2,}/)
    expect(metrics).toMatch(/lookups_total\{result="hit"\} \d{2}/)
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

describe('a cached route with a grid', () => {
  const GRID_MS = 300_000
  let boundaryMs: number
  beforeEach(() => {
    boundaryMs = t.clock.now() - (t.clock.now() % GRID_MS) + GRID_MS
  })

  // Over since the epoch, so that its answers live for ten minutes unless a boundary ends them.
  const getWindow = (end = 0, headers: Record<string, string> = {}) =>
    t.app.inject({ url: `/v1/probe/window?end=${end}`, headers: { 'x-api-key': key, ...headers } })

  /** Begins the computation with this number and leaves it running. */
  const startWindow = async (number: number) => {
    probe.holds = true
    const reply = getWindow()
    await until(() => probe.held.length === number)
    return { finish: () => probe.held[number - 1]?.(), reply }
  }

  test('computes again at the boundary, however long the answer would live', async () => {
    t.clock.set(boundaryMs - 1)
    await getWindow()
    expect((await getWindow()).json().number).toBe(1)
    t.clock.set(boundaryMs)
    expect((await getWindow()).json().number).toBe(2)
    t.clock.set(boundaryMs + GRID_MS - 1)
    expect((await getWindow()).json().number).toBe(2)
    t.clock.set(boundaryMs + GRID_MS)
    expect((await getWindow()).json().number).toBe(3)
  })

  test('lets no request from after the boundary join a computation from before it', async () => {
    t.clock.set(boundaryMs - 1)
    const early = await startWindow(1)
    t.clock.set(boundaryMs)
    const late = await startWindow(2)
    early.finish()
    late.finish()
    expect((await early.reply).json().number).toBe(1)
    expect((await late.reply).json().number).toBe(2)
  })

  test('never keeps an answer that was finished after its boundary', async () => {
    t.clock.set(boundaryMs - 1)
    const early = await startWindow(1)
    t.clock.set(boundaryMs)
    const late = await startWindow(2)
    late.finish()
    await late.reply
    t.clock.advance(1_500)
    early.finish()
    const { headers, body } = await early.reply
    expect(JSON.parse(body).number).toBe(1)
    expect(headers).toMatchObject({ 'cache-control': 'private, max-age=0', age: '0' })
    expect((await getWindow()).json().number).toBe(2)
  })

  test('keeps an answer for as long as was right when its computation began', async () => {
    const beganAtMs = boundaryMs + 60_000
    const end = beganAtMs + 1
    probe.holds = true
    t.clock.set(beganAtMs)
    const first = getWindow(end)
    await until(() => probe.held.length === 1)
    t.clock.set(end)
    probe.held[0]?.()
    expect((await first).headers['cache-control']).toBe('private, max-age=10')
    probe.holds = false
    t.clock.set(end + 9_999)
    expect((await getWindow(end)).json().number).toBe(1)
    t.clock.set(end + 10_000)
    const second = await getWindow(end)
    expect(second.json().number).toBe(2)
    expect(second.headers['cache-control']).toBe('private, max-age=229')
  })

  test('says no longer life than is left, in whole seconds', async () => {
    t.clock.set(boundaryMs - 12_345)
    expect((await getWindow()).headers).toMatchObject({
      'cache-control': 'private, max-age=12',
      age: '0',
    })
    t.clock.set(boundaryMs - 12_344)
    expect((await getWindow()).headers).toMatchObject({
      'cache-control': 'private, max-age=12',
      age: '1',
    })
  })
})

describe('a cached route that marks repeated answers', () => {
  const getWindow = (headers: Record<string, string> = {}) =>
    t.app.inject({ url: '/v1/probe/window?end=0', headers: { 'x-api-key': key, ...headers } })

  test('gives the original to the request that made it, and the other form to all after it', async () => {
    const first = await getWindow()
    const second = await getWindow()
    expect(first.json()).toMatchObject({ number: 1, cached: false })
    expect(second.json()).toEqual({ ...first.json(), cached: true })
    expect(second.headers['cache-control']).toBe(first.headers['cache-control'])
    expect((await getWindow()).body).toBe(second.body)
  })

  test('304: for the form that the client has', async () => {
    const { headers: original } = await getWindow()
    const { headers: repeated } = await getWindow()
    expect(original.etag).not.toBe(repeated.etag)
    const known = await getWindow({ 'if-none-match': String(repeated.etag) })
    expect(known.statusCode).toBe(304)
    const other = await getWindow({ 'if-none-match': String(original.etag) })
    expect(other.statusCode).toBe(200)
    expect(other.json().cached).toBe(true)
    t.clock.advance(600_000)
    const recomputed = await getWindow({ 'if-none-match': String(repeated.etag) })
    expect(recomputed.json()).toMatchObject({ number: 2, cached: false })
  })

  test('compresses each form', async () => {
    probe.bytes = 20_000
    for (const cached of [false, true, true]) {
      const { headers, rawPayload } = await getWindow({ 'accept-encoding': 'br' })
      expect(headers['content-encoding']).toBe('br')
      expect(JSON.parse(brotliDecompressSync(rawPayload).toString()).cached).toBe(cached)
    }
    expect(probe.computed).toBe(1)
  })
})

test('a refusal of the account that began a computation is not that of others who wait for it', async () => {
  const begun: number[] = []
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const shared = await createTestApp({
    routes: [
      async (app) => {
        const config = { access: STANDARD, cacheMs: 30_000 }
        const schema = { response: { 200: Type.Object({ paid: Type.Integer() }) } }
        app.get('/shared', { config, schema }, async ({ caller: { accountId = 0 } = {} }) => {
          begun.push(accountId)
          if (begun.length > 1) return { paid: accountId }
          await held
          throw new AccountRefusal(accountId, 'Your share is used up.')
        })
      },
    ],
  })
  const [first, second] = [await shared.createCaller('free'), await shared.createCaller('free')]
  const askShared = (caller: { key: string }) =>
    shared.app.inject({ url: '/shared', headers: { 'x-api-key': caller.key } }).then((r) => r)
  const refused = askShared(first)
  await until(() => begun.length === 1)
  const joined = askShared(second)
  await vi.waitFor(async () => {
    const lookups = 'auspex_response_cache_lookups_total'
    expect(await shared.ctx.metrics.getSingleMetricAsString(lookups)).toContain('result="joined"')
  })
  release()
  expect((await refused).statusCode).toBe(429)
  expect((await joined).json()).toEqual({ paid: second.accountId })
  await shared.close()
})
