import { Registry } from 'prom-client'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Faults } from '../../../sim/server/faults.js'
import { type Host, openHost } from '../../../sim/server/host.js'
import { createSiteHost } from '../../../sim/site-price/host.js'
import { Universe } from '../../../sim/universe/universe.js'
import { ManualClock } from '../../../test/manual-clock.js'
import { SitePriceClient } from '../../upstreams/site-price/client.js'
import { createUpstreamMetrics } from '../../upstreams/transport/metrics.js'
import { SitePrices } from './site-prices.js'
import type { Window } from './window.js'

const SITE_MS = Date.UTC(2026, 10, 15, 12)
const SITE_SEC = SITE_MS / 1000
const universe = new Universe({ seed: 5, startMs: SITE_MS })
universe.advance(SITE_MS)
const clock = new ManualClock(SITE_MS)

let calls = 0
/** While it is there, answers wait for it. */
let held: Promise<void> | undefined
let host: Host
let client: SitePriceClient
let site: SitePrices
beforeAll(async () => {
  const parts = createSiteHost(universe)
  host = await openHost('site', new Faults(), {
    async http(request) {
      calls++
      await held
      return parts.http?.(request) ?? { status: 404, body: '' }
    },
  })
  const metrics = createUpstreamMetrics(new Registry())
  client = new SitePriceClient({ url: host.url, metrics, clock })
})
afterAll(async () => {
  await client.close()
  await host.close()
})
beforeEach(() => {
  calls = 0
  held = undefined
  clock.set(SITE_MS)
  site = new SitePrices(client, clock)
})

const windowAt = (startSec: number, symbol: Window['symbol'] = 'BTC'): Window => ({
  symbol,
  interval: '5m',
  startSec,
  endSec: startSec + 300,
})

describe('what the site says', () => {
  test('is called once and kept, when the window is over', async () => {
    const over = windowAt(SITE_SEC - 3_600)
    const first = await site.get(over, 60)
    expect(first).toMatchObject({ completed: true })
    clock.advance(30 * 86_400_000)
    expect(await site.get(over, 60)).toBe(first)
    expect(calls).toBe(1)
  })

  test('of each coin, window and mean is another answer', async () => {
    const start = SITE_SEC - 3_600
    const answers = [
      await site.get(windowAt(start), 60),
      await site.get(windowAt(start), 30),
      await site.get(windowAt(start), undefined),
      await site.get(windowAt(start - 300), 60),
      await site.get(windowAt(start, 'ETH'), 60),
    ]
    expect(new Set(answers.map((answer) => answer?.openPrice)).size).toBe(5)
    expect(calls).toBe(5)
  })

  test('of a running window is kept for two seconds', async () => {
    const runs = windowAt(SITE_SEC - 60)
    for (const [afterMs, times] of [
      [0, 1],
      [1_999, 1],
      [2_000, 2],
    ] as const) {
      clock.set(SITE_MS + afterMs)
      expect(await site.get(runs, 60)).toMatchObject({ completed: false })
      expect(calls).toBe(times)
    }
  })

  test('is kept for a minute when it is nothing, and only shortly when it may still come', async () => {
    const unknown = windowAt(SITE_SEC)
    clock.set(SITE_MS + 60_000)
    expect(await site.get(unknown, 60)).toMatchObject({ openPrice: undefined })
    clock.advance(2_000)
    await site.get(unknown, 60)
    expect(calls).toBe(2)
    clock.advance(59_999)
    await site.get(unknown, 60)
    expect(calls).toBe(2)
    clock.advance(1)
    await site.get(unknown, 60)
    expect(calls).toBe(3)
  })
})

test('a request does not wait long for a slow site, whose answer is kept when it comes', async () => {
  let release: () => void = () => undefined
  held = new Promise((resolve) => {
    release = resolve
  })
  const impatient = new SitePrices(client, clock, 1)
  const over = windowAt(SITE_SEC - 7_200)
  expect(await impatient.get(over, 60)).toBeUndefined()
  release()
  const patient = new SitePrices(client, clock)
  await patient.get(over, 60)
  const before = calls
  expect(await impatient.get(over, 60)).toMatchObject({ completed: true })
  expect(calls).toBe(before)
})

test('a site that refuses gives no answer, and is called again for the next request', async () => {
  let refusals = 0
  const refusing = await openHost('site', new Faults(), {
    http: () => {
      refusals++
      return { status: 403, body: 'Forbidden' }
    },
  })
  const metrics = createUpstreamMetrics(new Registry())
  const refused = new SitePriceClient({ url: refusing.url, metrics, clock })
  const unwelcome = new SitePrices(refused, clock)
  for (const times of [1, 2]) {
    expect(await unwelcome.get(windowAt(SITE_SEC - 300), 60)).toBeUndefined()
    expect(refusals).toBe(times)
  }
  await refused.close()
  await refusing.close()
})
