import { get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as nextIteration } from 'node:timers/promises'
import { promisify } from 'node:util'
import { brotliCompressSync, constants } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { makeTicks, NOON_SEC } from '../archive/test-archive.js'
import { openTickApp, openTwin, type TickApp, toQuery, watchQueries } from './test-tick-app.js'

const FROM_MS = NOON_SEC * 1000
const LARGE = toQuery({ from: FROM_MS, to: FROM_MS + 3_600_000 })
const SMALL = toQuery({ from: FROM_MS, to: FROM_MS + 599_000 })

let t: TickApp
let app: FastifyInstance
/** While it is there, the database answers no question about ticks. */
let held: Promise<void> | undefined
let release = () => {}
let queries = 0
let free: string
let other: string
beforeAll(async () => {
  t = await openTickApp()
  await t.insert(...makeTicks(NOON_SEC, 2_000))
  await t.packAt(NOON_SEC + 2_000)
  free = (await t.createCaller('free')).key
  other = (await t.createCaller('free')).key
  const sql = watchQueries(t.ctx.sql, async () => {
    queries++
    await held
  })
  app = await openTwin(t, sql)
  await app.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(async () => {
  await app.close()
  await t.close()
})
beforeEach(() => {
  // Past the minute of the rate limit, and past what is trusted of the archive.
  t.clock.advance(61_000)
  queries = 0
  held = new Promise((resolve) => {
    release = resolve
  })
})

const ask = (key: string, query = LARGE, method: 'GET' | 'HEAD' = 'GET') => {
  const headers = { 'x-api-key': key, 'accept-encoding': 'br' }
  return app.inject({ method, url: `/v1/crypto/ticks?${query}`, headers })
}

async function untilQueried(times: number): Promise<void> {
  while (queries < times) await nextIteration()
}

async function untilConnected(count: number): Promise<void> {
  const countConnections = promisify(app.server.getConnections.bind(app.server))
  while ((await countConnections()) !== count) await nextIteration()
}

test('429: more large answers at a time than the plan allows and than may wait', async () => {
  const inTime = Array.from({ length: 8 }, () => ask(free))
  await untilQueried(2)
  const late = await ask(free)
  expect(late.statusCode).toBe(429)
  expect(late.headers['retry-after']).toBe('2')
  expect(late.json()).toEqual({
    error: 'At most 2 large answers at a time on the free plan; 6 more may wait. Retry in 2 seconds.',
    scope: 'large_answers',
  })
  // Small answers and answers without a body do not wait for a slot, nor do other accounts.
  expect((await ask(free, LARGE, 'HEAD')).statusCode).toBe(200)
  const [small, others] = [ask(free, SMALL), ask(other)]
  await untilQueried(4)
  release()
  const replies = await Promise.all([...inTime, small, others])
  expect(replies.map(({ statusCode }) => statusCode)).toEqual(Array(10).fill(200))
})

test('a client that leaves frees its slot', async () => {
  const { port } = app.server.address() as AddressInfo
  const path = `/v1/crypto/ticks?${LARGE}`
  const leaving = Array.from({ length: 8 }, () => {
    const request = get({ port, path, headers: { 'x-api-key': other }, agent: false })
    return request.on('error', () => undefined)
  })
  await untilQueried(2)
  await untilConnected(8)
  for (const request of leaving) request.destroy()
  await untilConnected(0)
  release()
  expect((await ask(other)).statusCode).toBe(200)
})

test('a stream is compressed with a window of 256 KiB: that is most of its memory', async () => {
  held = undefined
  const { rawPayload } = await ask(free)
  const params = { [constants.BROTLI_PARAM_LGWIN]: 18 }
  const windowBits = (bytes: Buffer) => (bytes[0] ?? 0) & 0b1111
  expect(windowBits(rawPayload)).toBe(windowBits(brotliCompressSync('x', { params })))
})
