import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../../test/test-app.js'
import { packTicks } from '../archive/pack.js'
import { insertTicks } from '../archive/queries.js'
import { type CoinSymbol, type Stream, streamId } from '../streams.js'
import type { Candle } from './candles.js'

const MINUTE_MS = 60_000

let t: TestApp
let key: string
beforeAll(async () => {
  t = await createTestApp()
  key = (await t.createCaller('enterprise')).key
  t.clock.set(Date.UTC(2026, 10, 15, 12, 1, 40))
})
afterAll(() => t.close())
beforeEach(async () => {
  await t.ctx.sql`truncate live_ticks, tick_blocks`
  t.clock.advance(10 * MINUTE_MS)
})

const get = (query: string) =>
  t.app.inject({ url: `/v1/crypto/candles${query}`, headers: { 'x-api-key': key } })

async function candles(symbol = 'BTC'): Promise<Candle[]> {
  const reply = await get(`?symbol=${symbol}`)
  expect(reply.statusCode).toBe(200)
  return reply.json().candles
}

/** The start of the running bucket. */
const running = () => Math.floor(t.clock.now() / 300_000) * 300

/** Seconds and their prices. */
type Prices = [sec: number, price: number][]

const insert = (prices: Prices, stream: Partial<Stream> = {}) => {
  const id = streamId({ symbol: 'BTC', kind: 'spot', source: 'platform_oracle', ...stream })
  return insertTicks(
    t.ctx.sql,
    prices.map(([sec, price]) => ({ stream: id, sec, price, bid: null, ask: null })),
  )
}

const pack = () => packTicks(t.ctx.sql, t.clock.now())

describe('GET /v1/crypto/candles', () => {
  test('200: thirty candles up to the running one, from blocks and from what is not in blocks', async () => {
    const start = running()
    const seconds = Array.from({ length: 32 * 300 }, (_, index) => start - 31 * 300 + index)
    const until = t.clock.now() / 1000
    const prices = seconds.filter((sec) => sec <= until).map((sec): [number, number] => [sec, sec])
    await insert(prices)
    await pack()
    const [{ live } = { live: 0n }] = await t.ctx.sql<{ live: bigint }[]>`
      select count(*) as live from live_ticks`
    expect(Number(live)).toBeGreaterThan(0)
    expect(Number(live)).toBeLessThan(1_000)

    const expected = Array.from({ length: 30 }, (_, index) => {
      const time = start - (29 - index) * 300
      const close = Math.min(time + 299, until)
      return { time, open: time - 1, high: close, low: time - 1, close }
    })
    expect(await candles()).toEqual(expected)
  })

  test('200: the oracle itself counts before the platform, second by second', async () => {
    const start = running()
    await insert([
      [start + 1, 10],
      [start + 2, 99],
      [start + 3, 12],
    ])
    await insert([[start + 2, 11]], { source: 'oracle_data_streams' })
    expect(await candles()).toEqual([{ time: start, open: 10, high: 12, low: 10, close: 12 }])
  })

  test('200: other kinds of prices and other coins are left out', async () => {
    const start = running()
    await insert([[start + 1, 10]])
    await insert([[start + 2, 20]], { kind: 'twap60' })
    await insert([[start + 2, 30]], { symbol: 'ETH' })
    expect(await candles()).toMatchObject([{ close: 10 }])
  })

  test('200: a bucket without prices is flat, however long ago the last price was', async () => {
    const start = running()
    await insert([[start - 40 * 86_400, 7]])
    await pack()
    await insert([[start - 30, 9]])
    const all = await candles()
    expect(all).toHaveLength(30)
    const flat = { open: 7, high: 7, low: 7, close: 7 }
    for (const candle of all.slice(0, 28)) expect(candle).toMatchObject(flat)
    expect(all.slice(28)).toEqual([
      { time: start - 300, open: 7, high: 9, low: 7, close: 9 },
      { time: start, open: 9, high: 9, low: 9, close: 9 },
    ])
  })

  test('200: a history that begins later gives fewer candles, none gives none', async () => {
    expect(await candles('SOL')).toEqual([])
    const start = running()
    await insert([[start - 2 * 300 + 17, 5]])
    expect((await candles()).map(({ time }) => time)).toEqual([start - 600, start - 300, start])
  })

  test('200: an answer is served for five seconds, and never beyond its bucket', async () => {
    const start = running()
    t.clock.set((start + 297) * 1000)
    await insert([[start + 290, 5]])
    expect(await candles()).toHaveLength(1)
    await insert([[start + 296, 6]])
    t.clock.advance(2_999)
    expect(await candles()).toMatchObject([{ close: 5 }])
    t.clock.advance(1)
    expect(await candles()).toMatchObject([{ close: 6 }, { open: 6 }])
    await insert([[start + 300, 8]])
    t.clock.advance(4_999)
    expect(await candles()).toMatchObject([{ close: 6 }, { close: 6 }])
    t.clock.advance(1)
    expect(await candles()).toMatchObject([{ close: 6 }, { close: 8 }])
  })

  test.each(['BTC', 'btc', 'BTC/USD', 'btc/usd', 'BTC%2FUSD'])('200: symbol=%s', async (symbol) => {
    await insert([[running(), 5]])
    expect(await candles(symbol)).toHaveLength(1)
  })

  test.each([
    ['no symbol', '', 'small letters). Allowed: BTC, ETH'],
    ['two symbols', '?symbol=BTC&symbol=ETH', "The query parameter 'symbol' was given 2 times"],
    ['an empty symbol', '?symbol=', 'Invalid symbol. Allowed: BTC, ETH'],
    ['another coin', '?symbol=ZEC', 'Invalid symbol. Allowed: BTC, ETH'],
    ['another currency', '?symbol=BTC/EUR', 'Invalid symbol. Allowed: BTC, ETH'],
  ])('400: %s', async (_why, query, text) => {
    const reply = await get(query)
    expect(reply.statusCode).toBe(400)
    expect(reply.json()).toEqual({ error: expect.stringContaining(text) })
  })

  test('401: without a key', async () => {
    expect((await t.app.inject('/v1/crypto/candles?symbol=BTC')).statusCode).toBe(401)
  })
})

test('every coin has candles of its own', async () => {
  const start = running()
  const coins: CoinSymbol[] = ['BTC', 'ETH', 'SOL', 'BNB', 'XRP', 'DOGE', 'HYPE']
  for (const [index, symbol] of coins.entries()) await insert([[start, index + 1]], { symbol })
  for (const [index, symbol] of coins.entries())
    expect(await candles(symbol)).toMatchObject([{ close: index + 1 }])
})
