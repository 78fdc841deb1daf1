import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { listenSockets, SocketClient } from '../../../test/socket-client.js'
import { createTestApp, jobOf, type TestApp } from '../../../test/test-app.js'
import { retireKey, setPlan } from '../../accounts/accounts.js'
import { updateSuspension } from '../../accounts/queries.js'
import { createSecret, createSessionToken, digestSession } from '../../accounts/secret.js'
import { createCode } from '../../accounts/sign-in-codes.js'

/** Two processes on one database. */
let t: TestApp
let other: TestApp
let wsUrl: string
beforeAll(async () => {
  const database = await createTestDatabase()
  t = await createTestApp({ database, config: { trustedProxies: ['10.0.0.0/8'] } })
  const config = { trustedProxies: ['127.0.0.1'], publicUrl: 'https://public.example/x' }
  other = await createTestApp({ database: { ...database, drop: async () => undefined }, config })
  wsUrl = await listenSockets(t.app)
})
afterAll(async () => {
  await other.close()
  await t.close()
})
beforeEach(() => {
  t.clock.advance(60_000)
  other.clock.set(t.clock.now())
})

const HOST = 'localhost:80'
type Headers = Record<string, string>
type Sent = { headers?: Headers; remoteAddress?: string; app?: TestApp }

const signIn = (payload: object, { headers = {}, app = t, ...sent }: Sent = {}) =>
  app.app.inject({ method: 'POST', url: '/v1/session', payload, headers, ...sent })

/** A session of a new account, and the header that carries it. */
async function begin(plan: Parameters<TestApp['createCaller']>[0] = 'growth') {
  const caller = await t.createCaller(plan)
  const reply = await signIn({ api_key: caller.key })
  expect(reply.statusCode).toBe(201)
  const token = readToken(reply.headers['set-cookie'])
  return { ...caller, token, cookie: `auspex_session=${token}` }
}
const readToken = (cookie: unknown) => /^auspex_session=([^;]*)/.exec(String(cookie))?.[1] ?? ''
const get = (url: string, headers: Headers, { app } = t) => app.inject({ url, headers })
const statusOf = async (url: string, headers: Headers, app = t) => (await get(url, headers, app)).statusCode

describe('POST /v1/session', () => {
  test('201: a key begins a session, whose cookie is for pages of this service alone', async () => {
    const { key, keyId, accountId } = await t.createCaller('growth')
    const reply = await signIn({ api_key: ` ${key}\n` })
    expect(reply.statusCode).toBe(201)
    expect(reply.headers['cache-control']).toBe('no-store')
    expect(reply.headers['set-cookie']).toMatch(
      /^auspex_session=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/; Max-Age=86400$/,
    )
    expect(reply.json()).toEqual({
      account: { id: `acc_${accountId}`, name: 'growth', plan: 'growth' },
      key: { id: `key_${keyId}`, name: 'growth', hint: key.slice(-4) },
      expires_at: new Date(t.clock.now() + 86_400_000).toISOString(),
    })
  })

  test('201: over TLS, as a trusted proxy says, the cookie is sent over nothing else', async () => {
    const { key } = await t.createCaller('free')
    const headers = { 'x-forwarded-proto': 'https' }
    const cookieFrom = async (remoteAddress: string) =>
      (await signIn({ api_key: key }, { headers, remoteAddress })).headers['set-cookie']
    expect(await cookieFrom('10.1.1.1')).toMatch(/; Secure$/)
    expect(await cookieFrom('198.51.100.1')).not.toMatch(/Secure/)
  })

  test('the database holds no token, and the log none either', async () => {
    const { token } = await begin()
    const [row] = await t.ctx.sql`select encode(token_sha256, 'base64') as hash from web_sessions
      order by created_at desc limit 1`
    expect(row?.hash).toMatch(/=$/)
    expect(digestSession(token)).toContain(row?.hash)
    await get(`/v1/session?code=${token}`, {})
    expect(t.logged.join('')).not.toContain(token)
  })

  test.each([
    ['neither key nor code', {}, /'api_key' and 'code'/],
    ['both', { api_key: 'x', code: 'y' }, /'api_key' and 'code'/],
    ['a number', { api_key: 7 }, /api_key/],
    ['a name with control characters', { code: 'x', account_name: 'a\u0007' }, /account_name/],
    ['a key of 501 characters', { api_key: 'x'.repeat(501) }, /api_key/],
  ])('400: %s', async (_what, body, message) => {
    const reply = await signIn(body)
    expect(reply.statusCode).toBe(400)
    expect(reply.json().error).toMatch(message)
  })

  test('401: a key or code that does not work, with what to do', async () => {
    const { key, keyId } = await t.createCaller('free')
    await retireKey(t.ctx.sql, keyId, t.clock.now())
    for (const api_key of [key, createSecret(), 'sk_test', '', `ax_operator_${'a'.repeat(48)}`]) {
      const reply = await signIn({ api_key })
      expect(reply.statusCode).toBe(401)
      expect(reply.json()).toEqual({ error: expect.stringMatching(/auspex keys create.*auspex dashboard/) })
      expect(reply.headers['set-cookie']).toBeUndefined()
    }
    const reply = await signIn({ code: 'A'.repeat(22) })
    expect(reply.statusCode).toBe(401)
    expect(reply.json().error).toMatch(/auspex dashboard/)
  })

  test('401: a key of a suspended account, with the reason', async () => {
    const { key, accountId } = await t.createCaller('free')
    await updateSuspension(t.ctx.sql, accountId, { suspendedAt: new Date(), reason: 'unpaid' })
    const reply = await signIn({ api_key: key })
    expect([reply.statusCode, reply.json().error]).toEqual([401, expect.stringMatching(/suspended: unpaid/)])
  })

  test('429: the 21st wrong key or code of an address, also when all come at once', async () => {
    const { key } = await t.createCaller('free')
    const remoteAddress = '198.51.100.7'
    for (let count = 0; count < 25; count++) {
      expect((await signIn({ api_key: key }, { remoteAddress })).statusCode).toBe(201)
    }
    const guesses = Array.from({ length: 30 }, (_, index) =>
      signIn(index % 2 === 0 ? { api_key: createSecret() } : { code: 'x' }, { remoteAddress }),
    )
    const statuses = (await Promise.all(guesses)).map(({ statusCode }) => statusCode)
    expect(statuses.filter((status) => status === 401)).toHaveLength(20)
    const refused = await signIn({ api_key: key }, { remoteAddress })
    expect(refused.statusCode).toBe(429)
    expect(refused.headers['retry-after']).toBe('60')
    expect((await signIn({ api_key: key }, { remoteAddress: '198.51.100.8' })).statusCode).toBe(201)
    t.clock.advance(60_000)
    expect((await signIn({ api_key: key }, { remoteAddress })).statusCode).toBe(201)
  })

  test('a key has 20 sessions at most: the next one ends the oldest', async () => {
    const { key } = await t.createCaller('growth')
    const cookies: string[] = []
    for (let count = 0; count < 21; count++) {
      t.clock.advance(1)
      const reply = await signIn({ api_key: key })
      cookies.push(`auspex_session=${readToken(reply.headers['set-cookie'])}`)
    }
    const [first = '', second = ''] = cookies
    expect(await statusOf('/v1/session', { cookie: first }, other)).toBe(401)
    expect(await statusOf('/v1/session', { cookie: second }, other)).toBe(200)
  })
})

describe('POST /v1/session with a code', () => {
  test('201: signs in as the key, once', async () => {
    const { keyId, accountId } = await t.createCaller('starter')
    const code = await createCode(t.ctx.sql, keyId)
    const reply = await signIn({ code })
    expect(reply.statusCode).toBe(201)
    expect(reply.json()).toMatchObject({ account: { id: `acc_${accountId}`, plan: 'starter' } })
    expect(reply.json()).not.toHaveProperty('api_key')
    expect((await signIn({ code })).statusCode).toBe(401)
  })

  test('of two requests with one code at the same time one signs in', async () => {
    const { keyId } = await t.createCaller('starter')
    const code = await createCode(t.ctx.sql, keyId)
    const replies = await Promise.all([signIn({ code }), signIn({ code }, { app: other })])
    expect(replies.map(({ statusCode }) => statusCode).sort()).toEqual([201, 401])
  })

  test('401: after 15 minutes, and of a key that was revoked', async () => {
    const { keyId } = await t.createCaller('starter')
    const [old, unused] = [await createCode(t.ctx.sql, keyId), await createCode(t.ctx.sql, keyId)]
    const [row] = await t.ctx.sql`
      select extract(epoch from max(expires_at) - now())::int as seconds from sign_in_codes where key_id = ${keyId}`
    expect(row?.seconds).toBeGreaterThan(890)
    expect(row?.seconds).toBeLessThanOrEqual(900)
    await t.ctx.sql`update sign_in_codes set expires_at = now() where key_id = ${keyId}`
    expect((await signIn({ code: old })).statusCode).toBe(401)
    await t.ctx.sql`update sign_in_codes set expires_at = now() + interval '1 minute' where key_id = ${keyId}`
    await retireKey(t.ctx.sql, keyId, t.clock.now())
    expect((await signIn({ code: unused })).json().error).toMatch(/revoked/)
  })

  test('401: of a suspended account, and no session is left', async () => {
    const { keyId, accountId } = await t.createCaller('starter')
    const code = await createCode(t.ctx.sql, keyId)
    await updateSuspension(t.ctx.sql, accountId, { suspendedAt: new Date(), reason: 'unpaid' })
    expect((await signIn({ code })).json().error).toMatch(/suspended: unpaid/)
    expect(await t.ctx.sql`select from web_sessions where key_id = ${keyId}`).toHaveLength(0)
  })

  test('a code of a first start makes an account on the enterprise plan, with a key that is shown once', async () => {
    const code = await createCode(t.ctx.sql, null)
    for (const body of [{ code }, { code, account_name: '  ' }]) {
      const asked = await signIn(body)
      expect([asked.statusCode, asked.json().error]).toEqual([400, expect.stringMatching(/'account_name'/)])
    }
    const reply = await signIn({ code, account_name: ' trading desk ' })
    expect(reply.statusCode).toBe(201)
    expect(reply.json()).toMatchObject({
      account: { name: 'trading desk', plan: 'enterprise' },
      api_key: expect.stringMatching(/^ax_live_/),
    })
    const { api_key: key } = reply.json()
    expect(await statusOf('/v3/trades', { 'x-api-key': key })).not.toBe(403)
    expect((await signIn({ code, account_name: 'again' })).statusCode).toBe(401)
  })
})

describe('a session in place of a key', () => {
  test('200: on routes of the API, with the plan, the limits and the usage of the key', async () => {
    const { key, cookie, accountId } = await begin('free')
    const withKey = await get('/v1/usage', { 'x-api-key': key })
    const withCookie = await get('/v1/usage', { cookie: `a=b; ${cookie}; auspex_sessions=x` })
    expect(withCookie.json()).toMatchObject({ account: `acc_${accountId}`, tier: 'free' })
    expect(Number(withCookie.headers['x-ratelimit-remaining'])).toBe(
      Number(withKey.headers['x-ratelimit-remaining']) - 1,
    )
    expect(await statusOf('/v3/trades', { cookie })).toBe(402)
    const usage = (await get('/v1/usage', { cookie })).json()
    expect(usage.meters[0].used).toBe(2)
  })

  test('200: GET /v1/session says who is signed in, to a key as well', async () => {
    const { key, keyId, cookie } = await begin('pro')
    const shown = (await get('/v1/session', { cookie })).json()
    expect(shown).toMatchObject({ key: { id: `key_${keyId}` }, expires_at: expect.any(String) })
    expect((await get('/v1/session', { 'x-api-key': key })).json()).toEqual({ ...shown, expires_at: null })
  })

  test('a key in the header or in the query wins', async () => {
    const { cookie } = await begin('growth')
    const { key, accountId } = await t.createCaller('free')
    for (const [url, headers] of [
      ['/v1/usage', { 'x-api-key': key, cookie, origin: 'https://evil.example' }],
      [`/v1/usage?key=${key}`, { cookie }],
    ] as const) {
      expect((await get(url, headers)).json()).toMatchObject({ account: `acc_${accountId}` })
    }
    expect(await statusOf('/v1/usage', { 'x-api-key': createSecret(), cookie })).toBe(403)
  })

  test('401: a token that is unknown, malformed or sent twice, and a token in place of a key', async () => {
    const { cookie, token } = await begin()
    for (const sent of ['x', createSessionToken(), `${token}x`]) {
      const reply = await get('/v1/session', { cookie: `auspex_session=${sent}` })
      expect([reply.statusCode, reply.json().error]).toEqual([401, expect.stringMatching(/Sign in again/)])
    }
    const twice = `auspex_session=${createSessionToken()}; ${cookie}`
    expect((await get('/v1/session', { cookie: twice })).json().error).toMatch(/twice/)
    expect(await statusOf('/v1/session', { cookie: `${cookie}; ${cookie}` })).toBe(200)
    expect(await statusOf('/v1/session', { cookie: 'auspex_session=' })).toBe(401)
    for (const headers of [{ 'x-api-key': token }, { authorization: `Bearer ${token}` }]) {
      expect(await statusOf('/v1/session', headers)).toBe(401)
    }
  })

  test('403: an operator route takes no session', async () => {
    const { cookie } = await begin('enterprise')
    expect(await statusOf('/v1/admin/accounts', { cookie })).toBe(401)
  })

  test('a read-only key makes a session that reads alone', async () => {
    const { keyId, cookie } = await begin('growth')
    await t.ctx.sql`update api_keys set scope = 'read' where id = ${keyId}`
    await t.ctx.keyRing.sync()
    const headers = { cookie, host: HOST, origin: `http://${HOST}` }
    const reply = await t.app.inject({
      method: 'POST',
      url: '/v2/copy-pnl/wallets',
      headers,
      payload: { addresses: [] },
    })
    expect([reply.statusCode, reply.json().error]).toEqual([403, expect.stringMatching(/read alone/)])
  })
})

describe('the end of a session', () => {
  type Ended = Awaited<ReturnType<typeof begin>>
  const nowMs = () => t.clock.now()

  test.each<[string, (session: Ended) => Promise<unknown>]>([
    ['its key is revoked', ({ keyId }) => retireKey(t.ctx.sql, keyId, nowMs())],
    [
      'its account is suspended',
      ({ accountId }) =>
        updateSuspension(t.ctx.sql, accountId, { suspendedAt: new Date(nowMs()), reason: 'unpaid' }),
    ],
    [
      'its key expires',
      ({ keyId }) => t.ctx.sql`update api_keys set expires_at = ${new Date(nowMs())} where id = ${keyId}`,
    ],
    [
      'its owner signs out',
      ({ cookie }) =>
        t.app.inject({
          method: 'DELETE',
          url: '/v1/session',
          headers: { cookie, 'sec-fetch-site': 'same-origin' },
        }),
    ],
  ])('401 in all processes when %s, and its socket is closed', async (_what, end) => {
    const session = await begin()
    const { cookie } = session
    const origin = wsUrl.replace('ws:', 'http:')
    const socket = await SocketClient.open(`${wsUrl}/ws`, { headers: { cookie, origin } })
    onTestFinished(() => socket.socket.terminate())
    for (const { ctx } of [t, other]) await ctx.keyRing.sync()
    for (const app of [t, other]) expect(await statusOf('/v1/session', { cookie }, app)).toBe(200)

    await end(session)
    for (const app of [t, other]) {
      await jobOf(app.domains, 'key sync').run({} as never)
      const reply = await get('/v1/session', { cookie }, app)
      expect([reply.statusCode, reply.json()]).toEqual([401, { error: expect.any(String) }])
    }
    expect((await socket.closed()).code).toBe(4403)
  })

  test('401 after a day, and its row goes', async () => {
    const { cookie, keyId } = await begin()
    t.clock.advance(86_399_999)
    expect(await statusOf('/v1/session', { cookie })).toBe(200)
    t.clock.advance(1)
    expect(await statusOf('/v1/session', { cookie })).toBe(401)
    await jobOf(t.domains, 'tidying').run({} as never)
    expect(await t.ctx.sql`select from web_sessions where key_id = ${keyId}`).toHaveLength(0)
  })

  test('a change of plan changes what the session may do', async () => {
    const { cookie, accountId } = await begin('free')
    expect(await statusOf('/v3/markets', { cookie })).toBe(402)
    const change = { accountId, plan: 'growth', plans: t.ctx.plans, nowMs: nowMs() }
    await setPlan(t.ctx.sql, change)
    await t.ctx.keyRing.sync()
    expect(await statusOf('/v3/markets', { cookie })).toBe(200)
  })

  test('a sign-out of one browser ends no other session, and no process forgets a key for it', async () => {
    const { key, cookie } = await begin()
    const second = await signIn({ api_key: key })
    const secondCookie = `auspex_session=${readToken(second.headers['set-cookie'])}`
    const revision = () => t.ctx.sql`select revision from accounts_revision`
    const before = await revision()
    const reply = await t.app.inject({
      method: 'DELETE',
      url: '/v1/session',
      headers: { cookie, 'sec-fetch-site': 'same-origin' },
    })
    expect([reply.statusCode, reply.body]).toEqual([204, ''])
    expect(reply.headers['set-cookie']).toBe('auspex_session=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0')
    expect(await revision()).toEqual(before)
    expect(await statusOf('/v1/session', { cookie })).toBe(401)
    expect(await statusOf('/v1/session', { cookie: secondCookie })).toBe(200)
  })

  test('204: signing out without a session, and again', async () => {
    const signOut = (headers: Headers) => t.app.inject({ method: 'DELETE', url: '/v1/session', headers })
    const sent = { cookie: `auspex_session=${createSessionToken()}`, 'sec-fetch-site': 'same-origin' }
    const before = await t.ctx.sql`select * from accounts_revision`
    for (const headers of [{}, sent, sent]) expect((await signOut(headers)).statusCode).toBe(204)
    expect(await t.ctx.sql`select * from accounts_revision`).toEqual(before)
  })
})

describe('requests of pages of other origins', () => {
  const EVIL = 'https://evil.example'
  let session: Awaited<ReturnType<typeof begin>>
  beforeAll(async () => {
    session = await begin('growth')
  })

  const own: [string, Headers][] = [
    ['the page itself', { origin: `http://${HOST}`, 'sec-fetch-site': 'same-origin' }],
    ['a browser that sends an origin alone', { origin: `http://${HOST}` }],
    ['a browser that says where it comes from', { 'sec-fetch-site': 'same-origin' }],
    ['a person who typed the address', { 'sec-fetch-site': 'none' }],
    ['a page behind a proxy that ends TLS', { host: 'data.example', origin: 'https://data.example' }],
  ]
  const foreign: [string, Headers][] = [
    ['another site', { origin: EVIL, 'sec-fetch-site': 'cross-site' }],
    ['another site, of a browser that sends an origin alone', { origin: EVIL }],
    ['another site, without an origin', { 'sec-fetch-site': 'cross-site' }],
    ['another port', { origin: 'http://localhost:3000', 'sec-fetch-site': 'same-site' }],
    ['another subdomain', { 'sec-fetch-site': 'same-site' }],
    ['a page without an origin', { origin: 'null' }],
    ['a page without an origin that claims more', { origin: 'null', 'sec-fetch-site': 'same-origin' }],
    ['what is no origin', { origin: 'x' }],
    ['two origins', { origin: `http://${HOST}, ${EVIL}` }],
  ]
  const send = (method: 'GET' | 'POST' | 'DELETE', url: string, headers: Headers) =>
    t.app.inject({
      method,
      url,
      headers: { host: HOST, cookie: session.cookie, ...headers },
      ...(method === 'POST' && { payload: { addresses: [] } }),
    })

  test.each(own)('work for %s', async (_what, headers) => {
    expect((await send('GET', '/v1/usage', headers)).statusCode).toBe(200)
    // The route was reached, and refused an empty list.
    expect((await send('POST', '/v2/copy-pnl/wallets', headers)).statusCode).toBe(400)
  })

  test.each(foreign)('403: %s', async (_what, headers) => {
    for (const method of ['GET', 'POST', 'DELETE'] as const) {
      const url = { GET: '/v1/usage', POST: '/v2/copy-pnl/wallets', DELETE: '/v1/session' }[method]
      const reply = await send(method, url, headers)
      expect(reply.statusCode).toBe(403)
      expect(reply.json().error).toMatch(/page of another origin/)
      expect(reply.headers).not.toHaveProperty('access-control-allow-credentials')
      expect(reply.headers['access-control-allow-origin']).not.toBe(EVIL)
    }
    expect((await signIn({ api_key: session.key }, { headers: { host: HOST, ...headers } })).statusCode).toBe(
      403,
    )
    expect(await statusOf('/v1/session', { cookie: session.cookie })).toBe(200)
  })

  test('403: a forged form, which needs no preflight', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
    ]) {
      const reply = await t.app.inject({
        method: 'POST',
        url: '/v2/copy-pnl/wallets',
        headers: { host: HOST, cookie: session.cookie, origin: EVIL, 'content-type': type },
        payload: '{"addresses":[]}',
      })
      expect(reply.statusCode).toBe(403)
    }
  })

  test('403: a change that does not say where it comes from', async () => {
    expect((await send('GET', '/v1/usage', {})).statusCode).toBe(200)
    for (const [method, url] of [
      ['POST', '/v2/copy-pnl/wallets'],
      ['DELETE', '/v1/session'],
    ] as const) {
      const reply = await send(method, url, {})
      expect([reply.statusCode, reply.json().error]).toEqual([403, expect.stringMatching(/Sec-Fetch-Site/)])
    }
  })

  test('a preflight allows no credentials', async () => {
    for (const url of ['/v1/session', '/v1/usage', '/v3/webhooks']) {
      const reply = await t.app.inject({
        method: 'OPTIONS',
        url,
        headers: { origin: EVIL, 'access-control-request-method': 'POST' },
      })
      expect(reply.headers).not.toHaveProperty('access-control-allow-credentials')
      expect(reply.headers['access-control-allow-origin']).toBe('*')
    }
  })

  test('the host is that of a trusted proxy or the public address, and no other', async () => {
    const page = { origin: 'https://data.example', 'x-forwarded-host': 'data.example' }
    const ask = (remoteAddress: string, headers: Headers, app = t) =>
      app.app.inject({
        url: '/v1/usage',
        remoteAddress,
        headers: { host: 'internal:8080', cookie: session.cookie, ...headers },
      })
    expect((await ask('10.2.2.2', page)).statusCode).toBe(200)
    expect((await ask('192.0.2.2', page)).statusCode).toBe(403)
    expect((await ask('192.0.2.2', { origin: 'https://public.example' }, other)).statusCode).toBe(200)
    expect((await ask('192.0.2.2', { origin: 'https://public.example:444' }, other)).statusCode).toBe(403)
  })

  describe('for a WebSocket', () => {
    const connect = async (path: string, headers: Headers) => {
      const client = await SocketClient.open(`${wsUrl}${path}`, {
        headers: { cookie: session.cookie, ...headers },
      })
      onTestFinished(() => client.socket.terminate())
      return client
    }
    const ownOrigin = () => wsUrl.replace('ws:', 'http:')

    test.each(['/ws', '/ws/orderbook'])('%s takes the session of a page of this service', async (path) => {
      const client = await connect(path, { origin: ownOrigin() })
      client.send({ action: 'ping' })
      expect(JSON.stringify(await client.next())).toContain('pong')
    })

    test.each<[string, Headers]>([
      ['another site', { origin: EVIL }],
      ['another site that is a page of this one by its looks', { origin: `${EVIL}/localhost` }],
      ['a page without an origin', { origin: 'null' }],
      ['another port', { origin: 'http://127.0.0.1:1' }],
      ['a cross-site frame', { 'sec-fetch-site': 'cross-site' }],
      ['a client that does not say where it comes from', {}],
    ])('refuses %s', async (_what, headers) => {
      for (const path of ['/ws', '/ws/orderbook']) {
        const client = await connect(path, headers)
        expect((await client.closed()).code).toBe(4401)
        expect(client.messages).toHaveLength(1)
      }
    })

    test('takes the host that a trusted proxy names, and from no other', async () => {
      const client = await connect('/ws', {
        origin: 'https://data.example',
        'x-forwarded-host': 'data.example',
      })
      expect((await client.closed()).code).toBe(4401)
      const url = await listenSockets(other.app)
      const headers = {
        cookie: session.cookie,
        origin: 'https://data.example',
        'x-forwarded-host': 'evil.example, data.example',
      }
      const trusted = await SocketClient.open(`${url}/ws`, { headers })
      onTestFinished(() => trusted.socket.terminate())
      trusted.send({ action: 'ping' })
      expect((await trusted.next()).type).not.toBe('error')
    })
  })
})
