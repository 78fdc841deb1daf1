import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { listenSockets } from '../../../test/socket-client.js'
import { createTestApp, type TestApp } from '../../../test/test-app.js'
import { transact } from '../../store/transaction.js'
import { enqueue } from '../deliver/enqueue.js'
import { draftsOf, selectAttempts, selectDeliveries, type TestWebhook } from '../deliver/test-webhook.js'
import { deleteUnpolledListeners } from './queries.js'
import { listenerRoutes } from './routes.js'

const PATH = '/v3/webhooks/listeners'
const WISH = { event_types: ['trade'], filters: { min_amount_usd: 5 } }

let t: TestApp
let url: URL
beforeAll(async () => {
  t = await createTestApp({ routes: (ctx) => [listenerRoutes(ctx, ctx)] })
  url = new URL((await listenSockets(t.app)).replace('ws', 'http'))
})
afterAll(() => t.close())

type Method = 'GET' | 'POST' | 'DELETE'

async function openAccount() {
  const { key, accountId } = await t.createCaller('starter')
  const ask = async (method: Method, path: string, payload?: object) => {
    const request = { method, url: `${PATH}${path}`, headers: { 'x-api-key': key } }
    const reply = await t.app.inject({ ...request, ...(payload && { payload }) })
    return { status: reply.statusCode, body: reply.json() }
  }
  const listen = async (wish: object = WISH): Promise<TestWebhook & { secret: string }> => {
    const { status, body } = await ask('POST', '', wish)
    expect(status, JSON.stringify(body)).toBe(201)
    const [row] = await t.ctx.sql<{ id: number }[]>`select id from webhooks where name = ${body.id}`
    return { id: row?.id ?? 0, accountId, publicId: body.id, secret: body.secret }
  }
  return { key, accountId, ask, listen }
}

const add = (listener: TestWebhook, count: number, from = 0) =>
  transact(t.ctx.sql, (tx) =>
    enqueue(tx, draftsOf(listener, count, from), { plans: t.ctx.plans, nowMs: t.clock.now() }),
  )

const resultOf = (eventId: string, more: object = {}) => ({
  event_id: eventId,
  success: true,
  status_code: 204,
  latency_ms: 7,
  error: null,
  ...more,
})

describe(`POST ${PATH}`, () => {
  test('201: a listener with a secret, which is no webhook of the plan', async () => {
    const { listen } = await openAccount()
    const listener = await listen()
    expect(listener.publicId).toMatch(/^wh_[0-9a-f]{12}$/)
    expect(listener.secret).toMatch(/^whsec_[0-9a-f]{32}$/)
    const [row] = await t.ctx.sql`
      select event_types, filters::text, active, polled_at from webhooks where id = ${listener.id}`
    expect(row).toEqual({
      eventTypes: ['trade'],
      filters: '{"min_amount_usd": 5}',
      active: true,
      polledAt: new Date(t.clock.now()),
    })
  })

  test('201: with a secret of the caller', async () => {
    const { listen } = await openAccount()
    const secret = 'whsec_0123456789abcdef'
    expect(await listen({ ...WISH, secret })).toMatchObject({ secret })
  })

  test.each([
    ['no event types', {}, 'invalid_event_types'],
    ['an unknown event type', { event_types: ['trades'] }, 'invalid_event_types'],
    ['a wrong filter', { ...WISH, filters: { side: 'UP' } }, 'invalid_filters'],
    ['a required filter missing', { event_types: ['pnl_change'] }, 'missing_required_filter'],
    ['a short secret', { ...WISH, secret: 'short' }, 'invalid_secret'],
  ])('400: %s', async (_what, wish, error) => {
    const { ask } = await openAccount()
    expect(await ask('POST', '', wish)).toMatchObject({ status: 400, body: { error } })
  })

  test('400: a body that is no object; 402: the free plan; 401: no key', async () => {
    const { ask } = await openAccount()
    expect(await ask('POST', '', [])).toMatchObject({ status: 400 })
    const { key } = await t.createCaller('free')
    const free = {
      method: 'POST',
      url: PATH,
      headers: { 'x-api-key': key },
      payload: WISH,
    } as const
    expect((await t.app.inject(free)).statusCode).toBe(402)
    expect((await t.app.inject({ method: 'POST', url: PATH, payload: WISH })).statusCode).toBe(401)
  })

  test('403: a fourth one, until one is gone', async () => {
    const { ask, listen } = await openAccount()
    const made = await Promise.all([1, 2, 3, 4, 5].map(() => ask('POST', '', WISH)))
    expect(made.map(({ status }) => status).sort()).toEqual([201, 201, 201, 403, 403])
    const { id } = made.find(({ status }) => status === 201)?.body ?? {}
    expect(await ask('DELETE', `/${id}`)).toMatchObject({ status: 200, body: { deleted: true } })
    await listen()
  })
})

describe(`GET ${PATH}/{id}/events`, () => {
  test('200: what waits, oldest first, until it is confirmed', async () => {
    const { ask, listen } = await openAccount()
    const listener = await listen()
    await add(listener, 2)
    t.clock.advance(1_000)
    await add(listener, 1, 2)
    const [first, second, third] = draftsOf(listener, 3)
    const { status, body } = await ask('GET', `/${listener.publicId}/events`)
    expect(status).toBe(200)
    expect(body.events).toHaveLength(3)
    expect(body.events[2]).toEqual({
      event_id: `evt_${third?.eventId}`,
      event_type: 'trade',
      body: third?.body,
      created_at: new Date(t.clock.now()).toISOString(),
    })
    expect(
      body.events
        .slice(0, 2)
        .map((event: { body: string }) => event.body)
        .sort(),
    ).toEqual([first?.body, second?.body].sort())
    const limited = await ask('GET', `/${listener.publicId}/events?limit=1`)
    expect(limited.body.events).toHaveLength(1)

    const results = [resultOf(`evt_${first?.eventId}`), resultOf(`evt_${second?.eventId}`)]
    await ask('POST', `/${listener.publicId}/results`, { results })
    const left = await ask('GET', `/${listener.publicId}/events`)
    expect(left.body.events).toMatchObject([{ event_id: `evt_${third?.eventId}` }])
  })

  test('200: no more than a megabyte, and at least one', async () => {
    const { ask, listen } = await openAccount()
    const listener = await listen()
    const drafts = draftsOf(listener, 3).map((draft) => ({ ...draft, body: 'x'.repeat(600_000) }))
    await transact(t.ctx.sql, (tx) => enqueue(tx, drafts, { plans: t.ctx.plans, nowMs: t.clock.now() }))
    const { body } = await ask('GET', `/${listener.publicId}/events`)
    expect(body.events).toHaveLength(2)
  })

  test('200: waits for the first event, and no longer than it was asked to', async () => {
    const { ask, listen } = await openAccount()
    const listener = await listen()
    expect(await ask('GET', `/${listener.publicId}/events?wait_ms=300`)).toMatchObject({
      body: { events: [] },
    })
    const waiting = ask('GET', `/${listener.publicId}/events?wait_ms=25000`)
    await add(listener, 1)
    expect((await waiting).body.events).toHaveLength(1)
  })

  test('429: a fourth request that waits; one whose client is gone does not count', async () => {
    const { key, ask, listen } = await openAccount()
    const { publicId } = await listen()
    const request = `GET ${PATH}/${publicId}/events?wait_ms=25000 HTTP/1.1\r\nhost: h\r\nx-api-key: ${key}\r\n\r\n`
    const sockets = [1, 2, 3].map(() => connect(Number(url.port), url.hostname))
    for (const socket of sockets) {
      socket.write(request)
      // One that meets a request of `answers` is itself the fourth, and asks again.
      socket.on('data', () => socket.write(request))
    }
    const answers = (status: number) =>
      vi.waitFor(async () => expect((await ask('GET', `/${publicId}/events`)).status).toBe(status), {
        timeout: 60_000,
        interval: 200,
      })
    await answers(429)
    for (const socket of sockets) socket.destroy()
    await answers(200)
  })

  test.each(['wait_ms=-1', 'wait_ms=25001', 'wait_ms=x', 'limit=0', 'limit=101'])(
    '400: %s',
    async (query) => {
      const { ask, listen } = await openAccount()
      const { publicId } = await listen()
      expect((await ask('GET', `/${publicId}/events?${query}`)).status).toBe(400)
    },
  )
})

describe(`POST ${PATH}/{id}/results`, () => {
  test('200: ends deliveries and writes the history, once', async () => {
    const { ask, listen } = await openAccount()
    const listener = await listen()
    await add(listener, 3)
    const [good, bad] = draftsOf(listener, 3).map(({ eventId }) => `evt_${eventId}`)
    const failure = { success: false, status_code: null, latency_ms: 5000, error: 'timeout' }
    const results = [resultOf(good ?? ''), resultOf(bad ?? '', failure), resultOf(good ?? '')]
    const confirm = () => ask('POST', `/${listener.publicId}/results`, { results })
    expect(await confirm()).toEqual({ status: 200, body: { recorded: 2 } })
    expect(await confirm()).toEqual({ status: 200, body: { recorded: 0 } })
    const rows = await selectDeliveries(t.ctx.sql, listener)
    expect(rows.map(({ state }) => state)).toEqual(['delivered', 'failed', 'pending'])
    const attempts = await selectAttempts(t.ctx.sql, listener)
    expect(attempts.map(({ success, statusCode, error }) => [success, statusCode, error])).toEqual(
      expect.arrayContaining([
        [true, 204, null],
        [false, null, 'timeout'],
      ]),
    )
    expect(attempts).toHaveLength(2)
  })

  test.each([
    ['no results', { results: [] }],
    ['too many', { results: Array.from({ length: 101 }, () => resultOf(EVENT)) }],
    ['no list', { results: 'all' }],
    ['an id that is none', { results: [resultOf('evt_1')] }],
    ['a status that is none', { results: [resultOf(EVENT, { status_code: 7 })] }],
    ['a latency that is none', { results: [resultOf(EVENT, { latency_ms: -1 })] }],
    ['an error with a null character', { results: [resultOf(EVENT, { error: '\0' })] }],
    ['an error with half a character', { results: [resultOf(EVENT, { error: '\ud800' })] }],
    ['an error without end', { results: [resultOf(EVENT, { error: 'x'.repeat(501) })] }],
  ])('400: %s', async (_what, body) => {
    const { ask, listen } = await openAccount()
    const listener = await listen()
    await add(listener, 1)
    const waiting = JSON.stringify(body).replaceAll(EVENT, `evt_${draftsOf(listener, 1)[0]?.eventId}`)
    const reply = await ask('POST', `/${listener.publicId}/results`, JSON.parse(waiting))
    expect(reply.status).toBe(400)
  })
})

describe('a listener', () => {
  const asks = (publicId: string): [Method, string, object?][] => [
    ['GET', `/${publicId}/events`],
    ['POST', `/${publicId}/results`, { results: [resultOf(EVENT)] }],
    ['DELETE', `/${publicId}`],
  ]

  test('404: of another account, one that never was, and one that is deleted', async () => {
    const { ask, listen } = await openAccount()
    const stranger = await openAccount()
    const { publicId } = await listen()
    for (const request of asks(publicId)) expect((await stranger.ask(...request)).status).toBe(404)
    for (const request of asks('wh_000000000000')) expect((await ask(...request)).status).toBe(404)
    await ask('DELETE', `/${publicId}`)
    for (const request of asks(publicId)) expect((await ask(...request)).status).toBe(404)
  })

  test('ends when it was not asked for two minutes', async () => {
    const { ask, listen } = await openAccount()
    const { publicId } = await listen()
    const isThere = async () => (await ask('GET', `/${publicId}/events`)).status === 200
    t.clock.advance(119_000)
    await deleteUnpolledListeners(t.ctx.sql, t.ctx.clock.now())
    expect(await isThere()).toBe(true)
    t.clock.advance(119_000)
    await deleteUnpolledListeners(t.ctx.sql, t.ctx.clock.now())
    expect(await isThere()).toBe(true)
    t.clock.advance(121_000)
    await deleteUnpolledListeners(t.ctx.sql, t.ctx.clock.now())
    expect(await isThere()).toBe(false)
  })
})

const EVENT = 'evt_00000000-0000-8000-8000-000000000000'
