import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MARKET_SHAPES } from '../../../test/strict-client/market-shapes.js'
import { problemsOf } from '../../../test/strict-client/shape.js'
import { openWindowApp, readPrice, type WindowApp } from './test-window-app.js'

const START_SEC = Date.UTC(2026, 10, 15, 12) / 1000
const PATH = '/proxy/polymarket/api/crypto/crypto-price'

let w: WindowApp
beforeAll(async () => {
  w = await openWindowApp((START_SEC - 86_400) * 1000)
  w.clock.set((START_SEC + 60) * 1000)
  await w.insert([
    [START_SEC, 100],
    [START_SEC + 50, 105],
  ])
  await w.insert([[START_SEC, 80]], { kind: 'binance' })
})
afterAll(() => w.close())

/** Without a key. */
const get = (query: Record<string, string>) =>
  w.app.inject(`${PATH}?${new URLSearchParams({ symbol: 'BTC', ...query })}`)

describe(`GET ${PATH}`, () => {
  test.each([
    ['fiveminute', '5m', 100],
    ['fifteen', '15m', 100],
    ['fifteenminute', '15m', 100],
    ['hourly', '1h', 80],
    ['fourhour', '4h', 100],
  ])('200: %s has the prices of %s windows', async (variant, interval, openPrice) => {
    const reply = await get({
      eventStartTime: '2026-11-15T12:00:00Z',
      variant,
      endDate: '2026-11-15T16:00:00Z',
    })
    expect(reply.statusCode, reply.body).toBe(200)
    expect(problemsOf(reply.json(), MARKET_SHAPES[PATH])).toEqual([])
    const { cached: _, ...price } = await readPrice(w, `symbol=BTC&window=${START_SEC}&interval=${interval}`)
    expect(reply.json()).toMatchObject({ ...price, openPrice })
  })

  test.each([
    '2026-11-15T12:00:00.000Z',
    '2026-11-15T12:00:00+00:00',
    '2026-11-15T07:00:00-05:00',
    '2026-11-15T12:00Z',
  ])('200: a time is written as %s', async (eventStartTime) => {
    expect((await get({ eventStartTime })).json()).toMatchObject({ openPrice: 100 })
  })

  test.each<[string, Record<string, string>]>([
    ['eventStartTime', {}],
    ['eventStartTime', { eventStartTime: '1794744000' }],
    ['eventStartTime', { eventStartTime: '2026-11-15T12:01:00Z' }],
    ['eventStartTime', { eventStartTime: '2026-11-15T13:00:00Z' }],
    ['eventStartTime', { eventStartTime: '2026-13-45T12:00:00Z' }],
    ['endDate', { eventStartTime: '2026-11-15T12:00:00Z', endDate: 'later' }],
    ['variant', { eventStartTime: '2026-11-15T12:00:00Z', variant: 'weekly' }],
    ['symbol', { eventStartTime: '2026-11-15T12:00:00Z', symbol: 'ADA' }],
  ])('400: %s in %o', async (name, query) => {
    const reply = await get(query)
    expect([reply.statusCode, reply.json().error]).toEqual([400, expect.stringContaining(name)])
  })
})
