import { pino } from 'pino'
import { Registry } from 'prom-client'
import { expect, onTestFinished, test } from 'vitest'
import { createChainlinkHost } from '../../../sim/prices/chainlink.js'
import { Faults } from '../../../sim/server/faults.js'
import { openHost } from '../../../sim/server/host.js'
import { Universe } from '../../../sim/universe/universe.js'
import { until } from '../../../test/until.js'
import { createUpstreamMetrics } from '../transport/metrics.js'
import { type ChainlinkOptions, ChainlinkSource } from './chainlink.js'
import type { PriceGap, PriceTick, StoredStreams } from './source.js'

const startMs = Date.UTC(2026, 10, 15, 12)
const universe = new Universe({ seed: 3, startMs, intensity: 0 })
universe.advance(startMs)

async function open(changes: Partial<ChainlinkOptions> = {}, stored?: StoredStreams) {
  const credentials = { apiKey: 'key', secret: 'secret' }
  const now = () => universe.nowMs
  const paths: string[] = []
  const faults = new Faults()
  const hostNow = () => now() + faults.skewMs('chainlink')
  const parts = createChainlinkHost(universe, credentials, { now: hostNow })
  const host = await openHost('chainlink', faults, {
    ...parts,
    http: (request) => {
      paths.push(request.path)
      return parts.http?.(request) ?? { status: 404, body: '' }
    },
    refuse: (request) => {
      paths.push(request.url)
      return parts.refuse?.(request)
    },
  })
  const ticks: PriceTick[] = []
  const gaps: PriceGap[] = []
  const slept: number[] = []
  const controller = new AbortController()
  onTestFinished(async () => {
    controller.abort()
    await host.close()
  })
  const source = new ChainlinkSource({
    url: host.wsUrl,
    restUrl: host.url,
    coins: ['btc'],
    credentials,
    callsPerSecond: 200,
    clock: { now },
    metrics: createUpstreamMetrics(new Registry()),
    log: pino({ level: 'silent' }),
    tuning: { timings: { backoff: { baseMs: 2, maxMs: 20 } } },
    timing: {
      now: () => performance.now(),
      sleep: async (ms) => {
        slept.push(ms)
      },
    },
    ...changes,
  })
  const listener = {
    onTick: (tick: PriceTick) => ticks.push(tick),
    onGap: (gap: PriceGap) => gaps.push(gap),
  }
  source.start(controller.signal, listener, stored)
  return { source, faults, paths, ticks, gaps, slept }
}

const liveOn = (seconds = 1) => universe.advance(universe.nowMs + seconds * 1_000)

test('feeds are found by coin, and their prices are exact, with bid and ask', async () => {
  const { source, ticks } = await open()
  expect(source.health().state).toBe('connecting')
  await until(() => source.health().state === 'open')
  liveOn()
  await until(() => ticks.length === 3)
  const toText = (priceE8: number) => String(priceE8 / 1e8)
  const sec = universe.nowMs / 1_000
  const { priceE8, bidE8, askE8 } = universe.prices.spot('btc', sec)
  expect(ticks[0]).toEqual({
    coin: 'btc',
    kind: 'spot',
    source: 'chainlink',
    provider: 'chainlink',
    timestampMs: universe.nowMs,
    price: toText(priceE8),
    priceE18: BigInt(priceE8) * 10n ** 10n,
    bid: toText(bidE8),
    ask: toText(askE8),
    receivedMs: universe.nowMs,
  })
  expect(ticks.map(({ kind }) => kind)).toEqual(['spot', 'twap30', 'twap60'])
  expect(ticks[1]?.bid).toBeUndefined()
})

test('seconds that were missed are fetched and come late, with no gap', async () => {
  const { source, faults, paths, ticks, gaps } = await open()
  await until(() => source.health().state === 'open')
  liveOn()
  await until(() => ticks.length === 3)
  const fromMs = universe.nowMs
  faults.set({ upstream: 'chainlink', mode: 'silent' })
  liveOn(149)
  faults.set({ upstream: 'chainlink', mode: 'off' })
  liveOn()
  await until(() => ticks.length === 3 * 151)
  const spot = ticks.filter(({ kind }) => kind === 'spot').map(({ timestampMs }) => timestampMs)
  expect(spot.sort()).toEqual(Array.from({ length: 151 }, (_, index) => fromMs + index * 1_000))
  expect(gaps).toEqual([])
  expect(paths.filter((path) => path.endsWith('/page'))).toHaveLength(6)
})

test('seconds between the last stored tick and the first new one are fetched, each once', async () => {
  const lastMs = universe.nowMs
  liveOn(149)
  const { source, paths, ticks, gaps } = await open({}, () => ({ untilMs: lastMs, missing: [] }))
  await until(() => source.health().state === 'open')
  liveOn()
  await until(() => ticks.length >= 3 * 150)
  liveOn()
  await until(() => ticks.length >= 3 * 151)
  const moments = Array.from({ length: 151 }, (_, index) => lastMs + (index + 1) * 1_000)
  for (const kind of ['spot', 'twap30', 'twap60']) {
    const mine = ticks.filter((tick) => tick.kind === kind)
    expect(mine.map(({ timestampMs }) => timestampMs).sort()).toEqual(moments)
  }
  expect(gaps).toEqual([])
  expect(paths.filter((path) => path.endsWith('/page'))).toHaveLength(6)
})

test('seconds that are missing before the last stored tick are fetched at once, the newest first', async () => {
  const untilMs = universe.nowMs
  const untilSec = untilMs / 1_000
  const missing = [{ fromSec: untilSec - 249, toSec: untilSec }]
  const stored: StoredStreams = (_coin, kind) =>
    kind === 'spot' ? { untilMs, missing } : { untilMs, missing: [] }
  const { source, ticks, gaps } = await open({}, stored)
  expect(source.isFetching('spot', 0)).toBe(true)
  await until(() => ticks.length === 250)
  expect(source.isFetching('spot', 0)).toBe(false)
  const secs = ticks.map(({ timestampMs }) => timestampMs / 1_000)
  expect(Math.min(...secs.slice(0, 100))).toBe(untilSec - 99)
  expect(Math.min(...secs.slice(0, 200))).toBe(untilSec - 199)
  expect(gaps).toEqual([])
})

test.each(['429', '500', 'garbage', 'truncated', 'drop', 'skew'] as const)(
  'seconds that were missed are fetched in the end, although at first there is: %s',
  async (mode) => {
    let nowMs = 0
    let waits = 0
    const timing = {
      now: () => nowMs,
      sleep: async (ms: number) => {
        nowMs += ms
        waits += 1
        if (waits === 6) faults.set({ upstream: 'chainlink', mode: 'off' })
      },
    }
    const { source, faults, ticks, gaps } = await open({ timing })
    await until(() => source.health().state === 'open')
    liveOn()
    await until(() => ticks.length === 3)
    faults.set({ upstream: 'chainlink', mode: 'silent' })
    liveOn(9)
    faults.set({ upstream: 'chainlink', mode: 'off' })
    liveOn()
    // Nothing runs before this: the host is broken when the first of the seconds is requested.
    faults.set({ upstream: 'chainlink', mode })
    await until(() => ticks.length >= 3 * 11)
    expect(ticks).toHaveLength(3 * 11)
    expect(gaps).toEqual([])
  },
)

test('wrong credentials: asks again, ever more slowly, and says nothing wrong', async () => {
  const { source, ticks, paths, slept } = await open({
    credentials: { apiKey: 'key', secret: 'another' },
  })
  await until(() => paths.length >= 8 && slept.some((ms) => ms >= 60_000))
  expect(source.health().state).toBe('connecting')
  expect(ticks).toEqual([])
})
