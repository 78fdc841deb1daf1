import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openWindowApp, readPrice, type WindowApp } from './test-window-app.js'

const START_SEC = Date.UTC(2026, 10, 15, 12) / 1000

let w: WindowApp
/** The window that runs: every test has one of its own, two hours after the one before. */
let start = START_SEC
beforeAll(async () => {
  w = await openWindowApp((START_SEC - 86_400) * 1000)
})
afterAll(() => w.close())
beforeEach(() => {
  start += 7_200
  w.siteUrls.length = 0
  at(60)
})

/** Sets the clock to this many seconds after the start of the window. */
const at = (seconds: number) => w.clock.set((start + seconds) * 1000)
const read = (rest = '') => readPrice(w, `symbol=BTC&window=${start}${rest}`)

const RUNNING = { completed: false, incomplete: true }
const COMPLETED = { completed: true, incomplete: false }

describe('GET /v1/crypto/price: a window that runs', () => {
  test('200: six fields, the close being the newest price', async () => {
    await w.insert([
      [start - 1, 99],
      [start, 100],
      [start + 1, 104],
      [start + 60, 105],
      [start + 61, 106],
    ])
    expect(await read()).toEqual({
      openPrice: 100,
      closePrice: 105,
      timestamp: (start + 60) * 1000,
      ...RUNNING,
      cached: false,
    })
  })

  test('200: without a tick at its start it opens at the last one, at most a minute old', async () => {
    await w.insert([[start - 60, 98]])
    expect(await read()).toMatchObject({ openPrice: 98, closePrice: 98, ...RUNNING })
    expect(w.siteUrls).toEqual([])
  })

  test('200: the close follows the deciding price, and the spot price while there is none', async () => {
    await w.insert([[start - 5, 100]])
    await w.insert([[start, 90]], { kind: 'spot' })
    await w.insert([[start + 50, 91]], { kind: 'spot' })
    expect(await read()).toMatchObject({ openPrice: 100, closePrice: 91 })
    await w.insert([[start + 55, 101]])
    at(75)
    expect(await read()).toMatchObject({ openPrice: 100, closePrice: 101 })
  })

  test('200: where no price is fresh the last one of the kind at which it opened stands', async () => {
    await w.insert([[start, 100]])
    await w.insert([[start + 2, 103]])
    at(200)
    expect(await read()).toMatchObject({ openPrice: 100, closePrice: 103, ...RUNNING })
  })

  test('200: an hour is decided by the exchange', async () => {
    await w.insert([[start, 100]])
    await w.insert([[start, 90]], { kind: 'spot' })
    await w.insert([[start, 80]], { kind: 'binance' })
    expect(await read('&interval=1h')).toMatchObject({ openPrice: 80 })
    expect(await read('&interval=5m')).toMatchObject({ openPrice: 100 })
    expect(await read('&interval=15m')).toMatchObject({ openPrice: 100 })
  })

  test('200: an answer is served again for ten seconds, and says so', async () => {
    await w.insert([[start, 100]])
    const first = await read()
    await w.insert([[start + 59, 101]])
    at(69.999)
    expect(await read()).toEqual({ ...first, cached: true })
    expect(await read('&interval=5m')).toEqual({ ...first, cached: true })
    at(70)
    expect(await read()).toMatchObject({ closePrice: 101, cached: false })
  })

  test('200: for its first ten seconds only for one second, for the tick of its start is late', async () => {
    at(0)
    await w.insert([[start - 1, 99]])
    expect(await read()).toMatchObject({ openPrice: 99 })
    await w.insert([[start, 100]])
    at(0.999)
    expect(await read()).toMatchObject({ openPrice: 99, cached: true })
    at(1)
    expect(await read()).toMatchObject({ openPrice: 100, cached: false })
  })
})

describe('GET /v1/crypto/price: a window that ends', () => {
  test('200: the first request at the end sees what is new', async () => {
    await w.insert([[start, 100]])
    await w.insert([[start + 299, 102]])
    at(299.999)
    expect(await read()).toMatchObject({ closePrice: 102, ...RUNNING })
    await w.insert([[start + 300, 103]])
    at(300)
    expect(await read()).toMatchObject({ closePrice: 103, ...COMPLETED, cached: false })
  })

  test('200: it is completed when the tick of its last second is in', async () => {
    await w.insert([
      [start, 100],
      [start + 298, 102],
    ])
    at(300)
    expect(await read()).toMatchObject({ closePrice: 102, ...RUNNING })
    await w.insert([[start + 300, 103]])
    at(301)
    expect(await read()).toMatchObject({ closePrice: 103, ...COMPLETED })
  })

  test('200: it waits for every source that has spoken of late, so that the close does not move', async () => {
    const oracle = { source: 'oracle_data_streams' } as const
    await w.insert([
      [start, 100],
      [start + 300, 103],
    ])
    await w.insert([[start + 299, 102]], oracle)
    at(300)
    expect(await read()).toMatchObject({ closePrice: 103, ...RUNNING })
    await w.insert([[start + 300, 104]], oracle)
    at(301)
    expect(await read()).toMatchObject({ closePrice: 104, ...COMPLETED })
  })

  test('200: ten seconds after its end the last price of its last minute is final', async () => {
    await w.insert([
      [start, 100],
      [start + 240, 102],
    ])
    at(309.999)
    expect(await read()).toMatchObject({ closePrice: 102, ...RUNNING })
    at(311)
    expect(await read()).toMatchObject({ closePrice: 102, ...COMPLETED })
  })

  test('200: the close is frozen', async () => {
    await w.insert([
      [start, 100],
      [start + 300, 103],
    ])
    at(300)
    const { closePrice, openPrice } = await read()
    for (const later of [301, 310, 600, 7_000, 86_400]) {
      await w.insert([[start + later, later]])
      at(later)
      expect(await read()).toMatchObject({ openPrice, closePrice, ...COMPLETED })
    }
  })

  test('200: while neither archive nor site has the end it stays incomplete, at its last price', async () => {
    await w.insert([
      [start, 100],
      [start + 200, 102],
    ])
    at(3_000)
    expect(await read()).toMatchObject({ openPrice: 100, closePrice: 102, ...RUNNING })
  })
})

describe('GET /v1/crypto/price: what is refused', () => {
  test.each([
    ['no symbol', 'window=1793000100', 'small letters). Allowed: BTC, ETH'],
    ['an empty symbol', 'symbol=&window=1793000100', 'Invalid symbol. Allowed: BTC, ETH'],
    ['a feed', 'symbol=BTC/USD&window=1793000100', 'Invalid symbol. Allowed: BTC, ETH'],
    ['two symbols', 'symbol=BTC&symbol=BTC&window=1793000100', "'symbol' was given 2 times"],
    ['no window', 'symbol=BTC', "Missing required query parameter 'window'"],
    ['an empty window', 'symbol=BTC&window=', 'Invalid window'],
    ['a window that is no integer', 'symbol=BTC&window=1793000100.0', 'Invalid window'],
    ['a window before the epoch', 'symbol=BTC&window=-300', 'Invalid window'],
    ['two windows', 'symbol=BTC&window=0&window=300', "'window' was given 2 times"],
    ['an unknown interval', 'symbol=BTC&window=1793000100&interval=1d', 'Allowed: 5m, 15m, 1h, 4h'],
    ['an empty interval', 'symbol=BTC&window=1793000100&interval=', 'Allowed: 5m, 15m, 1h, 4h'],
    ['two intervals', 'symbol=BTC&window=0&interval=5m&interval=5m', "'interval' was given 2 times"],
    ['a time between two windows', 'symbol=BTC&window=1793000101', '1793000100 and 1793000400'],
    ['a quarter of an hour off its grid', 'symbol=BTC&window=1793000400&interval=15m', '900 seconds'],
    ['milliseconds', 'symbol=BTC&window=1793000100000', 'give Unix seconds, not milliseconds'],
    ['a window to come', 'symbol=BTC&window=1993000200', 'it has not begun yet'],
  ])('400: %s', async (_why, query, text) => {
    const reply = await w.get(query)
    expect(reply.statusCode).toBe(400)
    expect(reply.json()).toMatchObject({ error: expect.stringContaining(text) })
  })

  test('400: milliseconds, with the seconds as a hint', async () => {
    const reply = await w.get('symbol=BTC&window=1793000100000')
    expect(reply.statusCode).toBe(400)
    expect(reply.json()).toEqual({
      error: 'Invalid window: give Unix seconds, not milliseconds.',
      hint: 'window=1793000100',
    })
  })

  test('401: without a key', async () => {
    const reply = await w.app.inject(`/v1/crypto/price?symbol=BTC&window=${start}`)
    expect(reply.statusCode).toBe(401)
  })

  test('404: a window before 2020, without asking anybody', async () => {
    const reply = await w.get('symbol=BTC&window=1577836500')
    expect(reply.statusCode).toBe(404)
    expect(reply.json()).toEqual({ error: expect.stringMatching(/^No price is known/) })
    expect(w.siteUrls).toEqual([])
  })
})
