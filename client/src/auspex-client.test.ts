import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { AuspexClient, type ClientOptions } from './auspex-client.js'
import { AuspexError } from './auspex-error.js'
import { listenHttp, type TestAnswer } from './test-http-server.js'

const ADDRESS = `0x${'a1'.repeat(20)}`

/** A client of a server that answers so. Its waits are recorded, and take no time. */
async function connect(answers: Parameters<typeof listenHttp>[0], options: Partial<ClientOptions> = {}) {
  const { baseUrl, requests } = await listenHttp(answers)
  const waits: number[] = []
  const sleep = async (ms: number) => void waits.push(ms)
  const client = new AuspexClient({ baseUrl, apiKey: 'k', sleep, ...options })
  return { client, requests, waits }
}

const failure = (promise: Promise<unknown>): Promise<AuspexError> =>
  promise.then(
    () => expect.fail('it did not fail'),
    (error) => error,
  )

describe('requests', () => {
  test('path, query, key and body are sent, and the answer is read', async () => {
    const { client, requests } = await connect([{ body: { id: 'wh_1' } }])
    const body = { url: 'https://h.example', event_types: ['trade' as const] }
    expect(await client.post('/v3/webhooks', { body })).toEqual({ id: 'wh_1' })
    await client.put('/v3/webhooks/{id}', { path: { id: 'a/b c' }, body: { active: false } })
    await client.delete('/v3/webhooks/{id}', { path: { id: 'wh_1' } })
    await client.get('/v3/trades', { query: { limit: 5, side: 'buy', cursor: undefined } })
    expect(requests.map(({ method, url, body }) => [method, url, body])).toEqual([
      ['POST', '/v3/webhooks', JSON.stringify(body)],
      ['PUT', '/v3/webhooks/a%2Fb%20c', '{"active":false}'],
      ['DELETE', '/v3/webhooks/wh_1', ''],
      ['GET', '/v3/trades?limit=5&side=buy', ''],
    ])
    expect(requests[0]?.headers).toMatchObject({ 'x-api-key': 'k', 'content-type': 'application/json' })
    expect(requests[2]?.headers).not.toHaveProperty('content-type')
  })

  test('an answer without a body is undefined, and no key is sent where there is none', async () => {
    const { client, requests } = await connect([204], { apiKey: undefined })
    expect(await client.request('delete', '/v1/session')).toBeUndefined()
    expect(requests[0]?.headers).not.toHaveProperty('x-api-key')
  })

  test.each(['', '.', '..'])('a path value that would name another path is refused: "%s"', async (slug) => {
    const { client, requests } = await connect([200])
    await expect(client.get('/v3/tags/{slug}', { path: { slug } })).rejects.toThrow(/slug must not be/)
    expect(requests).toEqual([])
  })

  test('credentials and a fetch of the caller are used', async () => {
    const asked: RequestInit[] = []
    const client = new AuspexClient({
      baseUrl: new URL('http://host/'),
      credentials: 'include',
      fetch: async (url, init) => {
        asked.push({ ...init, referrer: String(url) })
        return new Response('{}')
      },
    })
    await client.get('/v1/plans')
    expect(asked).toEqual([
      { method: 'GET', headers: {}, credentials: 'include', referrer: 'http://host/v1/plans' },
    ])
  })
})

describe('the block that requests name', () => {
  const named = (...blocks: string[]): TestAnswer[] =>
    blocks.map((block) => ({ headers: { 'x-head-block': block }, body: {} }))

  /** The block that each request named, in their order. */
  const blocksOf = (requests: { headers: Record<string, unknown> }[]) =>
    requests.map(({ headers }) => headers['x-head-block'])

  test('is the newest that an answer has named, refusals included', async () => {
    const refusal = { status: 404, headers: { 'x-head-block': '120' }, body: { error: 'none' } }
    const { client, requests } = await connect([...named('0', '100', '99'), refusal, 200])
    for (let count = 0; count < 3; count += 1) await client.get('/v3/trades')
    await failure(client.get('/v3/tags/{slug}', { path: { slug: 'none' } }))
    await client.get('/v1/plans')
    await client.get('/v3/trades')
    expect(blocksOf(requests)).toEqual([undefined, undefined, '100', '100', '120', '120'])
  })

  test('is on requests with a body and on downloads, too', async () => {
    const { client, requests } = await connect(named('100'))
    await client.get('/v3/trades')
    await client.post('/v3/webhooks', { body: { url: 'https://h.example', event_types: ['trade'] } })
    await client.download('/v3/trades', { format: 'csv' })
    expect(blocksOf(requests)).toEqual([undefined, '100', '100'])
  })

  test('is left out when an option of the client says so', async () => {
    const { client, requests } = await connect(named('100'), { sendsHeadBlock: false })
    await client.get('/v3/trades')
    await client.get('/v3/trades')
    expect(blocksOf(requests)).toEqual([undefined, undefined])
  })

  test('is none that an answer does not name as a number', async () => {
    const { client, requests } = await connect(named('latest', '1, 2'))
    await client.get('/v3/trades')
    await client.get('/v3/trades')
    await client.get('/v3/trades')
    expect(blocksOf(requests)).toEqual([undefined, undefined, undefined])
  })
})

test('the compiler refuses what the documents do not have', () => {
  const check = async (client: AuspexClient) => {
    // @ts-expect-error There is no such path.
    await client.get('/v3/nothing')
    // @ts-expect-error This path has no POST.
    await client.post('/v3/trades', {})
    // @ts-expect-error The address is missing.
    await client.get('/v3/wallets/{address}')
    // @ts-expect-error There are two sides, by two names each.
    await client.get('/v3/trades', { query: { side: 'up' } })
    // @ts-expect-error A body is needed.
    await client.post('/v3/webhooks')
    // @ts-expect-error All webhooks come in one answer.
    client.rows('/v3/webhooks')
    // @ts-expect-error Plans come as JSON alone.
    await client.download('/v1/plans', { format: 'csv' })
    // @ts-expect-error There is no such preset.
    client.subscribe({ type: 'trade' })
    const { trades } = await client.get('/v3/trades')
    // @ts-expect-error A maker is text.
    const maker: number | undefined = trades[0]?.maker
    for await (const event of client.subscribe({ type: 'trades' })) {
      // @ts-expect-error The service sends no event of this type.
      if (event.type === 'trades') return maker
      if (event.type === 'trade') return event.data.price satisfies number
    }
    return maker
  }
  expect(check).toBeInstanceOf(Function)
})

test('in a page the address may be that of the page', async () => {
  vi.stubGlobal('location', { href: 'https://host.example/markets/a' })
  onTestFinished(() => void vi.unstubAllGlobals())
  const asked: string[] = []
  class FakeSocket {
    onopen = null
    onmessage = null
    onclose = null
    onerror = null
    constructor(url: string) {
      asked.push(url)
    }
    send(): void {}
    close(): void {}
  }
  const client = new AuspexClient({
    baseUrl: '',
    WebSocket: FakeSocket,
    fetch: async (url) => {
      asked.push(String(url))
      return new Response('{}')
    },
  })
  await client.get('/v1/plans')
  client.subscribe()
  client.books(['71'])
  client.close()
  expect(asked).toEqual([
    '/v1/plans',
    'wss://host.example/ws?by_subscription=1',
    'wss://host.example/ws/orderbook?integrity=1',
  ])
})

describe('errors', () => {
  test('an error has what the service says', async () => {
    const body = { error: 'rate limit exceeded', scope: 'v3_heavy', reset_at: 1 }
    const headers = { 'retry-after': '7', 'x-request-id': 'r-1' }
    const { client } = await connect([{ status: 429, headers, body }], { retries: 0 })
    const error = await failure(client.get('/v3/trades'))
    expect(error).toBeInstanceOf(AuspexError)
    expect(error).toMatchObject({
      message: 'rate limit exceeded',
      status: 429,
      scope: 'v3_heavy',
      requestId: 'r-1',
      retryAfterSeconds: 7,
      body,
    })
    expect(error.code).toBeUndefined()
  })

  test.each<[string, unknown, object]>([
    ['a code', { error: 'invalid_period' }, { code: 'invalid_period', message: 'invalid_period' }],
    [
      'a code with a text',
      { error: 'invalid_url', message: 'It must be https.', hint: 'Use a tunnel.' },
      { code: 'invalid_url', message: 'It must be https. Use a tunnel.', hint: 'Use a tunnel.' },
    ],
    ['a page of a proxy', '<html>', { message: 'the service answered with 400', body: '<html>' }],
    ['nothing', undefined, { message: 'the service answered with 400' }],
  ])('the answer is %s', async (_what, body, expected) => {
    const { client, requests } = await connect([{ status: 400, body }])
    expect(await failure(client.get('/v3/trades'))).toMatchObject({ status: 400, ...expected })
    expect(requests).toHaveLength(1)
  })

  test('a service that is not there is an error with the reason', async () => {
    const client = new AuspexClient({ baseUrl: 'http://127.0.0.1:9', retries: 0 })
    const error = await failure(client.get('/v1/plans'))
    expect(error).toMatchObject({
      name: 'AuspexError',
      message: expect.stringMatching(/ECONNREFUSED|bad port/),
    })
    expect(error.status).toBeUndefined()
  })
})

describe('retries', () => {
  test.each<[TestAnswer, string]>([
    ['hang up', 'a connection that breaks'],
    [502, '502'],
    [503, '503'],
    [504, '504'],
    [{ body: '{"cut' }, 'an answer that is cut'],
  ])('a GET is sent again after %s', async (answer) => {
    const { client, requests, waits } = await connect([answer, answer, { body: { plans: [] } }])
    expect(await client.get('/v1/plans')).toEqual({ plans: [] })
    expect(requests).toHaveLength(3)
    expect(waits[0]).toBeGreaterThanOrEqual(125)
    expect(waits[1]).toBeGreaterThan(waits[0] ?? 0)
  })

  test('it waits as long as Retry-After says, in seconds or until a date', async () => {
    const refuse = (retryAfter: string) => ({ status: 429, headers: { 'retry-after': retryAfter } })
    const date = new Date(Date.now() + 30_000).toUTCString()
    const { client, waits } = await connect([refuse('3'), refuse(date), { body: {} }])
    await client.get('/v1/plans')
    expect(waits[0]).toBe(3_000)
    expect(waits[1]).toBeGreaterThan(25_000)
    expect(waits[1]).toBeLessThanOrEqual(30_000)
  })

  test('a wait of more than a minute is an error at once', async () => {
    const { client, waits } = await connect([{ status: 429, headers: { 'retry-after': '86400' } }])
    expect(await failure(client.get('/v1/plans'))).toMatchObject({ retryAfterSeconds: 86_400 })
    expect(waits).toEqual([])
  })

  test('after the last attempt the error is thrown: 3 retries, or as many as given', async () => {
    const usual = await connect([503])
    expect(await failure(usual.client.get('/v1/plans'))).toMatchObject({ status: 503 })
    expect(usual.requests).toHaveLength(4)
    const one = await connect(['hang up'], { retries: 1 })
    await failure(one.client.get('/v1/plans'))
    expect(one.requests).toHaveLength(2)
  })

  test.each<TestAnswer>([500, 400, 404, 409])(
    'a GET that is answered with %s is not sent again',
    async (answer) => {
      const { client, requests } = await connect([answer])
      expect(await failure(client.get('/v1/plans'))).toMatchObject({ status: answer })
      expect(requests).toHaveLength(1)
    },
  )

  test('a POST is sent again only after a 429, of which nothing was done', async () => {
    const body = { wallets: [ADDRESS] }
    const refused = await connect([429, { body: { count: 0 } }])
    await refused.client.request('post', '/v3/wallets/batch', { body })
    expect(refused.requests.map((request) => request.body)).toEqual([
      JSON.stringify(body),
      JSON.stringify(body),
    ])
    for (const answer of ['hang up', 503] as const) {
      const lost = await connect([answer])
      await failure(lost.client.request('post', '/v3/wallets/batch', { body }))
      expect(lost.requests).toHaveLength(1)
    }
  })

  test('a signal ends the request and the wait, with its reason', async () => {
    const { baseUrl, requests } = await listenHttp([{ status: 503, headers: { 'retry-after': '50' } }])
    const client = new AuspexClient({ baseUrl })
    const ending = new AbortController()
    const asked = client.get('/v1/plans', { signal: ending.signal })
    const reason = new Error('the page was left')
    setTimeout(() => ending.abort(reason), 50)
    await expect(asked).rejects.toBe(reason)
    expect(requests).toHaveLength(1)
    await expect(client.get('/v1/plans', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
  })
})

describe('lists', () => {
  const numbers = Array.from({ length: 25 }, (_, index) => ({ id: index }))

  /** Pages of the list, as the service makes them for these parameters. */
  const serve =
    (present: (rows: object[], page: { offset: number; limit: number; hasMore: boolean }) => object) =>
    ({ url }: { url: string }): TestAnswer => {
      const { searchParams } = new URL(url, 'http://host')
      const limit = Math.min(Number(searchParams.get('limit') ?? 10), 10)
      const offset = Number(searchParams.get('cursor') ?? searchParams.get('offset') ?? 0)
      const rows = numbers.slice(offset, offset + limit)
      return { body: present(rows, { offset, limit, hasMore: offset + limit < numbers.length }) }
    }
  const collect = async <Item>(items: AsyncIterable<Item>) => {
    const all: Item[] = []
    for await (const item of items) all.push(item)
    return all
  }

  test('rows are followed by cursor, with the filters of the first page', async () => {
    const { client, requests } = await connect(
      serve((trades, { offset, limit, hasMore }) => ({
        address: ADDRESS,
        trades,
        included_position_types: ['standard'],
        has_more: hasMore,
        next_cursor: hasMore ? String(offset + limit) : null,
      })),
    )
    const options = { path: { address: ADDRESS }, query: { side: 'maker' as const, offset: 5 } }
    const rows = await collect(client.rows('/v3/wallets/{address}/trades', options))
    expect(rows).toEqual(numbers.slice(5))
    expect(requests.map(({ url }) => url.split('?')[1])).toEqual([
      'side=maker&offset=5',
      'side=maker&cursor=15',
    ])
  })

  test.each<[string, Parameters<typeof serve>[0], number]>([
    ['says whether there is more', (scopes, { limit, hasMore }) => ({ scopes, limit, has_more: hasMore }), 3],
    [
      'lost rows of a page',
      (rows, { limit, hasMore }) => ({ scopes: rows.slice(1), limit, has_more: hasMore }),
      3,
    ],
    ['says its limit alone', (scopes, { limit }) => ({ scopes, limit }), 3],
    ['says nothing', (scopes) => ({ by: ['account'], scopes, count: scopes.length }), 4],
  ])('rows are followed by offset where the list %s', async (what, present, requestCount) => {
    const { client, requests } = await connect(serve(present))
    const query = { period: '1d' as const, scope: 'tag' as const }
    const rows = await collect(client.rows('/v3/leaderboard/scopes', { query }))
    const kept = what === 'lost rows of a page' ? numbers.filter(({ id }) => id % 10 !== 0) : numbers
    expect(rows).toEqual(kept)
    expect(requests).toHaveLength(requestCount)
  })

  test('pages are whole answers, and reading may stop early', async () => {
    const { client, requests } = await connect(
      serve((data, { offset }) => ({ data, has_more: true, offset })),
    )
    const offsets: unknown[] = []
    for await (const page of client.pages('/v3/markets')) {
      offsets.push(page.offset)
      if (offsets.length === 2) break
    }
    expect(offsets).toEqual([0, 10])
    expect(requests).toHaveLength(2)
  })

  test('a download is the answer in the format, as a stream', async () => {
    const { client, requests } = await connect([503, { body: 'id\r\n1\r\n' }])
    const stream = await client.download('/v3/trades', { query: { limit: 1 }, format: 'csv' })
    expect(await new Response(stream).text()).toBe('id\r\n1\r\n')
    expect(requests.map(({ url }) => url)).toEqual(Array(2).fill('/v3/trades?limit=1&format=csv'))
  })
})
