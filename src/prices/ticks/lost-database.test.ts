import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { until } from '../../../test/until.js'
import type { Pool } from '../../store/connection.js'
import { makeTick, NOON_SEC } from '../archive/test-archive.js'
import { openTickApp, openTwin, type TickApp, toQuery, watchQueries } from './test-tick-app.js'

const SPAN_SEC = 8 * 3_600
const RANGE = { from: NOON_SEC * 1000, to: (NOON_SEC + SPAN_SEC) * 1000 }

let t: TickApp
beforeAll(async () => {
  t = await openTickApp()
  const secs = Array.from({ length: SPAN_SEC / 60 }, (_, index) => NOON_SEC + index * 60)
  await t.insert(...secs.map((sec) => makeTick(sec)))
  await t.packAt(NOON_SEC + 2 * SPAN_SEC)
})
afterAll(() => t.close())

/** How many queries were sent: of its state first, then of blocks of two hours. */
let queries: number
beforeEach(() => {
  queries = 0
})

/** An app whose database is gone from that query on. */
async function openLosing(lostFrom: number): Promise<FastifyInstance> {
  const sql = watchQueries(t.ctx.sql, () => {
    queries++
    if (queries >= lostFrom) throw Object.assign(new Error('gone'), { code: 'CONNECTION_CLOSED' })
  })
  return openUntilEnd(sql)
}

/** Closed when the test ends. */
async function openUntilEnd(sql: Pool): Promise<FastifyInstance> {
  const app = await openTwin(t, sql)
  onTestFinished(() => app.close())
  return app
}

async function ask(app: FastifyInstance, encoding = 'identity'): Promise<IncomingMessage> {
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const path = `/v1/crypto/ticks?${toQuery(RANGE)}`
  const headers = { ...t.headers, 'accept-encoding': encoding }
  const sent = request({ port, host: '127.0.0.1', path, headers }).end()
  const [response] = await once(sent, 'response')
  return response
}

describe('GET /v1/crypto/ticks', () => {
  test.each([
    ['before anything is known', 1],
    ['before the first tick', 2],
  ])('503: the database is lost %s', async (_when, lostFrom) => {
    const reply = await t.get(toQuery(RANGE), await openLosing(lostFrom))
    expect(reply.statusCode).toBe(503)
    expect(reply.headers['retry-after']).toBe('1')
    expect(reply.json()).toEqual({ error: 'The database is not available.' })
  })

  test('200 and cut off: the database is lost later, and what has come is no JSON', async () => {
    const response = await ask(await openLosing(3))
    expect(response.statusCode).toBe(200)
    let body = ''
    response.on('data', (chunk) => {
      body += chunk
    })
    const [error] = await once(response, 'error')
    expect(error).toMatchObject({ code: 'ECONNRESET' })
    expect(response.complete).toBe(false)
    expect(body).toMatch(/^\{"symbol":"BTC".*"ticks":\[\{"id":/)
    expect(() => JSON.parse(body)).toThrow(SyntaxError)
  })

  // Whether anything was sent by then is up to the compressor.
  test.each(['gzip', 'br'])(
    '503, or 200 and cut off: the database is lost later, in an answer in %s',
    async (encoding) => {
      const response = await ask(await openLosing(3), encoding)
      if (response.statusCode === 200) {
        const [error] = await once(response.resume(), 'error')
        expect(error).toMatchObject({ code: 'ECONNRESET' })
        expect(response.complete).toBe(false)
        return
      }
      expect(response.statusCode).toBe(503)
      expect(response.headers).not.toHaveProperty('content-encoding')
      expect(JSON.parse(await text(response))).toEqual({ error: 'The database is not available.' })
    },
  )

  test('200: after a client leaves no more queries are sent', async () => {
    const waiting: (() => void)[] = []
    const sql = watchQueries(t.ctx.sql, async () => {
      queries++
      if (queries >= 3) await new Promise<void>((resolve) => waiting.push(resolve))
    })
    const app = await openUntilEnd(sql)
    const closed = new Promise<void>((resolve) => {
      app.server.on('request', (_request, response) => response.on('close', resolve))
    })
    const response = await ask(app)
    await until(() => waiting.length === 1)
    response.destroy()
    await closed
    for (const go of waiting) go()
    // In the time of whole answers it would have queried the rest.
    for (const other of [t.app, await openUntilEnd(t.ctx.sql)]) {
      expect((await t.read(RANGE, other)).count).toBe(SPAN_SEC / 60)
    }
    expect(queries).toBe(3)
  })
})
