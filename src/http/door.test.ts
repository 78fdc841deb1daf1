import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { probeRoutes } from '../../test/probe-routes.js'
import { sendRaw } from '../../test/raw-request.js'
import { createTestApp, type TestApp } from '../../test/test-app.js'

let t: TestApp
let key: string
beforeAll(async () => {
  t = await createTestApp({ routes: [probeRoutes] })
  await t.app.listen({ host: '127.0.0.1', port: 0 })
  key = (await t.createCaller('enterprise')).key
})
afterAll(() => t.close())
beforeEach(() => t.clock.advance(60_000))

const get = (url: string, headers: Record<string, string> = {}) =>
  t.app.inject({ url, headers: { 'x-api-key': key, ...headers } })

describe('parameters', () => {
  const list = (query: string) => get(`/v1/probe/list?${query}`)

  test('200: read by their types, defaults filled in, unknown ones ignored', async () => {
    const reply = await list('q=x&exact=1&share=0.25&sort=old&colour=red')
    expect(reply.json()).toMatchObject({
      q: 'x',
      limit: 100,
      exact: true,
      share: 0.25,
      sort: 'old',
    })
  })

  test.each([
    ['limit=1e9', 'Invalid limit: the query parameter must be an integer from 1 to 300.'],
    ['limit=-1', 'Invalid limit: the query parameter must be an integer from 1 to 300.'],
    ['limit=301', 'Invalid limit: the query parameter must be an integer from 1 to 300.'],
    ['limit=abc', 'Invalid limit: the query parameter must be an integer from 1 to 300.'],
    ['limit=', 'Invalid limit: the query parameter must be an integer from 1 to 300.'],
    ['limit=1.5', 'Invalid limit: the query parameter must be an integer from 1 to 300.'],
    ['limit=%207', 'Invalid limit: the query parameter must be an integer from 1 to 300.'],
    ['limit=0x10', 'Invalid limit: the query parameter must be an integer from 1 to 300.'],
    ['limit=99999999999999999999', 'Invalid limit: the query parameter must be an integer from 1 to 300.'],
    ['limit=5&limit=6', "The query parameter 'limit' was given 2 times; give it once."],
    ['sort=best', 'Invalid sort. Allowed: new, old'],
    ['share=2', 'Invalid share: the query parameter must be a number from 0 to 1.'],
    ['exact=maybe', 'Invalid exact: the query parameter must be a boolean.'],
    ['q=', 'Invalid q: the query parameter must be a string from 1 to 80 characters.'],
    ['sort=%00', "The query parameter 'sort' contains a null character."],
    ['sort=%ff', "The query parameter 'sort' is not valid UTF-8."],
  ])('400: %s', async (query, error) => {
    const reply = await list(query.startsWith('q=') ? query : `q=x&${query}`)
    expect(reply.statusCode).toBe(400)
    expect(reply.json()).toEqual({ error })
  })

  test('400: a missing one is named', async () => {
    expect((await list('')).json()).toEqual({ error: "Missing required query parameter 'q'" })
  })

  test('400: on /v3 the allowed values come as a list too', async () => {
    const reply = await get('/v3/probe?q=x&sort=best')
    expect(reply.json()).toEqual({
      error: 'Invalid sort. Allowed: new, old',
      allowed: ['new', 'old'],
    })
  })
})

describe('paths and methods', () => {
  test('404: an unknown /v3 path names the nearest documented one', async () => {
    const reply = await get('/v3/prob')
    expect(reply.statusCode).toBe(404)
    expect(reply.json()).toEqual({
      error: 'not_found',
      path: '/v3/prob',
      hint: 'Did you mean /v3/probe? Every path is listed at /docs.',
    })
    expect((await get('/v3/probe/abc/trade')).json().hint).toMatch('/v3/probe/{name}/trades')
  })

  test.each(['/v3/', '/v3/?x=1'])('404: %s is a /v3 path too', async (url) => {
    expect((await get(url)).json()).toMatchObject({ error: 'not_found', path: '/v3/' })
  })

  test('404: elsewhere likewise, and without a hint when nothing is near', async () => {
    expect((await get('/v1/probe/lst')).json()).toEqual({
      error: 'Not found.',
      hint: 'Did you mean /v1/probe/list? Every path is listed at /docs.',
    })
    expect((await get(`/${'z'.repeat(3_000)}`)).json().hint).toBe('Every path is listed at /docs.')
  })

  test('200: /v3 takes a trailing slash, with and without a query', async () => {
    expect((await get('/v3/probe/?q=x')).statusCode).toBe(200)
    expect((await get('/v3/probe/x/trades/')).statusCode).toBe(200)
  })

  test.each(['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'] as const)(
    '405: %s on a GET route',
    async (method) => {
      const reply = await t.app.inject({ method, url: '/v1/probe/list' })
      expect(reply.statusCode).toBe(405)
      expect(reply.headers.allow).toBe('GET, HEAD')
      expect(reply.json()).toEqual({ error: expect.stringContaining('GET, HEAD') })
    },
  )

  test('400: percent-encoding that is no text', async () => {
    const reply = await get('/v3/probe/%ff/trades')
    expect(reply.statusCode).toBe(400)
    expect(reply.json()).toEqual({ error: expect.any(String) })
  })

  test('414: a path parameter beyond all measure', async () => {
    const reply = await get(`/v3/probe/${'x'.repeat(1_000)}/trades`)
    expect(reply.statusCode).toBe(414)
    expect(reply.json()).toEqual({ error: expect.any(String) })
  })

  test('401: HEAD without a key', async () => {
    const reply = await t.app.inject({ method: 'HEAD', url: '/v1/probe/list?q=x' })
    expect(reply.statusCode).toBe(401)
  })

  test('HEAD answers like GET without a body, and is charged once', async () => {
    const reply = await t.app.inject({
      method: 'HEAD',
      url: '/v1/probe/cached',
      headers: { 'x-api-key': key },
    })
    expect(reply.statusCode).toBe(200)
    expect(reply.body).toBe('')
    expect(Number(reply.headers['content-length'])).toBeGreaterThan(0)
    expect(reply.headers['x-ratelimit-remaining']).toBe('3999')
  })
})

describe('answers', () => {
  test('every one carries a request id of its own', async () => {
    const ids = await Promise.all(
      ['/v1/probe/list?q=x', '/nowhere', '/v1/probe/broken'].map((url) => get(url)),
    )
    const seen = ids.map((reply) => reply.headers['x-request-id'])
    expect(new Set(seen).size).toBe(3)
    expect(seen.every((id) => typeof id === 'string' && id.length > 8)).toBe(true)
  })

  test('500 leaks nothing and is logged under the id of the answer', async () => {
    const reply = await get('/v1/probe/broken')
    expect(reply.statusCode).toBe(500)
    expect(reply.json()).toEqual({ error: 'Internal server error' })
    const line = t.logged.findLast((each) => each.includes('secret detail'))
    expect(line).toContain(reply.headers['x-request-id'])
  })

  test.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ])('large ones are compressed with %s', async (encoding, decompress) => {
    const reply = await get('/v1/probe/large', { 'accept-encoding': encoding })
    expect(reply.headers).toMatchObject({ 'content-encoding': encoding, vary: 'accept-encoding' })
    expect(JSON.parse(decompress(reply.rawPayload).toString()).filler).toHaveLength(50_000)
  })

  test('small ones are not, nor those to clients that take nothing', async () => {
    const small = await get('/v1/probe/list?q=x', { 'accept-encoding': 'br' })
    expect(small.headers['content-encoding']).toBeUndefined()
    for (const accept of ['identity', 'br;q=0, gzip;q=0', '']) {
      const large = await get('/v1/probe/large', { 'accept-encoding': accept })
      expect(large.headers['content-encoding']).toBeUndefined()
    }
  })

  test('a browser may read them from any page, and asks beforehand', async () => {
    const reply = await get('/v1/probe/list?q=x', { origin: 'https://example.org' })
    expect(reply.headers['access-control-allow-origin']).toBe('*')
    expect(reply.headers['access-control-expose-headers']).toMatch(/x-ratelimit-remaining/)
    const preflight = await t.app.inject({
      method: 'OPTIONS',
      url: '/v1/probe/list',
      headers: { origin: 'https://example.org', 'access-control-request-method': 'GET' },
    })
    expect(preflight.statusCode).toBe(204)
    expect(preflight.headers['access-control-allow-headers']).toMatch(/x-api-key/)
    expect((await get('/v1/probe/list?q=x')).headers['access-control-allow-origin']).toBeUndefined()
  })
})

describe('what is not even a request', () => {
  test.each([
    ['garbage', 'hello\r\n\r\n', 400],
    ['a flood of headers', `GET / HTTP/1.1\r\nhost: x\r\n${'a: b\r\n'.repeat(20_000)}\r\n`, 431],
    ['a huge header', `GET / HTTP/1.1\r\nx-api-key: ${'k'.repeat(50_000)}\r\n\r\n`, 431],
    ['a method that does not exist', 'GRAB / HTTP/1.1\r\nhost: x\r\n\r\n', 405],
    ['a method with a body', 'QUERY / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n', 405],
    ['a greeting of TLS', '\x16\x03\x01\x02\x00\x01\x00', 400],
  ])('%s gets an answer in JSON', async (_what, bytes, status) => {
    const answer = await sendRaw(t.app, bytes)
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(answer).toMatch(/\{"error":".+"\}$/)
  })
})
