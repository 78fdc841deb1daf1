import type { AddressInfo } from 'node:net'
import type { InjectOptions } from 'fastify'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { listenSockets, SocketClient } from '../../../test/socket-client.js'
import { createTestApp, jobOf, type TestApp } from '../../../test/test-app.js'
import type { PlanId } from '../../accounts/plans.js'
import { NEW_WEBHOOK } from '../../webhooks/manage/test-api.js'

let t: TestApp
let wsUrl: string
beforeAll(async () => {
  t = await createTestApp({ config: { webhookNetworks: ['127.0.0.0/8'] } })
  wsUrl = await listenSockets(t.app)
})
afterAll(() => t.close())
beforeEach(() => t.clock.advance(60_000))

type Sent = { key: string } | { cookie: string }

/** `GET /v1/account` with a key or a session. */
async function ask(sent: Sent, request: string, payload?: object) {
  const [method = 'GET', url = ''] = request.split(' ')
  const headers = 'key' in sent ? { 'x-api-key': sent.key } : { ...sent, 'sec-fetch-site': 'same-origin' }
  const reply = await t.app.inject({
    method: method as NonNullable<InjectOptions['method']>,
    url,
    headers,
    ...(payload !== undefined && { payload }),
  })
  const body = reply.body === '' ? undefined : reply.json()
  return { status: reply.statusCode, body, headers: reply.headers }
}

/** A new account with a key and a session. */
async function open(plan: PlanId) {
  const caller = await t.createCaller(plan)
  const payload = { api_key: caller.key }
  const reply = await t.app.inject({ method: 'POST', url: '/v1/session', payload })
  return { ...caller, cookie: String(reply.headers['set-cookie']).split(';', 1)[0] ?? '' }
}

type Limit = { name: string } & Record<string, unknown>
const limitsOf = async (sent: Sent): Promise<Record<string, Limit>> => {
  const { body } = await ask(sent, 'GET /v1/account')
  return Object.fromEntries(body.limits.map((limit: Limit) => [limit.name, limit]))
}

describe('GET /v1/account', () => {
  test('200: the account with its plan, to a key and to a session', async () => {
    const account = await open('growth')
    for (const sent of [{ key: account.key }, { cookie: account.cookie }]) {
      const { status, body } = await ask(sent, 'GET /v1/account')
      expect(status).toBe(200)
      expect(body).toMatchObject({
        id: `acc_${account.accountId}`,
        name: 'growth',
        created_at: new Date(t.clock.now()).toISOString(),
        plan: { id: 'growth', api_keys: 10, websocket: { event_connections: 50 } },
      })
    }
  })

  test('200: what is left of each bucket; reading it costs one request of rest and nothing else', async () => {
    const { key } = await open('starter')
    const nowMs = t.clock.now()
    await ask({ key }, 'GET /v3/trades')
    t.clock.advance(10_000)
    const limits = await limitsOf({ key })
    expect(limits.rest).toEqual({
      name: 'rest',
      unit: 'requests',
      counts: 'key',
      limit: 1_000,
      used: 1,
      remaining: 999,
      window_seconds: 60,
      resets_at: new Date(nowMs + 70_000).toISOString(),
      resets_in_seconds: 60,
    })
    expect(limits.v3).toMatchObject({ used: 1, remaining: 999, counts: 'account', resets_in_seconds: 50 })
    expect(limits.v3_heavy).toMatchObject({ used: 1 })
    expect(limits.search_online).toMatchObject({
      used: 0,
      limit: 3,
      resets_at: null,
      resets_in_seconds: null,
    })
    expect(limits).not.toHaveProperty('copy_pnl')
    const again = await limitsOf({ key })
    expect([again.rest?.used, again.v3?.used, again.v3_heavy?.used]).toEqual([2, 1, 1])
  })

  test('200: buckets that all processes share, and calendar limits', async () => {
    const { key, accountId } = await open('growth')
    await ask({ key }, 'GET /v2/search/online?q=x')
    await t.ctx
      .sql`insert into usage (account_id, month, meter, used) values (${accountId}, '2026-11-01', 'social', 7)`
    const limits = await limitsOf({ key })
    expect(limits.search_online).toMatchObject({
      used: 1,
      remaining: 2,
      window_seconds: 10,
      resets_in_seconds: 10,
    })
    expect(limits.social_month).toMatchObject({
      used: 7,
      remaining: 993,
      window_seconds: null,
      resets_at: '2026-12-01T00:00:00.000Z',
    })
  })

  test('200: what there is of sockets, webhooks, pool and keys; null: without limit', async () => {
    const { key, cookie } = await open('enterprise')
    const client = await SocketClient.open(`${wsUrl}/ws?key=${key}`)
    onTestFinished(() => client.socket.terminate())
    client.send({ action: 'subscribe', type: 'trades' })
    await client.next(({ type }) => type === 'subscribed')
    await ask({ key }, 'POST /v3/webhooks', NEW_WEBHOOK)
    await ask({ key }, 'POST /v2/copy-pnl/wallets', { addresses: [`0x${'1'.repeat(40)}`] })
    const limits = await limitsOf({ cookie })
    expect(limits).toMatchObject({
      event_connections: { used: 1, limit: null, remaining: null, unit: 'connections', resets_at: null },
      orderbook_connections: { used: 0 },
      firehose_connections: { used: 1 },
      event_seconds: { limit: null },
      webhooks: { used: 1, limit: 500, remaining: 499 },
      webhook_deliveries: { used: 0, limit: null, resets_at: expect.stringMatching(/T00:00:00.000Z$/) },
      copy_pnl_wallets: { used: 1, limit: 1_000, counts: 'key' },
      api_keys: { used: 1, limit: 25 },
    })
    const free = await open('free')
    expect(await limitsOf({ key: free.key })).toMatchObject({
      v3: { limit: 0, remaining: 0 },
      event_seconds: { limit: 3_600, used: 0, remaining: 3_600 },
      api_keys: { used: 1, limit: 1, remaining: 0 },
    })
  })
})

describe('GET /v1/connections', () => {
  test('200: what is open in all processes, and what the plan allows', async () => {
    const { key, accountId } = await open('growth')
    const usage = (count: number, limit: number | null) => ({
      open: count,
      limit,
      remaining: limit === null ? null : limit - count,
    })
    expect((await ask({ key }, 'GET /v1/connections')).body).toMatchObject({
      account: `acc_${accountId}`,
      tier: 'growth',
      connections: { events: usage(0, 50), orderbook: usage(0, 50) },
      subscriptions: { firehose: usage(0, 50), filter_items_max: 10_000 },
      session_seconds: { events: 0, orderbook: 0, limit: null },
    })
    const client = await SocketClient.open(`${wsUrl}/ws?key=${key}`)
    onTestFinished(() => client.socket.terminate())
    client.send({ action: 'subscribe', type: 'trades' })
    await client.next(({ type }) => type === 'subscribed')
    expect((await ask({ key }, 'GET /v1/connections')).body).toMatchObject({
      connections: { events: usage(1, 50), orderbook: usage(0, 50) },
      subscriptions: { firehose: usage(1, 50) },
    })
  })

  test('401: without a key', async () => {
    expect((await t.app.inject('/v1/connections')).statusCode).toBe(401)
  })
})

describe('/v1/account/keys', () => {
  const list = async (sent: Sent) => (await ask(sent, 'GET /v1/account/keys')).body.keys

  test('200: keys with their last use, the one of the request marked, and no secret', async () => {
    const { key, keyId, cookie } = await open('growth')
    await t.ctx.usage.flush()
    const made = await ask({ key }, 'POST /v1/account/keys', { name: ' second ' })
    await ask({ key: made.body.api_key }, 'GET /v1/status')
    await t.ctx.usage.flush()
    const now = new Date(t.clock.now()).toISOString()
    const { body } = await ask({ cookie }, 'GET /v1/account/keys')
    expect(body).toEqual({
      keys: [
        {
          id: `key_${keyId}`,
          name: 'growth',
          hint: key.slice(-4),
          scope: 'full',
          created_at: now,
          expires_at: null,
          last_used_at: now,
          is_current: true,
        },
        expect.objectContaining({ name: 'second', last_used_at: now, is_current: false }),
      ],
      keys_max: 10,
    })
    expect(JSON.stringify(body)).not.toContain(key.slice(8, 40))
  })

  test('201: a key that works, shown once', async () => {
    const { cookie, accountId } = await open('growth')
    const { status, body, headers } = await ask({ cookie }, 'POST /v1/account/keys', {
      name: 'bot',
      scope: 'read',
    })
    expect([status, headers['cache-control']]).toEqual([201, 'no-store'])
    expect(body).toMatchObject({
      id: expect.stringMatching(/^key_\d+$/),
      name: 'bot',
      hint: body.api_key.slice(-4),
      scope: 'read',
      is_current: false,
    })
    expect((await ask({ key: body.api_key }, 'GET /v1/usage')).body.account).toBe(`acc_${accountId}`)
    const refused = await ask({ key: body.api_key }, 'POST /v1/account/keys', { name: 'x' })
    expect([refused.status, refused.body.error]).toEqual([403, expect.stringMatching(/read alone/)])
  })

  test('201: a key that is made with one that expires, expires with it', async () => {
    const { keyId, cookie } = await open('growth')
    const expiresAt = new Date(t.clock.now() + 3_600_000)
    await t.ctx.sql`update api_keys set expires_at = ${expiresAt} where id = ${keyId}`
    await t.ctx.keyRing.sync()
    const { body } = await ask({ cookie }, 'POST /v1/account/keys', { name: 'x' })
    expect(body.expires_at).toBe(expiresAt.toISOString())
    t.clock.advance(3_600_000)
    expect((await ask({ key: body.api_key }, 'GET /v1/usage')).status).toBe(403)
  })

  test.each([
    ['no name', {}, /name/],
    ['an empty name', { name: '  ' }, /'name'/],
    ['a name that turns the text', { name: 'a\u202e' }, /name/],
    ['an unknown scope', { name: 'x', scope: 'all' }, /scope/],
    ['a list', [], /JSON object/],
  ])('400: %s', async (_what, body, message) => {
    const { key } = await open('growth')
    const reply = await ask({ key }, 'POST /v1/account/keys', body)
    expect([reply.status, reply.body.error]).toEqual([400, expect.stringMatching(message)])
  })

  test('409: one more than the plan allows, also when many ask at once; a free account has its one key', async () => {
    const { key } = await open('starter')
    const replies = await Promise.all(
      Array.from({ length: 5 }, () => ask({ key }, 'POST /v1/account/keys', { name: 'x' })),
    )
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409, 409])
    expect(await list({ key })).toHaveLength(3)
    const free = await open('free')
    const refused = await ask({ key: free.key }, 'POST /v1/account/keys', { name: 'x' })
    expect([refused.status, refused.body.error]).toEqual([
      409,
      expect.stringMatching(/1 of the 1.*free plan/),
    ])
  })

  test('204: a revoked key ends at once, with its sessions; again it is revoked already', async () => {
    const { key, cookie } = await open('growth')
    const { body: made } = await ask({ cookie }, 'POST /v1/account/keys', { name: 'x' })
    const payload = { api_key: made.api_key }
    const signedIn = await t.app.inject({ method: 'POST', url: '/v1/session', payload })
    const second = { cookie: String(signedIn.headers['set-cookie']).split(';', 1)[0] ?? '' }
    expect((await ask(second, 'GET /v1/session')).status).toBe(200)
    for (const id of [made.id, made.id.slice(4)]) {
      const { status, body } = await ask({ cookie }, `DELETE /v1/account/keys/${id}`)
      expect([status, body]).toEqual([204, undefined])
    }
    expect((await ask({ key: made.api_key }, 'GET /v1/session')).status).toBe(403)
    expect((await ask(second, 'GET /v1/session')).status).toBe(401)
    expect(await list({ key })).toHaveLength(1)
  })

  test('204: a key may revoke itself', async () => {
    const { key, keyId, cookie } = await open('free')
    expect((await ask({ cookie }, `DELETE /v1/account/keys/key_${keyId}`)).status).toBe(204)
    expect((await ask({ cookie }, 'GET /v1/account/keys')).status).toBe(401)
    expect((await ask({ key }, 'GET /v1/account/keys')).status).toBe(403)
  })

  test('429: the 21st change within an hour, and nothing is changed', async () => {
    const { key, accountId } = await open('growth')
    for (let count = 0; count < 10; count++) {
      const { body } = await ask({ key }, 'POST /v1/account/keys', { name: 'x' })
      await ask({ key }, `DELETE /v1/account/keys/${body.id}`)
    }
    const refused = await ask({ key }, 'POST /v1/account/keys', { name: 'x' })
    expect([refused.status, refused.body]).toEqual([429, expect.objectContaining({ scope: 'account_keys' })])
    expect(refused.headers['retry-after']).toBe('3600')
    expect((await limitsOf({ key })).account_keys).toMatchObject({ used: 20, remaining: 0 })
    expect(await t.ctx.sql`select from api_keys where account_id = ${accountId}`).toHaveLength(11)
    t.clock.advance(3_600_000)
    expect((await ask({ key }, 'POST /v1/account/keys', { name: 'x' })).status).toBe(201)
  })
})

describe('GET /v1/account/usage', () => {
  test('200: by day and by operation, of all keys, with what was refused', async () => {
    t.clock.set(Date.UTC(2026, 10, 19, 23, 59, 59))
    const today = '2026-11-20'
    const account = await open('free')
    const { key, cookie } = account
    await ask({ key }, 'GET /v1/status')
    t.clock.advance(1_000)
    for (let count = 0; count < 61; count++) await ask({ key }, 'GET /v1/usage')
    t.ctx.usage.addTransfer(account, 'ws_onchain', 5_000)
    await t.ctx.usage.flush()
    t.clock.advance(60_000)
    const { body } = await ask({ cookie }, 'GET /v1/account/usage?days=3')
    const idle = { requests: 0, bytes: 0, refused: 0, failed: 0 }
    expect(body).toEqual({
      from: '2026-11-18',
      to: today,
      total: { requests: 60, bytes: 5_000, refused: 2, failed: 0 },
      days: [
        { day: '2026-11-18', ...idle },
        { day: '2026-11-19', ...idle, requests: 1 },
        { day: today, requests: 59, bytes: 5_000, refused: 2, failed: 0 },
      ],
      operations: [
        { operation: 'getUsage', ...idle, requests: 59, refused: 2 },
        { operation: 'getStatus', ...idle, requests: 1 },
        { operation: 'ws_onchain', ...idle, bytes: 5_000 },
      ],
    })
    const one = (await ask({ cookie }, 'GET /v1/account/usage?days=1&operation=getUsage')).body
    expect([one.days, one.operations.length]).toEqual([[{ day: today, ...one.total }], 1])
  })

  test('200: the bytes of answers are those that the connection sent', async () => {
    const { key } = await open('growth')
    const { port } = t.app.server.address() as AddressInfo
    const url = `http://127.0.0.1:${port}`
    const headers = { 'x-api-key': key, 'accept-encoding': 'identity' }
    // Of a document for everybody on the same connection nothing is counted.
    await (await fetch(`${url}/openapi.json`)).text()
    const { length } = await (await fetch(`${url}/v1/plans`, { headers })).text()
    const status = await (await fetch(`${url}/v1/status`, { headers })).text()
    await t.ctx.usage.flush()
    const { operations } = (await ask({ key }, 'GET /v1/account/usage')).body
    expect(operations).toHaveLength(1)
    expect(operations[0]).toMatchObject({ operation: 'getStatus', requests: 1 })
    expect(operations[0].bytes).toBeGreaterThan(status.length)
    expect(operations[0].bytes).toBeLessThan(status.length + 2_000)
    expect(length).toBeGreaterThan(2_000)
  })

  test.each(['days=0', 'days=401', 'days=x', `operation=${'x'.repeat(101)}`])('400: %s', async (query) => {
    const { key } = await open('growth')
    const { status, body } = await ask({ key }, `GET /v1/account/usage?${query}`)
    expect([status, body.error]).toEqual([400, expect.stringMatching(query.split('=', 1)[0] ?? '')])
  })

  test('days are forgotten after 400 of them', async () => {
    const { accountId, key } = await open('growth')
    const insert = (day: string) => t.ctx.sql`
      insert into usage_operations values (${accountId}, ${day}, 'getUsage', 1, 1, 0, 0)`
    const dayBefore = (days: number) => new Date(t.clock.now() - days * 86_400_000).toISOString().slice(0, 10)
    await insert(dayBefore(399))
    await insert(dayBefore(401))
    await jobOf(t.domains, 'tidying').run({} as never)
    expect((await ask({ key }, 'GET /v1/account/usage?days=400')).body.total.requests).toBe(1)
    expect(await t.ctx.sql`select from usage_operations where account_id = ${accountId}`).toHaveLength(1)
  })
})

describe('another account', () => {
  const WEBHOOK_PATHS = [
    'GET /v3/webhooks/{id}',
    'PUT /v3/webhooks/{id}',
    'DELETE /v3/webhooks/{id}',
    'GET /v3/webhooks/{id}/deliveries',
    'POST /v3/webhooks/{id}/test',
    'POST /v3/webhooks/{id}/rotate-secret',
    'POST /v3/webhooks/{id}/recover',
    'POST /v3/webhooks/{id}/deliveries/evt_00000000-0000-4000-8000-000000000000/resend',
  ]
  const BODIES: Record<string, object> = {
    PUT: { description: 'mine' },
    recover: { since: '2026-11-15T00:00:00Z' },
  }
  const bodyOf = (request: string) => Object.entries(BODIES).find(([part]) => request.includes(part))?.[1]

  test('sees and changes nothing of it, on any path, with a key or with a session', async () => {
    const owner = await open('growth')
    const stranger = await open('growth')
    await ask({ key: owner.key }, 'GET /v1/usage')
    await t.ctx.usage.flush()
    for (const sent of [{ key: stranger.key }, { cookie: stranger.cookie }]) {
      expect((await ask(sent, 'GET /v1/account')).body.id).toBe(`acc_${stranger.accountId}`)
      expect((await ask(sent, 'GET /v1/session')).body.account.id).toBe(`acc_${stranger.accountId}`)
      const { keys } = (await ask(sent, 'GET /v1/account/keys')).body
      expect(keys.map(({ id }: { id: string }) => id)).toEqual([`key_${stranger.keyId}`])
      // The stranger's own requests are not written yet.
      expect((await ask(sent, 'GET /v1/account/usage')).body.total.requests).toBe(0)
      const refused = await ask(sent, `DELETE /v1/account/keys/key_${owner.keyId}`)
      const unknown = await ask(sent, 'DELETE /v1/account/keys/key_999999999')
      expect([refused.status, unknown.status]).toEqual([404, 404])
      expect(refused.body.error.replace(`${owner.keyId}`, '999999999')).toBe(unknown.body.error)
    }
    expect((await ask({ key: owner.key }, 'GET /v1/session')).status).toBe(200)
  })

  test('gets the answer of an unknown webhook on each of its paths, with a session too', async () => {
    const owner = await open('growth')
    const stranger = await open('growth')
    const { body: webhook } = await ask({ cookie: owner.cookie }, 'POST /v3/webhooks', NEW_WEBHOOK)
    expect(webhook.id).toMatch(/^wh_/)
    expect((await ask({ cookie: stranger.cookie }, 'GET /v3/webhooks')).body.webhooks).toEqual([])
    for (const request of WEBHOOK_PATHS) {
      const asked = await ask(
        { cookie: stranger.cookie },
        request.replace('{id}', webhook.id),
        bodyOf(request),
      )
      const unknown = await ask(
        { cookie: stranger.cookie },
        request.replace('{id}', 'wh_000000000000'),
        bodyOf(request),
      )
      expect([request, asked.status, asked.body]).toEqual([request, 404, unknown.body])
    }
    const { body } = await ask({ cookie: owner.cookie }, `GET /v3/webhooks/${webhook.id}`)
    expect(body).toMatchObject({ id: webhook.id, active: true })
    expect((await ask({ cookie: owner.cookie }, `DELETE /v3/webhooks/${webhook.id}`)).status).toBe(200)
  })

  test.each([
    'GET /v1/account',
    'GET /v1/account/keys',
    'POST /v1/account/keys',
    'DELETE /v1/account/keys/key_1',
    'GET /v1/account/usage',
    'GET /v1/session',
  ])('401: %s without key and session', async (request) => {
    const [method, url] = request.split(' ')
    const reply = await t.app.inject({ method: method as 'GET', url: url ?? '' })
    expect(reply.statusCode).toBe(401)
  })
})
