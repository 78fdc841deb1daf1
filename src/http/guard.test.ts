import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { counts } from '../../test/counts.js'
import { createTestDatabase } from '../../test/database.js'
import { probe, probeRoutes } from '../../test/probe-routes.js'
import { sendRaw } from '../../test/raw-request.js'
import { createTestApp, type TestApp } from '../../test/test-app.js'
import { createKey, retireKey } from '../accounts/accounts.js'
import { createSecret, digestSecret } from '../accounts/secret.js'

let t: TestApp
beforeAll(async () => {
  t = await createTestApp({ routes: [probeRoutes] })
})
afterAll(() => t.close())
beforeEach(() => {
  probe.handled = 0
  t.clock.advance(120_000)
})

const LIST = '/v1/probe/list?q=x'
const get = (url: string, headers: Record<string, string> = {}) => t.app.inject({ url, headers })
const withKey = (key: string) => ({ 'x-api-key': key })

describe('key', () => {
  test('200: in the header, in the query, or as a bearer token', async () => {
    const { key } = await t.createCaller('free')
    expect((await get(LIST, withKey(key))).statusCode).toBe(200)
    expect((await get(`${LIST}&key=${key}`)).statusCode).toBe(200)
    expect((await get(LIST, { authorization: `Bearer ${key}` })).statusCode).toBe(200)
    expect((await get(LIST, { ...withKey(key), authorization: 'Basic abc' })).statusCode).toBe(200)
  })

  test('200: with the legacy prefix, and with no other', async () => {
    const { key } = await t.createCaller('starter')
    const legacy = key.replace('ax_live_', 'auspex_live_')
    expect((await get(LIST, withKey(legacy))).statusCode).toBe(200)
    expect((await get(LIST, withKey(key.replace('ax_', 'bx_')))).statusCode).toBe(401)
    expect((await get(LIST, withKey(key.slice(8)))).statusCode).toBe(401)
  })

  test.each([
    ['absent', LIST, {}],
    ['empty', LIST, withKey('')],
    ['empty in the query', `${LIST}&key=`, {}],
    ['of another form', LIST, withKey('sk_test_123')],
    ['huge', LIST, withKey('a'.repeat(10_000))],
    ['not ASCII', LIST, withKey('ax_live_ümläut')],
    ['a null character', `${LIST}&key=%00`, {}],
    ['doubled in the query', `${LIST}&key=${createSecret()}&key=${createSecret()}`, {}],
    ['doubled in header and query', `${LIST}&key=${createSecret()}`, withKey(createSecret())],
  ])('401: %s', async (_what, url, headers) => {
    const reply = await get(url, headers as Record<string, string>)
    expect(reply.statusCode).toBe(401)
    expect(reply.json()).toEqual({ error: expect.stringMatching(/\?key=.*x-api-key/) })
    expect(probe.handled).toBe(0)
  })

  test('403: well-formed and unknown, or revoked', async () => {
    const { key, keyId } = await t.createCaller('free')
    await retireKey(t.ctx.sql, keyId, t.clock.now())
    for (const secret of [createSecret(), key]) {
      const reply = await get(LIST, withKey(secret))
      expect(reply.statusCode).toBe(403)
      expect(reply.json()).toEqual({ error: 'Invalid or inactive API key.' })
    }
  })

  test('429: one address with one invented key after another, and no other address', async () => {
    const { key } = await t.createCaller('free')
    const guess = (remoteAddress: string, secret = createSecret()) =>
      t.app.inject({ url: LIST, remoteAddress, headers: withKey(secret) })
    for (let count = 0; count < 300; count++) {
      expect((await guess('192.0.2.66')).statusCode).toBe(403)
    }
    const refused = await guess('192.0.2.66')
    expect(refused.statusCode).toBe(429)
    expect(refused.headers['retry-after']).toBe('60')
    expect((await guess('192.0.2.67')).statusCode).toBe(403)
    const same = createSecret()
    for (let count = 0; count < 400; count++) {
      expect((await guess('192.0.2.68', same)).statusCode).toBe(403)
    }
    expect((await guess('192.0.2.67', key)).statusCode).toBe(200)
    t.clock.advance(60_000)
    expect((await guess('192.0.2.66')).statusCode).toBe(403)
  })

  test('no key ever reaches the log', async () => {
    const { key } = await t.createCaller('free')
    const encoded = key.replace('ax', '%61x').replaceAll('_', '%5f')
    const spellings = [key, `x_${key}`, `%ff${key}`, encoded]
    for (const spelling of spellings) {
      await get(`/v1/probe/nothing?key=${spelling}`)
      await get(`/v1/probe/list?limit=0&q=${spelling}&key=${spelling}`)
      await get(`/v1/${spelling}`)
      await get(`${LIST}&k%65y=${spelling}`)
    }
    await get('/v1/probe/broken', withKey(key))
    expect(t.logged.length).toBeGreaterThan(8)
    expect(t.logged.join('')).not.toContain(key.slice(8))
  })
})

describe('key in memory and key in the database', () => {
  let memory: TestApp
  let store: TestApp
  beforeAll(async () => {
    const database = await createTestDatabase()
    memory = await createTestApp({ routes: [probeRoutes], database })
    const shared = { ...database, drop: async () => undefined }
    store = await createTestApp({ routes: [probeRoutes], database: shared })
    for (const { app } of [memory, store]) await app.listen({ host: '127.0.0.1', port: 0 })
  })
  afterAll(async () => {
    await store.close()
    await memory.close()
  })

  /** Header lines, and what is in the query. */
  type Sent = { lines: string[]; query: string }

  const ask = async ({ app, clock }: TestApp, { lines, query }: Sent) => {
    clock.advance(60_000)
    const start = `GET ${LIST}${query} HTTP/1.1`
    const head = [start, 'host: x', 'connection: close', ...lines, '', ''].join('\r\n')
    const answer = await sendRaw(app, Buffer.from(head, 'latin1'))
    return { status: Number(answer.split(' ')[1]), body: answer.split('\r\n\r\n')[1] }
  }

  test('give the same answer to whatever a request sends as its key', async () => {
    const { key } = await memory.createCaller('enterprise')
    const legacy = key.replace('ax_', 'auspex_')
    const pieces = fc.oneof(
      fc.constantFrom(key, key, legacy, createSecret(), key.slice(8), key.toUpperCase(), ''),
      fc.constantFrom('junk_', 'x', '"', 'ax_live_', 'Bearer ', '\u00e9', '\u00a0', 'k'.repeat(9_000)),
    )
    const separators = fc.constantFrom('', '', '_', ',', ', ', ' ', '\t', ';')
    const values = fc
      .array(fc.tuple(pieces, separators), { minLength: 1, maxLength: 3 })
      .map((parts) => parts.flat().join(''))
    const names = fc.constantFrom('x-api-key: ', 'X-API-Key:', 'authorization: Bearer ', 'authorization: ')
    const line = fc.tuple(names, fc.oneof(values, fc.constant(key))).map((parts) => parts.join(''))
    const query = fc.oneof(
      { weight: 3, arbitrary: fc.constant('') },
      { weight: 1, arbitrary: values.map((value) => `&key=${encodeURIComponent(value)}`) },
    )
    const sent = fc.record({ lines: fc.array(line, { maxLength: 2 }), query })

    // Another scheme than Bearer is not for this service, whatever follows it.
    const valueIn = (text: string) =>
      /^(?:x-api-key:|authorization: bearer )(.*)$/i.exec(text)?.[1]?.replace(/^[ \t]+|[ \t]+$/g, '') ?? ''
    const isKey = (text: string) => /^(ax|auspex)_live_[0-9a-f]{48}$/.test(text)
    await fc.assert(
      fc.asyncProperty(sent, async (each) => {
        await memory.ctx.keyRing.find(digestSecret(key) ?? '')
        await memory.ctx.keyRing.sync()
        const [fast, slow] = [await ask(memory, each), await ask(store, each)]
        expect(fast).toEqual(slow)
        // An admitted request has the key in one header or parameter, and that contains nothing else.
        const values = [...each.lines.map(valueIn), decodeURIComponent(each.query.slice(5))]
        if (slow.status === 200) expect(values.filter(isKey)).toHaveLength(1)
        else expect([401, 403, 431]).toContain(slow.status)
      }),
      { numRuns: counts({ short: 150, long: 2_000 }) },
    )
  })

  test.each<[string, (key: string) => Sent]>([
    ['text before the key', (key) => ({ lines: [`x-api-key: junk_${key}`], query: '' })],
    ['two keys in one header', (key) => ({ lines: [`x-api-key: ${createSecret()}_${key}`], query: '' })],
    ['a list of keys', (key) => ({ lines: [`x-api-key: ${key}, ${key}`], query: '' })],
    ['two bearer tokens', (key) => ({ lines: [`authorization: Bearer ${key} ${key}`], query: '' })],
    ['text before it in the query', (key) => ({ lines: [], query: `&key=ax_live_${key}` })],
  ])('401: %s, also while the key is in memory', async (_what, toSent) => {
    const { key } = await memory.createCaller('free')
    const plain = { lines: [`x-api-key: ${key}`], query: '' }
    await memory.ctx.keyRing.sync()
    expect((await ask(memory, plain)).status).toBe(200)
    expect(memory.ctx.keyRing.recall(digestSecret(key) ?? '')).toBeDefined()
    expect((await ask(memory, toSent(key))).status).toBe(401)
  })
})

describe('plan', () => {
  test('402: a free key on a paid endpoint', async () => {
    const { key } = await t.createCaller('free')
    const reply = await get('/v3/probe', withKey(key))
    expect(reply.statusCode).toBe(402)
    expect(reply.json()).toEqual({
      error: expect.stringContaining('paid plan'),
      tier: 'free',
      upgrade_url: expect.stringMatching(/^http.*\/v1\/plans$/),
    })
  })

  test('403: a plan below the one that is needed, naming both', async () => {
    const { key } = await t.createCaller('starter')
    const reply = await get('/v2/probe/export', withKey(key))
    expect(reply.statusCode).toBe(403)
    expect(reply.json().error).toMatch(/growth plan.*starter plan/)
    const above = await t.createCaller('pro')
    expect((await get('/v2/probe/export', withKey(above.key))).statusCode).toBe(200)
  })
})

describe('limit', () => {
  test('429: the 61st request of a free key within a minute, and none before', async () => {
    const { key } = await t.createCaller('free')
    for (let count = 1; count <= 60; count++) {
      const reply = await get(LIST, withKey(key))
      expect(reply.statusCode).toBe(200)
      expect(reply.headers).toMatchObject({
        'x-ratelimit-limit': '60',
        'x-ratelimit-remaining': String(60 - count),
        'ratelimit-policy': '"rest";q=60;w=60',
      })
    }
    const resetAt = t.clock.now() / 1000 + 60
    t.clock.advance(59_999)
    const refused = await get(LIST, withKey(key))
    expect(refused.statusCode).toBe(429)
    expect(refused.json()).toEqual({ error: `Rate limit exceeded. Retry after ${resetAt}.` })
    expect(refused.headers).toMatchObject({
      'retry-after': '1',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': String(resetAt),
      ratelimit: '"rest";r=0;t=1',
    })
    expect(probe.handled).toBe(60)
    t.clock.advance(1)
    expect((await get(LIST, withKey(key))).statusCode).toBe(200)
  })

  test('general REST counts each key for itself, V3 all keys of the account together', async () => {
    const { key, accountId } = await t.createCaller('starter')
    const second = await createKey(t.ctx.sql, {
      plans: t.ctx.plans,
      accountId,
      name: 'second',
      nowMs: t.clock.now(),
    })
    await get(LIST, withKey(key))
    const rest = await get(LIST, withKey(second.secret))
    expect(rest.headers['x-ratelimit-remaining']).toBe('999')
    await get('/v3/probe?q=x', withKey(key))
    const v3 = await get('/v3/probe?q=x', withKey(second.secret))
    expect(v3.headers['x-ratelimit-remaining']).toBe('998')
  })

  test('heavy V3 is charged to both buckets and reports the stricter', async () => {
    const { key } = await t.createCaller('growth')
    const reply = await get('/v3/probe/x/trades', withKey(key))
    expect(reply.headers).toMatchObject({
      'x-ratelimit-limit': '1500',
      'x-ratelimit-remaining': '1499',
      'ratelimit-policy': '"v3";q=2000;w=60, "v3_heavy";q=1500;w=60',
      ratelimit: '"v3";r=1999;t=60, "v3_heavy";r=1499;t=60',
    })
    for (let count = 2; count <= 1_500; count++) await get('/v3/probe/x/trades', withKey(key))
    const refused = await get('/v3/probe/x/trades', withKey(key))
    expect(refused.statusCode).toBe(429)
    expect(refused.json()).toEqual({
      error: 'rate limit exceeded',
      scope: 'v3_heavy',
      reset_at: t.clock.now() / 1000 + 60,
    })
    const standard = await get('/v3/probe?q=x', withKey(key))
    expect(standard.headers['x-ratelimit-remaining']).toBe('499')
  })

  test('429: where both V3 buckets are used up, the heavy one speaks', async () => {
    const { key } = await t.createCaller('starter')
    for (let count = 1; count <= 1_000; count++) await get('/v3/probe/x/trades', withKey(key))
    const refused = await get('/v3/probe/x/trades', withKey(key))
    expect(refused.json()).toMatchObject({ error: 'rate limit exceeded', scope: 'v3_heavy' })
    expect((await get('/v3/probe?q=x', withKey(key))).json()).not.toHaveProperty('scope')
  })

  test('429: extras of a route, with their own body', async () => {
    const { key } = await t.createCaller('starter')
    for (let count = 0; count < 3; count++) await get('/v2/probe/search', withKey(key))
    t.clock.advance(4_000)
    const search = await get('/v2/probe/search', withKey(key))
    expect(search.statusCode).toBe(429)
    expect(search.headers['retry-after']).toBe('6')
    expect(search.json()).toEqual({
      error: expect.any(String),
      scope: 'search_online',
      reset_at: t.clock.now() / 1000 + 6,
      retryAfterMs: 6_000,
    })
    expect((await get('/v2/probe/social', withKey(key))).statusCode).toBe(200)
    expect((await get('/v2/probe/social', withKey(key))).json()).toMatchObject({
      scope: 'social_rate',
    })
    t.clock.advance(1_000)
    expect((await get('/v2/probe/social', withKey(key))).statusCode).toBe(200)
  })
})

test('a fault of the service is counted as failed, and not as a request of the account', async () => {
  const { key, accountId } = await t.createCaller('growth')
  expect((await get('/v1/probe/broken', withKey(key))).statusCode).toBe(500)
  expect((await get(LIST, withKey(key))).statusCode).toBe(200)
  await t.ctx.usage.flush()
  expect(
    await t.ctx.sql`
      select requests::int, failed::int from usage_operations where account_id = ${accountId}`,
  ).toEqual([{ requests: 1, failed: 1 }])
})

test('the order is key, plan, limit, parameters', async () => {
  const { key } = await t.createCaller('free')
  expect((await get('/v3/probe?limit=0')).statusCode).toBe(401)
  expect((await get('/v3/probe?limit=0', withKey(key))).statusCode).toBe(402)
  for (let count = 0; count < 60; count++) {
    expect((await get('/v1/probe/list?limit=0', withKey(key))).statusCode).toBe(400)
  }
  expect((await get('/v1/probe/list?limit=0', withKey(key))).statusCode).toBe(429)
})
