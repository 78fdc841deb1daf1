import { Registry } from 'prom-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Faults } from '../../../sim/server/faults.js'
import { type Host, openHost } from '../../../sim/server/host.js'
import { createSiteHost } from '../../../sim/site-price/host.js'
import { Universe } from '../../../sim/universe/universe.js'
import { systemClock } from '../../core/clock.js'
import { createUpstreamMetrics } from '../transport/metrics.js'
import { SitePriceClient } from './client.js'

const MINUTE_MS = 60_000
const START_MS = Date.UTC(2026, 10, 12)
const NOW_MS = START_MS + 92 * MINUTE_MS
const universe = new Universe({ seed: 14, startMs: START_MS })

let host: Host
let site: SitePriceClient
beforeAll(async () => {
  universe.advance(NOW_MS)
  host = await openHost('site', new Faults(), createSiteHost(universe))
  const metrics = createUpstreamMetrics(new Registry())
  site = new SitePriceClient({ url: host.url, metrics, clock: systemClock })
})
afterAll(async () => {
  await site.close()
  await host.close()
})

const fiveMinutes = (startMs: number) =>
  ({ symbol: 'BTC', interval: '5m', startMs, endMs: startMs + 5 * MINUTE_MS }) as const
const running = fiveMinutes(START_MS + 90 * MINUTE_MS)
const finished = fiveMinutes(START_MS + 80 * MINUTE_MS)

test('the prices of a window that is over, that runs, and that is to come', async () => {
  const twap = { twapLookbackSec: 60 }
  const over = await site.getCryptoPrice({ ...finished, ...twap })
  expect(over).toMatchObject({ completed: true, openPrice: expect.any(Number) })
  const next = fiveMinutes(finished.endMs)
  expect((await site.getCryptoPrice({ ...next, ...twap })).openPrice).toBe(over.closePrice)

  expect(await site.getCryptoPrice({ ...running, ...twap })).toMatchObject({
    completed: false,
    openPrice: expect.any(Number),
    closePrice: undefined,
  })
  const future = fiveMinutes(running.endMs)
  expect((await site.getCryptoPrice(future)).openPrice).toBeUndefined()
})

test('candles, oldest first, up to the running one', async () => {
  const candles = await site.getCandles({ symbol: 'ETH', interval: '5m', limit: 15 })
  const newestSec = running.startMs / 1_000
  const expected = Array.from({ length: 15 }, (_, index) => newestSec - (14 - index) * 300)
  expect(candles.map(({ timeSec }) => timeSec)).toEqual(expected)
  for (const { close } of candles) expect(close).toBeGreaterThan(0)
})
