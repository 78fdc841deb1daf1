import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Faults } from '../server/faults.js'
import { type Host, openHost } from '../server/host.js'
import { Universe } from '../universe/universe.js'
import { createSiteHost } from './host.js'

const START_MS = Date.UTC(2026, 10, 12)
/** 20 seconds into the third window of five minutes. */
const NOW_MS = START_MS + 620_000
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64)'

const universe = new Universe({ seed: 9, startMs: START_MS })
let host: Host

beforeAll(async () => {
  universe.advance(NOW_MS)
  host = await openHost('site', new Faults(), createSiteHost(universe))
})
afterAll(() => host.close())

async function get<Answer>(path: string, params: Record<string, string | number>) {
  const query = new URLSearchParams(
    Object.entries(params).map(([key, value]): [string, string] => [key, String(value)]),
  )
  const reply = await fetch(`${host.url}${path}?${query}`, { headers: { 'user-agent': BROWSER } })
  return { status: reply.status, body: (await reply.json()) as Answer }
}

const iso = (atMs: number) => new Date(atMs).toISOString()
const sec = (atMs: number) => atMs / 1000

test('403 without a browser', async () => {
  const url = `${host.url}/api/chainlink-candles?symbol=BTC&interval=1m`
  expect((await fetch(url, { headers: { 'user-agent': 'curl/8.0' } })).status).toBe(403)
  expect((await fetch(url, { headers: { 'user-agent': BROWSER } })).status).toBe(200)
})

test('404 elsewhere', async () => {
  expect((await get('/api/weather', {})).status).toBe(404)
})

describe('crypto-price', () => {
  const ask = (startMs: number, more: Record<string, string | number> = {}) =>
    get<{ openPrice: number | null; closePrice: number | null }>('/api/crypto/crypto-price', {
      symbol: 'BTC',
      eventStartTime: iso(startMs),
      variant: 'fiveminute',
      endDate: iso(startMs + 300_000),
      ...more,
    })
  const twap = { twap: 'true', twapLookbackSeconds: 60 }

  test('a window that is over', async () => {
    const { body } = await ask(START_MS, twap)
    expect(body).toEqual({
      openPrice: universe.prices.twapE8('btc', sec(START_MS), 60) / 1e8,
      closePrice: universe.prices.twapE8('btc', sec(START_MS + 300_000), 60) / 1e8,
      timestamp: NOW_MS,
      completed: true,
      incomplete: false,
      cached: true,
    })
    const next = await ask(START_MS + 300_000, twap)
    expect(next.body.openPrice).toBe(body.closePrice)
  })

  test('with the mean it agrees with what the market settles on, without it does not', async () => {
    const window = {
      coin: 'btc' as const,
      interval: '5m' as const,
      startMs: START_MS,
      endMs: START_MS + 300_000,
    }
    const settled = universe.prices.closeE8(window) / 1e8
    expect((await ask(START_MS, twap)).body.closePrice).toBe(settled)
    const { body } = await ask(START_MS)
    expect(body.closePrice).toBe(universe.prices.spot('btc', sec(window.endMs)).priceE8 / 1e8)
    expect(body.closePrice).not.toBe(settled)
  })

  test('the running window', async () => {
    expect((await ask(START_MS + 600_000)).body).toMatchObject({
      openPrice: universe.prices.spot('btc', sec(START_MS + 600_000)).priceE8 / 1e8,
      closePrice: null,
      completed: false,
      incomplete: true,
      cached: false,
    })
  })

  test('a window that opened this moment, and one of the future', async () => {
    for (const startMs of [NOW_MS - 4_000, START_MS + 900_000]) {
      expect((await ask(startMs)).body).toMatchObject({ openPrice: null, completed: false })
    }
    expect((await ask(NOW_MS - 5_000)).body.openPrice).not.toBeNull()
  })

  test.each(['hourly', 'daily'])('%s windows show the exchange', async (variant) => {
    const { body } = await ask(START_MS, { variant })
    expect(body.openPrice).toBe(universe.prices.binanceE8('btc', sec(START_MS)) / 1e8)
  })

  test('the variant gives the length when the end is missing', async () => {
    const { body } = await get<{ closePrice: number | null }>('/api/crypto/crypto-price', {
      symbol: 'eth',
      eventStartTime: iso(START_MS),
      variant: 'fifteen',
    })
    expect(body.closePrice).toBeNull()
  })

  test.each([
    { symbol: 'PEPE' },
    { eventStartTime: '' },
    { eventStartTime: 'noon' },
    { twap: 'true', twapLookbackSeconds: 0 },
  ])('400: %j', async (change) => {
    const { status, body } = await ask(START_MS, change)
    expect(status).toBe(400)
    expect(body).toEqual({ error: expect.any(String) })
  })
})

describe('chainlink-candles', () => {
  type Candle = { time: number; open: number; high: number; low: number; close: number }
  const ask = (params: Record<string, string | number>) =>
    get<{ candles: Candle[] }>('/api/chainlink-candles', { symbol: 'SOL', ...params })
  const price = (atSec: number) => universe.prices.spot('sol', atSec).priceE8 / 1e8

  test('the running candle and those before it', async () => {
    const { body } = await ask({ interval: '1m', limit: 15 })
    const [running, before] = body.candles.toSorted((a, b) => b.time - a.time)
    expect(body.candles).toHaveLength(15)
    expect(running).toMatchObject({ time: sec(NOW_MS) - 20, close: price(sec(NOW_MS)) })
    const minute = Array.from({ length: 60 }, (_, index) => price(sec(NOW_MS) - 80 + index))
    expect(before).toEqual({
      time: sec(NOW_MS) - 80,
      open: minute[0],
      high: Math.max(...minute),
      low: Math.min(...minute),
      close: minute.at(-1),
    })
  })

  test('up to a moment of the past', async () => {
    const { body } = await ask({ interval: '5m', limit: 5, endTime: START_MS - 1 })
    expect(Math.max(...body.candles.map(({ time }) => time))).toBe(sec(START_MS) - 300)
  })

  test.each(['15m', '1h', '4h', '1d'])('%s candles hang together', async (interval) => {
    const { body } = await ask({ interval, limit: 3 })
    for (const { open, high, low, close } of body.candles) {
      expect(high).toBeGreaterThanOrEqual(Math.max(open, close))
      expect(low).toBeLessThanOrEqual(Math.min(open, close))
    }
  })

  test.each([
    { interval: '7m' },
    { interval: 'constructor' },
    { limit: 0 },
    { limit: 'all' },
    { endTime: 'now' },
  ])('400: %j', async (change) => {
    expect((await ask({ interval: '1m', ...change })).status).toBe(400)
  })
})

test.each([
  ['fourhour', 60_000],
  ['daily', 300_000],
  ['fortnightly', 60_000],
  ['constructor', 60_000],
])('price-history of a %s window has a point every %i ms', async (variant, stepMs) => {
  const { body } = await get<{ timestamp: number; value: number }[]>('/api/crypto/price-history', {
    symbol: 'XRP',
    eventStartTime: iso(START_MS),
    variant,
    endDate: iso(START_MS + 14_400_000),
  })
  expect(body).toHaveLength(Math.floor(620_000 / stepMs) + 1)
  expect(body[1]?.timestamp).toBe(START_MS + stepMs)
})

test('400: price-history of more than the longest window', async () => {
  const { status } = await get('/api/crypto/price-history', {
    symbol: 'XRP',
    eventStartTime: '0001-01-01',
    variant: 'daily',
    endDate: iso(START_MS),
  })
  expect(status).toBe(400)
})

describe('past-results', () => {
  type Result = { startTime: string; closePrice: number | null; outcome: string }
  type Answer = {
    status: string
    data: { results: Result[]; outcomesBySlug: Record<string, string> }
  }
  const slug = `btc-updown-5m-${sec(START_MS)}`

  test('the windows before the one on the page, as the chain decided them', async () => {
    const { body } = await get<Answer>('/api/past-results', {
      symbol: 'BTC',
      variant: 'fiveminute',
      assetType: 'crypto',
      currentEventStartTime: iso(START_MS + 600_000),
      count: 2,
      includeOutcomesBySlug: 'true',
    })
    expect(body.status).toBe('success')
    expect(body.data.results.map(({ startTime }) => startTime)).toEqual([
      iso(START_MS),
      iso(START_MS + 300_000),
    ])
    const market = universe.catalogue.marketBySlug(slug)
    const payouts = market === undefined ? undefined : universe.payouts(market)
    expect(payouts).toBeDefined()
    expect(body.data.outcomesBySlug[slug]).toBe(payouts?.[0] === 1 ? 'up' : 'down')
    expect(body.data.results[0]?.outcome).toBe(body.data.outcomesBySlug[slug])
  })

  test('outcomes alone, of what is over', async () => {
    const running = `btc-updown-5m-${sec(START_MS + 600_000)}`
    const { body } = await get<Answer>('/api/past-results', {
      outcomesOnly: 'true',
      pastEventSlugs: `${slug},${running},no-such-event`,
    })
    expect(body.data.results).toEqual([])
    expect(Object.keys(body.data.outcomesBySlug)).toEqual([slug])
  })
})
