import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestApp } from '../../test/test-app.js'

let t: Awaited<ReturnType<typeof createTestApp>>
let key: string
beforeAll(async () => {
  t = await createTestApp()
  key = (await t.createCaller('starter')).key
})
afterAll(() => t.close())

const WALLET = `/v3/wallets/0x${'1'.repeat(40)}`

describe.each([
  ['GET', '/v3/perps', /chain that this service reads/],
  ['GET', '/v3/perps/markets', /chain that this service reads/],
  ['GET', '/v3/perps/markets/BTC/candles?resolution=1h', /chain that this service reads/],
  ['GET', `${WALLET}/rewards`, /owner of the wallet/],
  ['GET', `${WALLET}/credits`, /distributors/],
  ['GET', `${WALLET}/credits/totals`, /distributors/],
  ['GET', `${WALLET}/credits/series?interval=day`, /distributors/],
  ['GET', '/v3/credits/leaderboard', /distributors/],
  ['GET', '/v3/credits/stats', /distributors/],
  ['GET', '/v3/credits/events', /distributors/],
  ['GET', '/v3/credits/recipients/stats', /distributors/],
  ['GET', '/v3/credits/distributors', /distributors/],
  ['GET', `/v3/credits/txs/0x${'2'.repeat(64)}`, /distributors/],
  ['POST', '/v3/polymarket/profiles/username/challenge', /changed at the platform/],
  ['POST', '/v3/polymarket/profiles/username/complete', /changed at the platform/],
] as const)('%s %s', (method, url, reason) => {
  const ask = (headers: Record<string, string>) =>
    t.app.inject({ method, url, headers, ...(method === 'POST' && { payload: { username: 'x' } }) })

  test('501: with the reason', async () => {
    const reply = await ask({ 'x-api-key': key })
    expect(reply.statusCode).toBe(501)
    expect(reply.json()).toEqual({ error: 'not_supported', detail: expect.stringMatching(reason) })
  })

  test('401 without a key, 402 on the free plan', async () => {
    const { key: free } = await t.createCaller('free')
    expect((await ask({})).statusCode).toBe(401)
    expect((await ask({ 'x-api-key': free })).statusCode).toBe(402)
  })
})

test.each(['/v2/sports/tournaments', '/v2/sports/tournaments/12'])('501: %s, on all plans', async (url) => {
  const { key: free } = await t.createCaller('free')
  expect((await t.app.inject(url)).statusCode).toBe(401)
  const reply = await t.app.inject({ url, headers: { 'x-api-key': free } })
  expect(reply.statusCode).toBe(501)
  expect(reply.json()).toEqual({ error: 'not_supported', detail: expect.stringMatching(/Brackets/) })
})

test('404: a path beside them', async () => {
  for (const url of ['/v3/credits', '/v3/perpetuals', `${WALLET}/credits/x`]) {
    const reply = await t.app.inject({ url, headers: { 'x-api-key': key } })
    expect(reply.statusCode).toBe(404)
  }
})
