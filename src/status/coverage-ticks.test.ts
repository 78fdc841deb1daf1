import { Value } from 'typebox/value'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../test/test-app.js'
import { packTicks } from '../prices/archive/pack.js'
import { insertGap, insertTicks } from '../prices/archive/queries.js'
import { idOf, makeTicks, NOON_SEC } from '../prices/archive/test-archive.js'
import { CoverageReply } from './schemas.js'

const HOUR_SEC = 3_600
/** Twenty minutes and five seconds, which is how long ticks are on their way. */
const NOW_MS = (NOON_SEC + 1_199 + 5) * 1000

let t: TestApp
let key: string
beforeAll(async () => {
  t = await createTestApp()
  t.clock.set(NOW_MS)
  key = (await t.createCaller('enterprise')).key
  const { sql } = t.ctx
  await insertTicks(sql, makeTicks(NOON_SEC - 7_200, 7_200 + 1_200))
  await insertTicks(
    sql,
    makeTicks(NOON_SEC - 50, 60, { symbol: 'ETH', kind: 'twap60', source: 'oracle_data_streams' }),
  )
  await packTicks(sql, NOW_MS)
  const outage = { upstream: 'rtds', stream: null, reason: 'closed' }
  await insertGap(sql, { ...outage, fromSec: NOON_SEC - 90_000, toSec: NOON_SEC - 89_990 })
  await insertGap(sql, { ...outage, fromSec: NOON_SEC - 30, toSec: NOON_SEC - 20 })
  await insertGap(sql, {
    upstream: 'chainlink',
    stream: idOf({ symbol: 'ETH', kind: 'twap60', source: 'oracle_data_streams' }),
    fromSec: NOON_SEC + 10,
    toSec: NOON_SEC + 1_190,
    reason: 'missing',
  })
})
afterAll(() => t.close())

const get = (query = '') => t.app.inject({ url: `/v1/coverage${query}`, headers: { 'x-api-key': key } })

const time = (sec: number) => new Date(sec * 1000).toISOString()

describe('GET /v1/coverage, ticks', () => {
  test('200: each stream hour by hour, and the gaps of these hours', async () => {
    const reply = await get()
    expect(reply.statusCode).toBe(200)
    expect([...Value.Errors(CoverageReply, reply.json())]).toEqual([])
    expect(reply.json().ticks).toEqual({
      streams: [
        {
          feed: 'BTC/USD',
          source: 'platform_oracle',
          price_source: 'spot',
          from: time(NOON_SEC - 7_200),
          hours: [
            { start: time(NOON_SEC - 7_200), seconds: 3_600, missing: 0 },
            { start: time(NOON_SEC - 3_600), seconds: 3_600, missing: 0 },
            { start: time(NOON_SEC), seconds: 1_200, missing: 0 },
          ],
        },
        {
          feed: 'ETH/USD',
          source: 'oracle_data_streams',
          price_source: 'twap60',
          from: time(NOON_SEC - 3_600),
          hours: [
            { start: time(NOON_SEC - 3_600), seconds: 50, missing: 3_550 },
            { start: time(NOON_SEC), seconds: 10, missing: 1_190 },
          ],
        },
      ],
      gaps: [
        {
          upstream: 'chainlink',
          feed: 'ETH/USD',
          price_source: 'twap60',
          from: time(NOON_SEC + 10),
          to: time(NOON_SEC + 1_190),
          reason: 'missing',
        },
        {
          upstream: 'rtds',
          feed: null,
          price_source: null,
          from: time(NOON_SEC - 30),
          to: time(NOON_SEC - 20),
          reason: 'closed',
        },
      ],
    })
  })

  test.each([
    [1, 1, 1],
    [2, 2, 2],
    [168, 3, 3],
  ])('200: of the last %i hours', async (hours, listed, gaps) => {
    const { ticks } = (await get(`?hours=${hours}`)).json()
    expect(ticks.streams[0].hours).toHaveLength(listed)
    expect(ticks.streams[0].from).toBe(time(NOON_SEC - 7_200))
    expect(ticks.gaps).toHaveLength(gaps)
  })

  test('200: time that passes without ticks is missing', async () => {
    t.clock.advance(HOUR_SEC * 1000)
    const { ticks } = (await get('?hours=2')).json()
    expect(ticks.streams[0].hours).toEqual([
      { start: time(NOON_SEC), seconds: 1_200, missing: 2_400 },
      { start: time(NOON_SEC + HOUR_SEC), seconds: 0, missing: 1_200 },
    ])
  })

  test.each(['0', '169', '-1', '1.5', 'abc', ''])('400: hours=%s', async (hours) => {
    const reply = await get(`?hours=${hours}`)
    expect(reply.statusCode).toBe(400)
    expect(reply.json()).toEqual({
      error: 'Invalid hours: the query parameter must be an integer from 1 to 168.',
    })
  })

  test('400: hours given twice', async () => {
    expect((await get('?hours=1&hours=2')).statusCode).toBe(400)
  })
})
