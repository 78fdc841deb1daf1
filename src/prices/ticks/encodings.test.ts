import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeTicks, NOON_SEC } from '../archive/test-archive.js'
import { openTickApp, openTwin, type TickApp, toQuery, watchQueries } from './test-tick-app.js'

let t: TickApp
let app: FastifyInstance
/** How many queries about ticks there were. */
let queries = 0
beforeAll(async () => {
  t = await openTickApp()
  const sql = watchQueries(t.ctx.sql, () => {
    queries++
  })
  app = await openTwin(t, sql)
  await t.insert(...makeTicks(NOON_SEC, 2_000))
  await t.packAt(NOON_SEC + 2_000)
})
afterAll(async () => {
  await app.close()
  await t.close()
})

const FROM_MS = NOON_SEC * 1000

// The larger one is sent as a stream.
describe.each([
  ['small', { from: FROM_MS, to: FROM_MS + 60_000 }, 61],
  ['large', { from: FROM_MS, to: FROM_MS + 3_600_000 }, 2_000],
])('GET /v1/crypto/ticks, a %s answer', (_size, range, count) => {
  const ask = (method: 'GET' | 'HEAD', encoding?: string) =>
    app.inject({
      method,
      url: `/v1/crypto/ticks?${toQuery(range)}`,
      headers: { ...t.headers, ...(encoding && { 'accept-encoding': encoding }) },
    })

  test('200: as it is', async () => {
    const plain = await ask('GET')
    expect(plain.headers).not.toHaveProperty('content-encoding')
    expect(plain.json().ticks).toHaveLength(count)
  })

  test.each([
    ['gzip', gunzipSync],
    ['br', brotliDecompressSync],
  ])('200: the same bytes with %s', async (encoding, decompress) => {
    const plain = await ask('GET')
    const packed = await ask('GET', encoding)
    expect(packed.headers).toMatchObject({ 'content-encoding': encoding, vary: 'accept-encoding' })
    expect(packed.rawPayload.length).toBeLessThan(plain.rawPayload.length / 4)
    expect(decompress(packed.rawPayload).equals(plain.rawPayload)).toBe(true)
  })

  test.each([undefined, 'gzip'])('200: HEAD has no body, and reads none, %s', async (encoding) => {
    queries = 0
    const reply = await ask('HEAD', encoding)
    expect(queries).toBe(0)
    expect(reply.statusCode).toBe(200)
    expect(reply.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(reply.body).toBe('')
  })
})
