import { once } from 'node:events'
import { connect } from 'node:net'
import type { FastifyPluginAsync } from 'fastify'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createTestApp, type TestApp, type TestContext } from '../../test/test-app.js'
import { until } from '../../test/until.js'
import { accountRoutes } from '../account-api/routes.js'
import { PROBE, STANDARD } from '../accounts/access.js'
import { pause } from '../lib/timing.js'
import { transact } from '../store/transaction.js'
import { awaitLargeAnswerSlot } from './await-large-answer-slot.js'

const SLOW_MS = 200
/** Longer than `SLOW_MS`, with room for timers that are early. */
const LONG_MS = 300
const LARGE_BYTES = 30 * 1024 * 1024

const access = STANDARD

const testRoutes =
  (ctx: TestContext): FastifyPluginAsync =>
  async (app) => {
    app.get('/large', { config: { access } }, async (request, reply) => {
      await awaitLargeAnswerSlot(ctx.largeAnswers, request, reply)
      return reply.type('text/plain').send(Buffer.alloc(LARGE_BYTES, 'a'))
    })
    app.get('/query', { config: { access: PROBE } }, async (request) => ({
      rows: (await request.readSql()`select 1`).length,
    }))
    app.post('/transaction', { config: { access } }, async (request) => {
      const answer = await transact(request.readSql(), async function selectSlowly(tx) {
        return await tx`select pg_sleep(${LONG_MS / 1000})`
      })
      return { rows: answer.length }
    })
  }

let t: TestApp
let port: number
let key: string
let accountId: number

beforeAll(async () => {
  t = await createTestApp({
    config: { slowRequestMs: SLOW_MS },
    routes: (ctx) => [accountRoutes(ctx, ctx), testRoutes(ctx)],
  })
  await t.app.listen({ host: '127.0.0.1', port: 0 })
  ;({ port } = t.app.server.address() as { port: number })
})
afterAll(() => t.close())
beforeEach(async () => {
  ;({ key, accountId } = await t.createCaller('starter'))
  t.ctx.floodLog.flush()
  t.ctx.floodLog.flush()
  t.logged.length = 0
})

/** What the log says of the first slow request. */
async function firstLine() {
  await until(() => slowLines().length > 0)
  return slowLines()[0] ?? {}
}

/** What the log says of slow requests. */
const slowLines = () =>
  t.logged
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ msg }) => msg === 'slow request')

const ask = (path: string, init: RequestInit = {}) =>
  fetch(`http://127.0.0.1:${port}${path}`, { ...init, headers: { 'x-api-key': key } })

/** Waits until a query waits for the lock, and then for longer than requests may take. */
async function waitForLock(): Promise<void> {
  const waiting = () => t.ctx.sql`select from pg_locks where not granted and locktype = 'relation'`
  while ((await waiting()).length === 0) await pause(5)
  await pause(LONG_MS)
}

/** Holds a lock that reads of the usage wait for, until the returned function is called. */
async function lockUsage(): Promise<() => Promise<void>> {
  const released = new AbortController()
  return await new Promise((resolve, reject) => {
    const done = transact(t.ctx.sql, async (tx) => {
      await tx`lock table usage in access exclusive mode`
      resolve(async () => {
        released.abort()
        await done
      })
      await pause(60_000, released.signal)
    })
    done.catch(reject)
  })
}

test('a query that waits for a lock is database time, with the name of its function', async () => {
  const unlock = await lockUsage()
  const answer = fetch(`http://127.0.0.1:${port}/v1/usage?key=${key}`)
  await waitForLock()
  await unlock()
  expect((await answer).status).toBe(200)

  const line = await firstLine()
  expect(line).toMatchObject({
    level: 'warn',
    method: 'GET',
    route: '/v1/usage',
    status: 200,
    account: accountId,
    query: 'selectUsage',
  })
  expect(line.database_ms).toBeGreaterThanOrEqual(SLOW_MS)
  expect(line.query_ms).toBeGreaterThanOrEqual(SLOW_MS)
  const parts = ['waiting_ms', 'database_ms', 'rendering_ms', 'sending_ms']
  const sum = parts.reduce((total, part) => total + Number(line[part]), 0)
  expect(Math.abs(sum - Number(line.ms))).toBeLessThanOrEqual(parts.length)
  expect(t.logged.join('')).not.toContain(key)
})

test('a request whose client left is logged too, with the query that still runs', async () => {
  const unlock = await lockUsage()
  const leaving = new AbortController()
  const answer = ask('/v1/usage', { signal: leaving.signal })
  await waitForLock()
  leaving.abort()
  await expect(answer).rejects.toThrow()
  expect(await firstLine()).toMatchObject({ status: 499, query: 'selectUsage' })
  await unlock()
})

test('a query of a transaction has the name of its function, also after a body was read', async () => {
  const init = { method: 'POST', body: '{}' }
  const headers = { 'x-api-key': key, 'content-type': 'application/json' }
  const answer = await fetch(`http://127.0.0.1:${port}/transaction`, { ...init, headers })
  expect(answer.status).toBe(200)
  const line = await firstLine()
  expect(line).toMatchObject({ route: '/transaction', query: 'selectSlowly' })
  expect(line.database_ms).toBeGreaterThanOrEqual(SLOW_MS)
})

test('a request without a free connection waits', async () => {
  const { sql } = t.ctx
  const others = Array.from({ length: sql.options.max }, () => sql`select pg_sleep(0.4)`.execute())
  await ask('/query')
  await Promise.all(others)
  const line = await firstLine()
  expect(line.waiting_ms).toBeGreaterThanOrEqual(SLOW_MS)
  expect(line.database_ms).toBeLessThan(SLOW_MS)
})

test('a large answer waits for those before it', async () => {
  const { largeAnswers, plans } = t.ctx
  const plan = plans.find('starter')
  if (plan === undefined) throw new Error('the plan is missing')
  const before = new AbortController()
  for (let count = 0; count < plan.largeAnswersMax; count++) {
    await largeAnswers.enter({ accountId, plan }, before.signal)
  }
  setTimeout(() => before.abort(), LONG_MS)
  await (await ask('/large')).arrayBuffer()
  const line = await firstLine()
  expect(line.waiting_ms).toBeGreaterThanOrEqual(SLOW_MS)
})

test('a client that reads slowly makes the sending long, and a flood of lines becomes a count', async () => {
  for (let count = 0; count < 3; count++) {
    const socket = connect(port, '127.0.0.1')
    socket.write(`GET /large HTTP/1.1\r\nhost: a\r\nx-api-key: ${key}\r\nconnection: close\r\n\r\n`)
    await once(socket, 'readable')
    await pause(LONG_MS)
    socket.resume()
    await once(socket, 'close')
  }
  await until(() => slowLines().length === 3)
  const line = await firstLine()
  expect(line.sending_ms).toBeGreaterThanOrEqual(SLOW_MS)
  expect(line.waiting_ms).toBeLessThan(SLOW_MS)

  t.ctx.floodLog.flush()
  expect(slowLines().map(({ level, repeated }) => [level, repeated])).toEqual([
    ['warn', undefined],
    ['debug', undefined],
    ['debug', undefined],
    ['warn', 2],
  ])
  const metrics = await t.ctx.metrics.getSingleMetricAsString('auspex_slow_requests_total')
  expect(metrics).toMatch(/part="sending"} [1-3]/)
})
