import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createTestApp, type TestApp } from '../../test/test-app.js'

let t: TestApp
beforeAll(async () => {
  t = await createTestApp({ config: { trustedProxies: ['10.0.0.0/8'] } })
})
afterAll(() => t.close())

let lastHost = 0
const freshAddress = () => `198.51.100.${++lastHost}`

describe('POST /v1/keys', () => {
  const post = (payload: unknown, remoteAddress = freshAddress(), headers = {}) =>
    t.app.inject({
      method: 'POST',
      url: '/v1/keys',
      remoteAddress,
      headers: { 'content-type': 'application/json', ...headers },
      payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
    })

  test('201: a free key that works, shown with its limit', async () => {
    const reply = await post({ name: '  desk-bot ' })
    expect(reply.statusCode).toBe(201)
    expect(reply.headers['cache-control']).toBe('no-store')
    expect(reply.json()).toEqual({
      api_key: expect.stringMatching(/^ax_live_[0-9a-f]{48}$/),
      name: 'desk-bot',
      rate_limit_per_minute: 60,
      message: expect.stringContaining('cannot be shown again'),
    })
    const usage = await t.app.inject({
      url: '/v1/usage',
      headers: { 'x-api-key': reply.json().api_key },
    })
    expect(usage.json()).toMatchObject({ tier: 'free' })
  })

  test.each([['{}'], ['{"name":null}'], ['{"name":""}'], ['null'], ['']])(
    '201: %j makes a key without a name',
    async (body) => {
      const reply = await post(body)
      expect(reply.statusCode).toBe(201)
      expect(reply.json().name).toBe('unnamed')
    },
  )

  test('201: no body and no content type', async () => {
    const reply = await t.app.inject({
      method: 'POST',
      url: '/v1/keys',
      remoteAddress: freshAddress(),
    })
    expect(reply.statusCode).toBe(201)
  })

  test.each([
    ['a number', '{"name":7}', /'?name'?/],
    ['a control character', '{"name":"a\\u0007b"}', /name/],
    ['a null character', '{"name":"a\\u0000b"}', /name/],
    ['101 characters', JSON.stringify({ name: 'x'.repeat(101) }), /name/],
    ['an array', '[]', /JSON object/],
    ['broken JSON', '{"name":', /not valid JSON/],
    ['a poisoned prototype', '{"__proto__":{"x":1}}', /must not have a field '__proto__'/],
    ['a poisoned constructor', '{"constructor":{"prototype":1}}', /'constructor.prototype'/],
    ['a character that turns the text', '{"name":"a\\u202eb"}', /name.*bidirectional/],
    ['a line separator', '{"name":"a\\u2028b"}', /name.*control/],
  ])('400: %s', async (_what, body, message) => {
    const reply = await post(body)
    expect(reply.statusCode).toBe(400)
    expect(reply.json()).toEqual({ error: expect.stringMatching(message) })
  })

  test('400: bytes that are not UTF-8', async () => {
    const reply = await t.app.inject({
      method: 'POST',
      url: '/v1/keys',
      remoteAddress: freshAddress(),
      headers: { 'content-type': 'application/json' },
      payload: Buffer.from([0x7b, 0xff, 0x7d]),
    })
    expect(reply.statusCode).toBe(400)
    expect(reply.json().error).toMatch(/UTF-8/)
  })

  test('413: a body of 10 MB', async () => {
    const reply = await post(JSON.stringify({ name: 'x'.repeat(10_000_000) }))
    expect(reply.statusCode).toBe(413)
    expect(reply.json()).toEqual({ error: expect.any(String) })
  })

  test('415: a body that is not JSON', async () => {
    const reply = await post('name=x', freshAddress(), { 'content-type': 'text/plain' })
    expect(reply.statusCode).toBe(415)
    expect(reply.json().error).toMatch(/application\/json/)
  })

  test('429: a second key for the same address within a day', async () => {
    const address = freshAddress()
    expect((await post({}, address)).statusCode).toBe(201)
    const reply = await post({}, address)
    expect(reply.statusCode).toBe(429)
    expect(reply.headers['retry-after']).toBe('86400')
    expect(reply.json()).toEqual({ error: expect.stringContaining('1 key per IP') })
  })

  test('429: an address is believed from a configured proxy alone', async () => {
    const forwarded = { 'x-forwarded-for': '203.0.113.50' }
    expect((await post({}, '10.1.2.3', forwarded)).statusCode).toBe(201)
    expect((await post({}, '10.9.9.9', forwarded)).statusCode).toBe(429)
    const untrusted = freshAddress()
    expect((await post({}, untrusted, { 'x-forwarded-for': '203.0.113.51' })).statusCode).toBe(201)
    expect((await post({}, untrusted, { 'x-forwarded-for': '203.0.113.52' })).statusCode).toBe(429)
  })

  test('201: a proxy that forwards nonsense is itself the client', async () => {
    const reply = await post({}, '10.77.0.1', { 'x-forwarded-for': 'not-an-address' })
    expect(reply.statusCode).toBe(201)
  })
})

describe('POST /v1/keys from a page', () => {
  const PUBLIC = 'https://data.example.net'
  let guarded: TestApp
  beforeAll(async () => {
    const config = {
      publicUrl: PUBLIC,
      keyOrigins: ['https://app.example.org'],
      trustedProxies: ['10.0.0.0/8'],
    }
    guarded = await createTestApp({ config })
  })
  afterAll(() => guarded.close())

  type Page = { origin: string; host?: string; 'sec-fetch-site'?: string; 'x-forwarded-host'?: string }

  const ask = (app: TestApp, method: 'POST' | 'OPTIONS', headers: Page, address = freshAddress()) =>
    app.app.inject({
      method,
      url: '/v1/keys',
      remoteAddress: address,
      headers: { host: 'localhost:8080', ...headers, ...(method === 'OPTIONS' && PREFLIGHT) },
    })
  const PREFLIGHT = { 'access-control-request-method': 'POST' }

  /** The status of the POST, having checked that its preflight and its headers agree. */
  async function statusFor(app: TestApp, headers: Page) {
    const reply = await ask(app, 'POST', headers)
    const preflight = await ask(app, 'OPTIONS', headers)
    const isAllowed = reply.statusCode === 201
    for (const each of [reply, preflight]) {
      const allowed = isAllowed ? headers.origin : undefined
      expect(each.headers['access-control-allow-origin']).toBe(allowed)
      expect(each.headers.vary).toBe('origin')
    }
    expect(preflight.statusCode).toBe(isAllowed ? 204 : 403)
    if (!isAllowed) expect(reply.json()).toEqual({ error: expect.stringContaining('AUSPEX_KEY_ORIGINS') })
    return reply.statusCode
  }

  test.each<[string, Page]>([
    ['a page of the service', { origin: 'http://localhost:8080' }],
    ['one at the standard port', { origin: 'https://box', host: 'box:443' }],
    ['one behind a proxy that ends TLS', { origin: 'https://data.example.net', host: 'data.example.net' }],
    [
      'one that the browser vouches for',
      { origin: 'https://data.example.net', 'sec-fetch-site': 'same-origin' },
    ],
  ])('201: %s', async (_what, headers) => {
    expect(await statusFor(t, headers)).toBe(201)
  })

  test('201: behind a trusted proxy that names the host', async () => {
    const page = { origin: 'https://x.example', 'x-forwarded-host': 'x.example' }
    expect((await ask(t, 'POST', page, '10.4.4.4')).statusCode).toBe(201)
    expect((await ask(t, 'POST', page)).statusCode).toBe(403)
  })

  test.each<[string, Page]>([
    ['another site', { origin: 'https://evil.example' }],
    ['another port', { origin: 'http://localhost:3000' }],
    ['a page without an origin', { origin: 'null' }],
    ['what is no origin', { origin: 'x' }],
    [
      'what the browser calls another site',
      { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    ],
  ])('403: %s', async (_what, headers) => {
    expect(await statusFor(t, headers)).toBe(403)
    expect(await statusFor(guarded, headers)).toBe(403)
  })

  test('403: however the path is spelt, and the address keeps its key of the day', async () => {
    const address = freshAddress()
    const spelt = { method: 'POST', url: '/v1/%6beys?x', remoteAddress: address } as const
    const reply = await t.app.inject({ ...spelt, headers: { origin: 'https://evil.example' } })
    expect(reply.statusCode).toBe(403)
    expect(reply.headers['access-control-allow-origin']).toBeUndefined()
    expect((await t.app.inject(spelt)).statusCode).toBe(201)
  })

  test.each<[number, string, Page]>([
    [201, 'the public address', { origin: PUBLIC }],
    [201, 'an origin that the operator allows', { origin: 'https://app.example.org' }],
    [201, 'a page of this machine', { origin: 'http://127.0.0.1:8080', host: '127.0.0.1:8080' }],
    [403, 'a name of a stranger that points here', { origin: 'http://evil.example', host: 'evil.example' }],
    [403, 'another port of the public address', { origin: `${PUBLIC}:444` }],
  ])('%i: %s, where the public address is known', async (status, _what, headers) => {
    expect(await statusFor(guarded, headers)).toBe(status)
  })

  test('201: any page, where the operator allows all', async () => {
    const open = await createTestApp({ config: { keyOrigins: ['*'] } })
    onTestFinished(() => open.close())
    expect(await statusFor(open, { origin: 'https://evil.example' })).toBe(201)
  })

  test('200: pages of all origins read every other route', async () => {
    const headers = { origin: 'https://evil.example' }
    const reply = await t.app.inject({ url: '/v1/plans', headers })
    expect(reply.headers['access-control-allow-origin']).toBe('*')
    const preflight = await t.app.inject({ method: 'OPTIONS', url: '/v1/usage', headers })
    expect([preflight.statusCode, preflight.headers['access-control-allow-origin']]).toEqual([204, '*'])
  })
})

describe('GET /v1/usage', () => {
  test('200: counts completed requests of all keys of the account, and shows what is included', async () => {
    const { key, accountId, keyId } = await t.createCaller('growth')
    const get = (url: string) => t.app.inject({ url, headers: { 'x-api-key': key } })
    await get('/v1/usage')
    await get('/v1/usage')
    await t.ctx.usage.flush()
    await get('/v1/status')
    t.ctx.usage.addTransfer({ accountId, keyId }, 'ws_market', 5_000_000_000)
    await t.ctx
      .sql`insert into usage (account_id, month, meter, used) values (${accountId}, '2026-11-01', 'social', 3)`
    const reply = await get('/v1/usage')
    expect(reply.json()).toEqual({
      account: `acc_${accountId}`,
      tier: 'growth',
      period: { start: Date.UTC(2026, 10, 1) / 1000, end: Date.UTC(2026, 11, 1) / 1000 },
      meters: [
        { meter: 'api_requests', unit: 'requests', used: 3, included: 50_000_000 },
        { meter: 'ws_market', unit: 'bytes', used: 5_000_000_000, included: 1_000_000_000_000 },
        { meter: 'ws_onchain', unit: 'bytes', used: 0, included: 1_000_000_000_000 },
      ],
      social: { used: 3, limit: 1_000, resets_at: Date.UTC(2026, 11, 1) / 1000 },
      enforced: false,
    })
  })

  test('401: without a key', async () => {
    expect((await t.app.inject('/v1/usage')).statusCode).toBe(401)
  })
})

test('403: where free keys are off, POST /v1/keys says so, and plans can still be read', async () => {
  const closed = await createTestApp({ config: { freeKeys: 'off' } })
  onTestFinished(() => closed.close())
  const reply = await closed.app.inject({ method: 'POST', url: '/v1/keys' })
  expect(reply.statusCode).toBe(403)
  expect(reply.json()).toEqual({
    error: expect.stringMatching(/gives no free keys. Ask its operator/),
  })
  expect((await closed.app.inject('/v1/plans')).statusCode).toBe(200)
})

describe('GET /v1/plans', () => {
  test('200: what a 402 names opens without a key', async () => {
    const { key } = await t.createCaller('free')
    const refused = await t.app.inject({ url: '/v3/trades', headers: { 'x-api-key': key } })
    expect(refused.statusCode).toBe(402)
    const reply = await t.app.inject(new URL(refused.json().upgrade_url).pathname)
    expect(reply.statusCode).toBe(200)
    expect(reply.json().plans[1]).toMatchObject({ id: 'starter', price_usd_per_month: 50 })
  })

  test('200: every plan with its limits, null where there is none', async () => {
    const reply = await t.app.inject('/v1/plans')
    const { plans } = reply.json()
    expect(plans.map((plan: { id: string }) => plan.id)).toEqual([
      'free',
      'starter',
      'growth',
      'pro',
      'enterprise',
    ])
    expect(plans[4].websocket.event_connections).toBeNull()
    expect(plans[1].webhooks).toEqual({ count: 10, deliveries_per_day: 50_000 })
  })
})
