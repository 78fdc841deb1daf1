import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createTestApp, type TestApp } from '../../test/test-app.js'
import { type PriceStatus, priceStatus } from './domain.js'

let t: TestApp
let sources: PriceStatus[] = []
beforeAll(async () => {
  t = await createTestApp()
  t.ctx.statusParts.push(priceStatus(() => sources))
})
afterAll(() => t.close())
afterEach(() => {
  sources = []
})

/** Sources whose last price is this many seconds old; null: there was none. */
function setAges(ages: Record<string, number | null>): void {
  const nowSec = Math.floor(t.clock.now() / 1000)
  sources = Object.entries(ages).map(([source, age]) => ({
    source,
    lastSec: age === null ? undefined : nowSec - age,
  }))
}

function ready(ages: Record<string, number | null>) {
  setAges(ages)
  return askReady()
}

async function askReady() {
  const reply = await t.app.inject('/readyz')
  const { status, checks } = reply.json()
  return [reply.statusCode, status, checks.prices]
}

describe('GET /readyz with prices', () => {
  test('200: there is no source', async () => {
    expect(await ready({})).toEqual([200, 'ready', undefined])
  })

  test('200: every source has a price of the last minute', async () => {
    const ages = { platform_oracle: 60, oracle_data_streams: 0 }
    expect(await ready(ages)).toEqual([200, 'ready', 'ok'])
  })

  test('200: a source whose clock is ahead', async () => {
    expect(await ready({ platform_oracle: -3 })).toEqual([200, 'ready', 'ok'])
  })

  test.each([
    [61, 'oracle_data_streams: no price for 61 seconds'],
    [null, 'oracle_data_streams: no price yet'],
  ])('200, degraded: one of two is silent for %s seconds', async (age, check) => {
    const ages = { platform_oracle: 5, oracle_data_streams: age }
    expect(await ready(ages)).toEqual([200, 'degraded', check])
  })

  test('503, degraded: the only one is silent', async () => {
    const check = 'platform_oracle: no price for 61 seconds'
    expect(await ready({ platform_oracle: 61 })).toEqual([503, 'degraded', check])
  })

  test('503, degraded: all are silent, and each is named', async () => {
    expect(await ready({ platform_oracle: null, oracle_data_streams: 3_600 })).toEqual([
      503,
      'degraded',
      'platform_oracle: no price yet; oracle_data_streams: no price for 3600 seconds',
    ])
  })

  test('503, not ready: the prices of the candles are being fetched', async () => {
    sources = [
      { source: 'platform_oracle', lastSec: Math.floor(t.clock.now() / 1_000) },
      { source: 'oracle_data_streams', lastSec: undefined, isFilling: true },
    ]
    const [statusCode, status, prices] = await askReady()
    expect([statusCode, status]).toEqual([503, 'not_ready'])
    expect(prices).toMatch(/oracle_data_streams: the prices of the candles are being fetched$/)
  })

  test('503, not ready: prices cannot make up for the chain', async () => {
    const check = { status: 'not_ready', isReady: false, problem: 'another chain' } as const
    t.ctx.statusParts.push({ check: () => ({ name: 'chain', ...check }) })
    onTestFinished(() => void t.ctx.statusParts.pop())
    expect(await ready({ platform_oracle: 5 })).toEqual([503, 'not_ready', 'ok'])
    const ages = { platform_oracle: null, oracle_data_streams: 5 }
    const prices = 'platform_oracle: no price yet'
    expect(await ready(ages)).toEqual([503, 'not_ready', prices])
  })
})

test('GET /v1/status: 200, how old the newest price of each source is', async () => {
  setAges({ platform_oracle: 7, oracle_data_streams: null })
  const { key } = await t.createCaller('free')
  const reply = await t.app.inject({ url: '/v1/status', headers: { 'x-api-key': key } })
  expect(reply.json().prices).toEqual([
    { source: 'platform_oracle', age_seconds: 7 },
    { source: 'oracle_data_streams', age_seconds: null },
  ])
})
