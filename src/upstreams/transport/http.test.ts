import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { Registry } from 'prom-client'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { UpstreamError } from '../../core/upstream-error.js'
import type { HttpUpstreamOptions } from './http.js'
import { HttpUpstream } from './http.js'
import { createUpstreamMetrics } from './metrics.js'
import { parseFields, parseNumber } from './parse-json.js'

type Handler = (request: IncomingMessage, response: ServerResponse, count: number) => void

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  await Promise.all(cleanups.splice(0).map((cleanup) => cleanup()))
})

/** An upstream that answers as the handler does; waits are recorded and take no time. */
async function setup(handler: Handler, options: Partial<HttpUpstreamOptions> = {}) {
  let requests = 0
  const server = createServer((request, response) => handler(request, response, ++requests))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo

  const time = { nowMs: 0 }
  const waitsMs: number[] = []
  const timing = {
    now: () => time.nowMs,
    sleep: async (ms: number) => {
      waitsMs.push(ms)
      time.nowMs += ms
    },
  }
  const metrics = createUpstreamMetrics(new Registry())
  const clock = { now: () => Date.UTC(2026, 10, 15) }
  const url = `http://127.0.0.1:${port}`
  const http = new HttpUpstream({
    name: 'test',
    url,
    limits: [],
    metrics,
    clock,
    timing,
    timeoutMs: 5_000,
    ...options,
  })
  cleanups.push(async () => {
    await http.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const resultsOf = async () => {
    const { values } = await metrics.requests.get()
    return Object.fromEntries(values.map(({ labels, value }) => [labels.result, value]))
  }
  return { http, url, time, waitsMs, metrics, resultsOf, requests: () => requests }
}

const anything = (json: unknown) => json
const ok: Handler = (_request, response) => response.end('{"ok":1}')
const ask = (http: HttpUpstream, signal?: AbortSignal) => http.get('/thing', {}, { parse: anything, signal })
/** One answer after another; the last one stays. */
const answers =
  (...handlers: Handler[]): Handler =>
  (request, response, count) =>
    (handlers[count - 1] ?? handlers.at(-1) ?? ok)(request, response, count)
const status =
  (code: number, body = '', headers: Record<string, string> = {}): Handler =>
  (_request, response) =>
    response.writeHead(code, headers).end(body)

test('its health has answers and faults; a refusal is an answer, and the last error stays', async () => {
  const sequence = [status(500), ok, status(404), status(200, 'no JSON'), ok]
  const { http, metrics } = await setup(answers(...sequence), { triesMax: 2 })
  for (let count = 0; count < 3; count++) await ask(http).catch(() => undefined)
  const nowMs = Date.UTC(2026, 10, 15)
  expect(metrics.health.of('test')).toEqual({
    successes: 3,
    faults: 2,
    lastOkMs: nowMs,
    lastFault: { message: expect.stringContaining('GET /thing'), atMs: nowMs },
  })
  await ask(http)
  expect(metrics.health.of('test')).toMatchObject({ successes: 4, faults: 2 })
  expect(metrics.health.countFaults()).toEqual(new Map([['test', 2]]))
})

describe('a request', () => {
  test('carries the base path, repeated keys, a User-Agent and the signature of each try', async () => {
    const seen: IncomingMessage[] = []
    const { url } = await setup((request, response) => {
      seen.push(request)
      response.writeHead(seen.length === 1 ? 500 : 200).end('1')
    })
    let signed = 0
    const sign = ({ target }: { target: string }) => ({ 'x-signature': `${target} ${++signed}` })
    const { http } = await setup(ok, { url: `${url}/base/?apikey=k`, sign })
    await http.get('/thing', { id: ['a', 'b c'], all: true, none: undefined }, { parse: anything })
    expect(seen[1]?.url).toBe('/base/thing?id=a&id=b+c&all=true&apikey=k')
    expect(seen[1]?.headers['user-agent']).toMatch(/^auspex\/\d/)
    expect(seen[1]?.headers['x-signature']).toBe('/thing?id=a&id=b+c&all=true 2')
  })

  test('carries the name and the password of the address', async () => {
    const { url } = await setup((request, response) =>
      response.end(JSON.stringify(request.headers.authorization)),
    )
    const { http } = await setup(ok, { url: url.replace('//', '//me:s%40crets@') })
    expect(await ask(http)).toBe(`Basic ${Buffer.from('me:s@crets').toString('base64')}`)
  })

  test('posts JSON', async () => {
    let received = ''
    const { http } = await setup((request, response) => {
      request.on('data', (chunk) => {
        received += chunk
      })
      request.on('end', () => response.end(JSON.stringify(request.headers['content-type'])))
    })
    const options = { parse: anything }
    expect(await http.post('/books', [{ token_id: '1' }], options)).toBe('application/json')
    expect(received).toBe('[{"token_id":"1"}]')
  })

  test.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ])('unpacks %s', async (encoding, pack) => {
    const { http } = await setup((_request, response) =>
      response.writeHead(200, { 'content-encoding': encoding }).end(pack('{"packed":"ü"}')),
    )
    expect(await ask(http)).toEqual({ packed: 'ü' })
  })

  test('keeps its connections', async () => {
    const sockets = new Set<unknown>()
    const { http } = await setup((request, response) => {
      sockets.add(request.socket)
      response.end('1')
    })
    for (let call = 0; call < 20; call++) await ask(http)
    expect(sockets.size).toBeLessThan(4)
  })
})

describe('an upstream that is not open yet', () => {
  test('gets calls when it opens, and not before', async () => {
    let open = (): void => undefined
    const opened = new Promise<void>((resolve) => {
      open = resolve
    })
    const { http, requests, resultsOf } = await setup(ok, { opened })
    const asking = ask(http)
    const aborted = ask(http, AbortSignal.abort(new Error('over')))
    await expect(aborted).rejects.toThrow('over')
    await new Promise((resolve) => setImmediate(resolve))
    expect(requests()).toBe(0)
    open()
    expect(await asking).toEqual({ ok: 1 })
    expect(await resultsOf()).toEqual({ ok: 1 })
  })
})

describe('a fault that may pass', () => {
  const cut: Handler = (_request, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('{"half":')
    setImmediate(() => response.destroy())
  }
  const never: Handler = () => undefined
  const stall: Handler = (_request, response) => void response.writeHead(200).write('{"half":')

  test.each<[string, Handler, string]>([
    ['500', status(500, '{"error":"boom"}'), 'failed'],
    ['503 as a page', status(503, '<html>'), 'failed'],
    ['429', status(429, '{"error":"Too Many Requests"}'), 'refused'],
    ['408', status(408), 'refused'],
    ['425', status(425), 'refused'],
    ['no JSON', status(200, '<html>captcha</html>'), 'garbage'],
    ['an empty body', status(200), 'garbage'],
    ['half of the JSON', status(200, '{"half":'), 'garbage'],
    ['a connection that breaks in the body', cut, 'failed'],
    ['a broken archive', status(200, 'x', { 'content-encoding': 'gzip' }), 'failed'],
    ['a connection that is reset', (request) => request.socket.resetAndDestroy(), 'failed'],
    ['silence', never, 'timeout'],
    ['a body that stalls', stall, 'timeout'],
  ])('%s: tried again, and then the answer', async (_what, fault, result) => {
    const timeoutMs = result === 'timeout' ? 300 : 5_000
    const { http, waitsMs, resultsOf } = await setup(answers(fault, fault, ok), { timeoutMs })
    expect(await ask(http)).toEqual({ ok: 1 })
    expect(await resultsOf()).toEqual({ ok: 1, [result]: 2 })
    expect(waitsMs).toHaveLength(2)
    expect(waitsMs[0]).toBeGreaterThanOrEqual(500)
    expect(waitsMs[0]).toBeLessThanOrEqual(625)
    expect(waitsMs[1]).toBeGreaterThanOrEqual(1_000)
    expect(waitsMs[1]).toBeLessThanOrEqual(1_250)
    expect(http.state).toBe('closed')
  })

  test('a stall of this process is not taken for silence of the upstream', async () => {
    const answerAndStall: Handler = (_request, response) => {
      response.end('{"ok":1}')
      const stalledUntil = performance.now() + 400
      while (performance.now() < stalledUntil);
    }
    const { http, resultsOf } = await setup(answers(answerAndStall, ok), { timeoutMs: 300 })
    expect(await ask(http)).toEqual({ ok: 1 })
    expect(await resultsOf()).toEqual({ ok: 1 })
  })

  test('is given up after four tries, with what the upstream said', async () => {
    const { http, requests } = await setup(status(500, '{"type":"internal error","error":"boom"}'))
    await expect(ask(http)).rejects.toMatchObject({
      name: 'UpstreamError',
      message: 'test: GET /thing answered 500: boom',
      upstream: 'test',
      status: 500,
      retryable: true,
    })
    expect(requests()).toBe(4)
  })

  test('Retry-After is waited for', async () => {
    const wait = status(429, '', { 'retry-after': '7' })
    const { http, waitsMs } = await setup(answers(wait, ok))
    await ask(http)
    expect(waitsMs).toEqual([7_000])
  })

  test('a longer Retry-After is heeded, but no call waits for it', async () => {
    const { http, waitsMs, requests, time } = await setup(
      answers(status(429, '', { 'retry-after': '120' }), ok),
    )
    await expect(ask(http)).rejects.toMatchObject({ retryable: true, retryAfterMs: 120_000 })
    time.nowMs += 119_000
    await expect(ask(http)).rejects.toMatchObject({ retryable: true, retryAfterMs: 1_000 })
    expect(requests()).toBe(1)
    time.nowMs += 1_000
    expect(await ask(http)).toEqual({ ok: 1 })
    expect(waitsMs).toEqual([])
  })

  test('that only shows in the answer of a POST counts like any other', async () => {
    const { http, requests, waitsMs, resultsOf } = await setup(answers(status(200, '{"busy":true}'), ok))
    const parse = (json: unknown) => {
      if (JSON.stringify(json).includes('busy'))
        throw new UpstreamError('is busy', { upstream: 'test', retryable: true })
      return json
    }
    expect(await http.post('/thing', {}, { parse })).toEqual({ ok: 1 })
    expect([requests(), waitsMs.length]).toEqual([2, 1])
    expect(await resultsOf()).toEqual({ refused: 1, ok: 1 })

    const busy = await setup(status(200, '{"busy":true}'))
    for (let call = 0; call < 5; call++)
      await expect(busy.http.post('/thing', {}, { parse })).rejects.toThrow('is busy')
    expect(busy.http.state).toBe('open')
  })

  test('a try over the timeout of a POST is the last one, and nothing is held against it', async () => {
    const { http, requests } = await setup(() => undefined)
    const impatient = () => http.post('/thing', {}, { parse: anything, tryTimeoutMs: 150 })
    for (let call = 1; call <= 6; call++) {
      await expect(impatient()).rejects.toThrow('within 150 ms')
      expect(requests()).toBe(call)
    }
    expect(http.state).toBe('closed')
  })
})

describe('a fault that stays', () => {
  test.each([
    [400, '{"error":"Invalid token id"}', 'Invalid token id'],
    [403, 'error code: 1010', 'error code: 1010'],
    [404, '{"message":"gone \\"away\\""}', 'gone'],
    [422, '{"type":"validation error","error":"bad cursor"}', 'bad cursor'],
    [301, '', ''],
  ])('%i is not tried again, and the error has the message of the upstream', async (code, body, said) => {
    const { http, requests } = await setup(status(code, body))
    const call = ask(http)
    await expect(call).rejects.toMatchObject({ status: code, retryable: false })
    await expect(call).rejects.toThrow(`test: GET /thing answered ${code}: ${said}`)
    expect(requests()).toBe(1)
  })

  test('a key of the address that is repeated is not shown', async () => {
    const { url } = await setup((request, response) =>
      response.writeHead(404).end(`${'x'.repeat(190)} Cannot GET ${request.url}`),
    )
    const { http } = await setup(ok, { url: `${url}/v2/0123456789abcdef?key=fedcba9876543210` })
    await expect(ask(http)).rejects.toThrow('answered 404: xxx')
    await expect(ask(http)).rejects.not.toThrow(/0123|fedc/)
  })

  test('a body that is too large', async () => {
    const { http, requests } = await setup(status(200, '1'.repeat(2_000)), { bodyBytesMax: 1_000 })
    await expect(ask(http)).rejects.toThrow('GET /thing answered too much: the body has more than 1000 bytes')
    expect(requests()).toBe(1)
  })

  test('an archive that unpacks to too much', async () => {
    const bomb = gzipSync(Buffer.alloc(1_000_000, '1'))
    const { http } = await setup(
      (_request, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
      { bodyBytesMax: 100_000 },
    )
    await expect(ask(http)).rejects.toMatchObject({ retryable: false })
  })

  test('another shape than expected, quoted by its path', async () => {
    const { http, requests } = await setup(status(200, '{"price":[]}'))
    const parse = (json: unknown, path: string) => parseFields(json, path).required('price', parseNumber)
    const call = http.get('/thing', {}, { parse })
    await expect(call).rejects.toMatchObject({ name: 'UpstreamError', retryable: false })
    await expect(call).rejects.toThrow('body.price must be a number, got []')
    expect(requests()).toBe(1)
    expect(http.state).toBe('closed')
  })
})

describe('callers', () => {
  test('of accounts share a GET, and the refusal of the one who pays is not that of the other', async () => {
    const limits = [{ paths: /^/, calls: 6, windowMs: 60_000 }]
    const { http, requests, resultsOf } = await setup(ok, { limits })
    const get = (path: string, accountId: number) => http.get(path, {}, { parse: anything, accountId })
    await Promise.all([get('/a', 1), get('/a', 2), get('/b', 1)])
    expect(requests()).toBe(2)

    const [greedy, modest] = await Promise.allSettled([get('/c', 1), get('/c', 2)])
    expect(greedy).toMatchObject({ status: 'rejected', reason: { status: 429, accountId: 1 } })
    expect(modest).toMatchObject({ status: 'fulfilled', value: { ok: 1 } })
    expect(http.state).toBe('closed')
    expect(await resultsOf()).toEqual({ ok: 3 })
  })

  test('share a GET of the same URL, and each reads the answer himself', async () => {
    const { http, requests } = await setup(ok)
    const parse = (json: unknown) => ({ ...(json as object) })
    const [one, two] = await Promise.all([
      http.get('/thing', { a: 1 }, { parse }),
      http.get('/thing', { a: 1 }, { parse }),
      http.get('/thing', { a: 2 }, { parse }),
    ])
    expect(requests()).toBe(2)
    expect(one).toEqual(two)
    expect(one).not.toBe(two)
  })

  test('may abort: the reason is thrown as it is, the request ends, nothing is held against the upstream', async () => {
    let ended = 0
    const { http, requests, resultsOf } = await setup((request) => {
      request.socket.on('close', () => ended++)
    })
    const reason = new Error('enough')
    for (let call = 1; call <= 10; call++) {
      const leaving = new AbortController()
      const waiting = call % 2 === 0 ? ask(http, leaving.signal) : post(http, leaving.signal)
      await vi.waitFor(() => expect(requests()).toBe(call))
      leaving.abort(reason)
      await expect(waiting).rejects.toBe(reason)
    }
    await vi.waitFor(() => expect(ended).toBe(10))
    expect(http.state).toBe('closed')
    expect(await resultsOf()).toEqual({})
  })

  const post = (http: HttpUpstream, signal: AbortSignal) =>
    http.post('/thing', {}, { parse: anything, signal })

  test('may abort while they wait for the next try', async () => {
    const leaving = new AbortController()
    const reason = new Error('enough')
    const sleep = (_ms: number, signal: AbortSignal) =>
      new Promise<void>((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason))
        leaving.abort(reason)
      })
    const { http, requests } = await setup(status(500), { timing: { now: () => 0, sleep } })
    await expect(ask(http, leaving.signal)).rejects.toBe(reason)
    expect(requests()).toBe(1)
  })

  test('may be many under one signal without a warning', async () => {
    const warnings: string[] = []
    const note = (warning: Error) => void warnings.push(warning.name)
    process.on('warning', note)
    const { http } = await setup(ok)
    const { signal } = new AbortController()
    const calls = Array.from({ length: 40 }, (_, id) =>
      http.get('/thing', { id }, { parse: anything, signal }),
    )
    await Promise.all(calls)
    process.off('warning', note)
    expect(warnings).toEqual([])
  })

  test('get an error at once when the connector closes', async () => {
    const { http, requests } = await setup(() => undefined)
    const calls = [ask(http), http.post('/thing', {}, { parse: anything })]
    const ended = Promise.allSettled(calls)
    await vi.waitFor(() => expect(requests()).toBe(2))
    await http.close()
    const closed = { message: 'test: the connector was closed', retryable: false }
    expect(await ended).toMatchObject([{ reason: closed }, { reason: closed }])
    await expect(ask(http)).rejects.toMatchObject(closed)
  })
})

describe('an upstream that is down', () => {
  test('is left alone, probed with single tries, and used again when it is back', async () => {
    let isDown = true
    const { http, requests, time, metrics } = await setup((request, response, count) =>
      (isDown ? status(500) : ok)(request, response, count),
    )
    const level = async () => (await metrics.breaker.get()).values[0]?.value
    expect(await level()).toBe(0)
    for (let call = 0; call < 5; call++) await expect(ask(http)).rejects.toThrow('500')
    expect(requests()).toBe(20)
    expect(http.state).toBe('open')
    expect(await level()).toBe(2)

    await expect(ask(http)).rejects.toMatchObject({
      message: expect.stringContaining('next attempt in'),
      retryable: true,
      retryAfterMs: expect.any(Number),
    })
    expect(requests()).toBe(20)

    time.nowMs += 1_250
    await expect(ask(http)).rejects.toThrow('500')
    expect(requests()).toBe(21)

    isDown = false
    time.nowMs += 2_500
    expect(await ask(http)).toEqual({ ok: 1 })
    expect(http.state).toBe('closed')
    expect(await level()).toBe(0)
  })

  test('gets less than one call a second in the long run, however many callers there are', async () => {
    const { http, requests, time } = await setup((request) => request.socket.destroy())
    while (time.nowMs < 600_000) {
      const calls = [1, 2, 3].map((id) => http.get('/thing', { id }, { parse: anything }))
      for (const call of await Promise.allSettled(calls))
        expect(call).toMatchObject({ status: 'rejected', reason: { name: 'UpstreamError' } })
      time.nowMs += 1_000
    }
    expect(requests()).toBeLessThan(60)
  })

  test('is not sent what still waits for its rate limit when that is found out', async () => {
    let nowMs = 0
    let wake = () => {}
    const timing = {
      now: () => nowMs,
      sleep: (ms: number) =>
        new Promise<void>((resolve) => {
          wake = () => {
            nowMs += ms
            resolve()
          }
        }),
    }
    const limits = [{ paths: /^/, calls: 2, windowMs: 1_000 }]
    const down = status(503, '', { 'retry-after': '60' })
    const { http, requests } = await setup(down, { limits, timing })
    const calls = [1, 2, 3].map((id) => http.get('/thing', { id }, { parse: anything }))
    const ended = Promise.allSettled(calls)
    await expect(calls[0]).rejects.toMatchObject({ status: 503 })
    for (const _waiting of calls.slice(1)) {
      wake()
      await new Promise((resolve) => setImmediate(resolve))
    }
    for (const call of (await ended).slice(1))
      expect(call).toMatchObject({ reason: { retryable: true, status: undefined } })
    expect(requests()).toBe(1)
  })

  test('that refuses a request is not down', async () => {
    const { http } = await setup(status(404))
    for (let call = 0; call < 30; call++) await expect(ask(http)).rejects.toThrow('404')
    expect(http.state).toBe('closed')
  })
})
