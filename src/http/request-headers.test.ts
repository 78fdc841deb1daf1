import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { probeRoutes } from '../../test/probe-routes.js'
import { sendRaw } from '../../test/raw-request.js'
import { createTestApp, type TestApp } from '../../test/test-app.js'
import { statusRoutes } from '../status/routes.js'

let t: TestApp
let key: string
beforeAll(async () => {
  t = await createTestApp({ routes: (ctx) => [probeRoutes, statusRoutes(ctx)] })
  await t.app.listen({ host: '127.0.0.1', port: 0 })
  key = (await t.createCaller('enterprise')).key
})
afterAll(() => t.close())
beforeEach(() => t.clock.advance(60_000))

/** The status and the body of the one answer to a request with these lines of headers. */
async function send(lines: string[], start = 'GET /healthz HTTP/1.1') {
  const answer = await sendRaw(t.app, [start, ...lines, 'connection: close', '', ''].join('\r\n'))
  const [head = '', body] = answer.split('\r\n\r\n', 2)
  return { status: Number(head.split(' ')[1]), head, body }
}

const many = (count: number) => Array.from({ length: count }, (_, index) => `x-${index}: y`)

describe('a delivery of a webhook', () => {
  test.each(['POST /v1/keys HTTP/1.1', 'GET /healthz HTTP/1.1', 'POST /nowhere HTTP/1.1'])(
    '508: %s',
    async (start) => {
      const reply = await send(['host: x', 'X-Webhook-Hop: 1', 'content-length: 0'], start)
      expect(reply.status).toBe(508)
      expect(reply.body).toContain('Loop detected')
    },
  )
})

describe('the number of headers', () => {
  // The request itself has two.
  test('200: a hundred', async () => {
    expect((await send(['host: x', ...many(98)])).status).toBe(200)
  })

  test.each([
    ['101 headers', 99],
    // Node.js stops collecting after a thousand headers unless `maxHeadersCount` says otherwise.
    ['1,500 headers', 1_498],
  ])('431: %s, and the ones that follow are not lost', async (_what, count) => {
    const reply = await send(['host: x', ...many(count), 'x-forwarded-for: 192.0.2.1'])
    expect(reply.status).toBe(431)
    expect(reply.body).toBe('{"error":"The request has more than 100 headers."}')
  })

  test('431: on /metrics, which would open without the header that says "forwarded"', async () => {
    const start = 'GET /metrics HTTP/1.1'
    const lines = ['host: localhost', ...many(1_100)]
    expect((await send([...lines, 'x-forwarded-for: 192.0.2.1'], start)).status).toBe(431)
    expect((await send(['host: localhost'], start)).status).toBe(200)
  })

  test('431: with HTTP/1.0 too', async () => {
    expect((await send(many(500), 'GET /healthz HTTP/1.0')).status).toBe(431)
  })

  test('trailers are no headers, however many there are', async () => {
    const chunked = ['host: x', 'content-type: application/json', 'transfer-encoding: chunked']
    const body = ['2', '{}', '0', `x-api-key: ${key}`, ...many(1_200), '', ''].join('\r\n')
    const start = 'POST /v1/probe/list?q=x HTTP/1.1'
    const request = [start, ...chunked, 'connection: close', '', body].join('\r\n')
    expect(await sendRaw(t.app, request)).toMatch(/^HTTP\/1.1 405 /)
  })
})

describe('the host', () => {
  test.each(['x', 'x:8080', 'a.example.org', '127.0.0.1:80', '[::1]', '[::1]:8080', 'my_host'])(
    '200: %s',
    async (host) => {
      expect((await send([`host: ${host}`])).status).toBe(200)
    },
  )

  test.each([
    ['absent', []],
    ['empty', ['host:']],
    ['doubled', ['host: a', 'host: b']],
    ['doubled and equal', ['host: a', 'Host: a']],
    ['a list', ['host: a, b']],
    ['an address with a path', ['host: a/b']],
    ['with a name before it', ['host: user@a']],
    ['with a port that is none', ['host: a:b']],
    ['not ASCII', ['host: \u00e9']],
  ])('400: %s', async (_what, lines) => {
    const reply = await send(lines)
    expect(reply.status).toBe(400)
    expect(reply.body).toMatch(/^\{"error":"The .*Host header.*"\}$/)
  })

  test('HTTP/1.0 needs none, and refuses two', async () => {
    expect((await send([], 'GET /healthz HTTP/1.0')).status).toBe(200)
    expect((await send(['host: a', 'host: b'], 'GET /healthz HTTP/1.0')).status).toBe(400)
  })
})

describe('headers that Node.js would take the first of', () => {
  const list = 'GET /v1/probe/list?q=x HTTP/1.1'

  test('401: a doubled authorization, with the key first or last, even twice the same', async () => {
    const bearer = `authorization: Bearer ${key}`
    expect((await send(['host: x', bearer], list)).status).toBe(200)
    for (const other of ['authorization: Basic abc', 'authorization: Bearer x', bearer]) {
      expect((await send(['host: x', bearer, other], list)).status).toBe(401)
      expect((await send(['host: x', other, bearer], list)).status).toBe(401)
    }
  })

  test('401: a doubled x-api-key', async () => {
    const line = `x-api-key: ${key}`
    expect((await send(['host: x', line], list)).status).toBe(200)
    expect((await send(['host: x', line, line], list)).status).toBe(401)
    expect((await send(['host: x', 'x-api-key: junk', line], list)).status).toBe(401)
  })

  test('400: a doubled content-length', async () => {
    const lines = ['host: x', 'content-length: 0', 'content-length: 5']
    expect((await send(lines)).status).toBe(400)
  })
})

describe('nosniff is on every answer', () => {
  const get = (path: string, ...lines: string[]) =>
    [`GET ${path} HTTP/1.1`, 'host: x', 'connection: close', ...lines, '', ''].join('\r\n')
  const ok = 'host: x\r\nconnection: close\r\n\r\n'

  test.each<[string, number, () => string]>([
    ['an answer', 200, () => get('/healthz')],
    ['a cached one', 200, () => get('/v1/probe/cached', `x-api-key: ${key}`)],
    ['one that the client has', 304, () => get('/v1/probe/cached', `x-api-key: ${key}`, 'if-none-match: *')],
    ['a compressed one', 200, () => get('/v1/probe/large', `x-api-key: ${key}`, 'accept-encoding: br')],
    ['one without a body', 200, () => `HEAD /healthz HTTP/1.1\r\n${ok}`],
    ['a preflight', 204, () => get('/healthz', 'origin: https://example.org').replace('GET', 'OPTIONS')],
    ['the metrics', 200, () => get('/metrics').replace('host: x', 'host: localhost')],
    ['the page of the documentation', 200, () => get('/docs/')],
    ['its script', 200, () => get('/docs/static/swagger-ui-bundle.js')],
    ['its missing files', 404, () => get('/docs/static/nothing.js')],
    ['the OpenAPI document', 200, () => get('/openapi.json')],
    ['no key', 401, () => get('/v1/probe/list?q=x')],
    ['an unknown path', 404, () => get('/nowhere')],
    ['another method', 405, () => `PUT /healthz HTTP/1.1\r\n${ok}`],
    ['a fault of the service', 500, () => get('/v1/probe/broken', `x-api-key: ${key}`)],
    ['a path that is no text', 400, () => get('/v3/probe/%ff/trades')],
    ['a path that is too long', 414, () => get(`/v3/probe/${'x'.repeat(600)}/trades`)],
    ['an unknown expectation', 200, () => get('/healthz', 'expect: the-unexpected')],
    ['no host', 400, () => 'GET / HTTP/1.1\r\n\r\n'],
    ['too many headers', 431, () => get('/', ...many(200))],
    ['headers that are too large', 431, () => get('/', `x: ${'y'.repeat(20_000)}`)],
    ['what is not HTTP', 400, () => 'hello\r\n\r\n'],
    ['an upgrade', 200, () => get('/healthz', 'connection: upgrade', 'upgrade: h2c')],
  ])('%s: %i', async (_what, status, request) => {
    const answer = await sendRaw(t.app, request())
    const [head = ''] = answer.split('\r\n\r\n', 1)
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(head).toMatch(/^x-content-type-options: nosniff$/m)
    expect(head).toMatch(/^x-request-id: /m)
  })
})
