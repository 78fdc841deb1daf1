import { Value } from 'typebox/value'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { TicksReply } from '../../crypto/prices/schemas.js'
import { makeTick, makeTicks, NOON_SEC } from '../archive/test-archive.js'
import { openTickApp, showTicks, type TickApp, toQuery } from './test-tick-app.js'

const NOON_MS = NOON_SEC * 1000
const DAY_MS = 86_400_000
const MEAN_SEC = NOON_SEC - 7_200

/** Of each source, with quotes and without; some in blocks and some not. */
const BITCOIN = [
  ...makeTicks(NOON_SEC, 400),
  ...makeTicks(NOON_SEC + 290, 20, { source: 'oracle_data_streams', bid: 0.5, ask: 700.25 }),
]
const MEANS = [
  makeTick(MEAN_SEC, { kind: 'twap30', price: 30 }),
  makeTick(MEAN_SEC, { kind: 'twap60', price: 60, bid: 59, ask: 61 }),
  makeTick(MEAN_SEC, { kind: 'binance', price: 10 }),
]

let t: TickApp
beforeAll(async () => {
  t = await openTickApp()
  await t.insert(...BITCOIN, ...MEANS)
  await t.packAt(NOON_SEC + 420)
})
afterAll(() => t.close())

const ALL = { from: NOON_MS, to: NOON_MS + 3_600_000 }

describe('GET /v1/crypto/ticks', () => {
  test('200: every field of the specification and none more', async () => {
    const reply = await t.get(toQuery(ALL))
    expect(reply.statusCode).toBe(200)
    expect(reply.headers['content-type']).toBe('application/json; charset=utf-8')
    const body = reply.json()
    expect(body).toEqual({
      symbol: 'BTC',
      feed: 'BTC/USD',
      from: NOON_MS,
      to: NOON_MS + 3_600_000,
      limit: 10_000,
      count: 420,
      truncated: false,
      source: null,
      ticks: showTicks(BITCOIN),
    })
    expect([...Value.Errors(TicksReply, body)]).toEqual([])
    expect(body.ticks[0]).toEqual({
      id: `${NOON_MS}-0`,
      type: 'price_feed',
      feed: 'BTC/USD',
      timestamp: NOON_SEC,
      timestamp_ms: NOON_MS,
      source: 'platform_oracle',
      data: { feed: 'BTC/USD', price: 1, bid: 1, ask: 1, timestamp: NOON_SEC },
    })
    const ids = body.ticks.map(({ id }: { id: string }) => id)
    expect(new Set(ids).size).toBe(420)
  })

  test.each(['platform_oracle', 'oracle_data_streams'])('200: of the source %s alone', async (source) => {
    const body = await t.read({ ...ALL, source })
    expect(body.source).toBe(source)
    expect(body.ticks).toEqual(showTicks(BITCOIN).filter((tick) => tick.source === source))
    expect(body.count).toBe(body.ticks.length)
  })

  test.each([
    ['twap30', { is_twap: true, twap_window_seconds: 30 }],
    ['twap60', { is_twap: true, twap_window_seconds: 60 }],
    ['binance', {}],
  ])('200: prices of the kind %s, and means say that they are', async (kind, mean) => {
    const range = { from: MEAN_SEC * 1000, to: MEAN_SEC * 1000 + 1 }
    const body = await t.read({ ...range, price_source: kind })
    expect([...Value.Errors(TicksReply, body)]).toEqual([])
    const [tick] = body.ticks
    expect(body.ticks).toEqual([expect.objectContaining({ ...mean, id: `${MEAN_SEC * 1000}-0` })])
    expect(tick?.data).toEqual(expect.objectContaining(mean))
    expect('is_twap' in (tick ?? {})).toBe('is_twap' in mean)
    expect((await t.read(range)).ticks).toEqual([])
  })

  test.each(['BTC', 'btc'])('200: symbols in one case, such as %s', async (symbol) => {
    expect(await t.read({ ...ALL, symbol })).toEqual(await t.read(ALL))
  })

  test('200: both ends of the range are included, to the millisecond', async () => {
    const count = async (fromMs: number, toMs: number) =>
      (await t.get(`symbol=BTC&from=${fromMs}&to=${toMs}`)).json().count
    expect(await count(NOON_MS, NOON_MS + 1_000)).toBe(2)
    expect(await count(NOON_MS + 1, NOON_MS + 1_000)).toBe(1)
    expect(await count(NOON_MS + 1, NOON_MS + 999)).toBe(0)
    expect(await count(NOON_MS + 299_001, NOON_MS + 299_999)).toBe(0)
    expect(await count(NOON_MS + 299_001, NOON_MS + 300_000)).toBe(2)
  })

  test('200: nothing before history, of another coin, or in times that no clock will show', async () => {
    const nothing = { count: 0, truncated: false, ticks: [] }
    for (const query of [
      'symbol=BTC&from=1600000000000&to=1600000900000',
      `symbol=SOL&from=${NOON_MS}&to=${NOON_MS + 900_000}`,
      'symbol=BTC&from=2147000000000&to=2147000900000',
    ]) {
      const reply = await t.get(query)
      expect(reply.statusCode).toBe(200)
      expect(reply.json()).toMatchObject(nothing)
    }
  })

  test('200: exactly 24 hours', async () => {
    const reply = await t.get(`symbol=BTC&from=${NOON_MS}&to=${NOON_MS + DAY_MS}`)
    expect(reply.json()).toMatchObject({ count: 420 })
  })

  test.each([
    [1, 1, true],
    [299, 299, true],
    [419, 419, true],
    [420, 420, true],
    [421, 420, false],
    [100_000, 420, false],
  ])('200: with limit %i the first %i, truncated: %s', async (limit, count, truncated) => {
    const body = await t.read({ ...ALL, limit })
    expect(body).toMatchObject({ limit, count, truncated })
    expect(body.ticks).toEqual(showTicks(BITCOIN).slice(0, count))
  })

  test('401: without a key', async () => {
    const reply = await t.app.inject(`/v1/crypto/ticks?${toQuery(ALL)}`)
    expect(reply.statusCode).toBe(401)
  })
})
