import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../test/test-app.js'
import { SYMBOLS } from './streams.js'

let t: TestApp
let key: string
beforeAll(async () => {
  t = await createTestApp()
  key = (await t.createCaller('enterprise')).key
})
afterAll(() => t.close())

const get = (path: string, symbol: string) =>
  t.app.inject({ url: path, query: { symbol, ...TIMES }, headers: { 'x-api-key': key } })

const TIMES = { from: '1793000000000', to: '1793000001000', window: '300' }

const PATHS = ['/v1/crypto/ticks', '/v1/crypto/price', '/v1/crypto/candles']

describe.each(PATHS)('GET %s', (path) => {
  test.each(SYMBOLS)('%s is read in capitals and in small letters', async (symbol) => {
    const capitals = await get(path, symbol)
    const small = await get(path, symbol.toLowerCase())
    expect([200, 404]).toContain(capitals.statusCode)
    expect(small.statusCode).toBe(capitals.statusCode)
  })

  test.each(['', 'ZEC', 'Btc', 'bTC', ' BTC', 'BTC ', 'BTCUSD', 'constructor'])(
    '400: %j, with the list of those that are allowed',
    async (symbol) => {
      const reply = await get(path, symbol)
      expect(reply.statusCode).toBe(400)
      expect(reply.json().error).toMatch(/^Invalid symbol. Allowed: BTC, ETH, SOL, BNB, XRP, DOGE, HYPE/)
    },
  )
})

describe('GET /v1/crypto/candles, by feed', () => {
  test.each(SYMBOLS)('%s is read in capitals and in small letters', async (symbol) => {
    for (const feed of [`${symbol}/USD`, `${symbol.toLowerCase()}/usd`]) {
      expect((await get('/v1/crypto/candles', feed)).statusCode).toBe(200)
    }
  })

  test.each(['/USD', 'BTC/usd', 'Btc/Usd', 'BTC/', 'BTC/EUR', 'USD/BTC', 'BTC/USD/USD', 'BTC-USD'])(
    '400: %j',
    async (feed) => {
      expect((await get('/v1/crypto/candles', feed)).statusCode).toBe(400)
    },
  )
})
